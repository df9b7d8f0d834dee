/* SPDX-License-Identifier: Apache-2.0
 *
 * check_arena.c: arena.h on Windows, where wepoll is under it: the sentences of the suite in src/test/native/arena that
 * need nothing but sockets. Like check.c it needs the headers and ws2_32 alone.
 */
#include <pollux/arena.h>

#include "checks.h"

#include <stdlib.h>
#include <string.h>

static const int64_t MILLIS = 1000000, PATIENCE = INT64_C(20000000000);

typedef struct {
    plx_arena *arena;
    plx_arena_view v;
    uint64_t listener;
    struct sockaddr_in address;
    int orders, arrived, next;
} rig;

static void open_rig(rig *r, const plx_arena_sizes *sizes)
{
    int length = sizeof r->address;
    SOCKET s = socket(AF_INET, SOCK_STREAM, 0);
    memset(r, 0, sizeof *r);
    r->address = (struct sockaddr_in){ .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
    EXPECT(plx_arena_open(NULL, sizes, &r->arena) == 0);
    plx_arena_map(r->arena, &r->v);
    EXPECT(bind(s, (struct sockaddr *)&r->address, sizeof r->address) == 0 && listen(s, 100) == 0);
    EXPECT(getsockname(s, (struct sockaddr *)&r->address, &length) == 0);
    r->listener = (uint64_t)plx_arena_listen(r->arena, (intptr_t)s);
}

static void order(rig *r, uint64_t connection, uint32_t what, const void *bytes, size_t length)
{
    r->v.orders[r->orders++] = (plx_order){ connection, (uintptr_t)bytes, (uint32_t)length, what };
}

static void turn(rig *r, int64_t ns)
{
    r->arrived = plx_arena_turn(r->arena, r->orders, ns);
    r->orders = r->next = 0;
    EXPECT(r->arrived >= 0);
}

/* The next arrival: zeros if it is of another kind, or does not come. */
static plx_arrival next(rig *r, uint32_t what)
{
    for (int tries = 0; r->next >= r->arrived && tries < 100; tries++)
        turn(r, PATIENCE);
    plx_arrival a = { 0 };
    if (r->next < r->arrived)
        a = r->v.arrivals[r->next++];
    if (a.what != what)
        printf("arrival %u instead of %u, detail %d\n", a.what, what, (int)a.detail);
    EXPECT(a.what == what);
    return a.what == what ? a : (plx_arrival){ 0 };
}

static void expect_silence(rig *r)
{
    EXPECT(r->next == r->arrived);
    for (int k = 0; k < 3; k++) {
        turn(r, 10 * MILLIS);
        EXPECT(r->arrived == 0);
    }
}

static const char *bytes_of(const plx_arrival *a)
{
    return (const char *)(uintptr_t)a->address;
}

static int is_data(plx_arrival a, const char *bytes)
{
    return a.length == strlen(bytes) && memcmp(bytes_of(&a), bytes, a.length) == 0;
}

/* A peer that blocks, but not for ever. */
static SOCKET peer(const rig *r)
{
    SOCKET s = socket(AF_INET, SOCK_STREAM, 0);
    DWORD millis = 20000;
    setsockopt(s, SOL_SOCKET, SO_RCVTIMEO, (const char *)&millis, sizeof millis);
    EXPECT(connect(s, (const struct sockaddr *)&r->address, sizeof r->address) == 0);
    return s;
}

static uint64_t accepted(rig *r, SOCKET *s)
{
    *s = peer(r);
    plx_arrival a = next(r, PLX_ARRIVAL_ACCEPTED);
    EXPECT((uint64_t)a.detail == r->listener);
    return a.connection;
}

static void say(SOCKET s, const char *bytes)
{
    EXPECT(send(s, bytes, (int)strlen(bytes), 0) == (int)strlen(bytes));
}

/* These bytes come, and no end. */
static int hears(SOCKET s, const char *bytes, size_t length)
{
    char some[65536];
    for (size_t got = 0; got < length;) {
        int n = recv(s, some, (int)(length - got < sizeof some ? length - got : sizeof some), 0);
        if (n <= 0 || memcmp(some, bytes + got, (size_t)n) != 0)
            return 0;
        got += (size_t)n;
    }
    return 1;
}

static int hears_the_end(SOCKET s)
{
    char byte;
    return recv(s, &byte, 1, 0) == 0;
}

static void close_one(rig *r, uint64_t connection, SOCKET s)
{
    order(r, connection, PLX_ORDER_CLOSE, NULL, 0);
    EXPECT(next(r, PLX_ARRIVAL_CLOSED).connection == connection);
    EXPECT(hears_the_end(s));
    closesocket(s);
}

static char *pattern(size_t length)
{
    char *bytes = malloc(length);
    for (size_t k = 0; bytes != NULL && k < length; k++)
        bytes[k] = (char)(k + k / 251);
    EXPECT(bytes != NULL);
    return bytes;
}

static void replies(void)
{
    static const char resident[] = "resident, ";
    rig r;
    SOCKET s;
    open_rig(&r, NULL);
    uint64_t c = accepted(&r, &s);
    for (int round = 0; round < 100; round++) {
        say(s, "in place, ");
        plx_arrival a = next(&r, PLX_ARRIVAL_DATA);
        EXPECT(a.connection == c && is_data(a, "in place, "));
        memcpy(r.v.space, "made here", 9);
        order(&r, c, PLX_ORDER_SEND, bytes_of(&a), a.length);
        order(&r, c, PLX_ORDER_SEND | PLX_ORDER_RESIDENT, resident, 10);
        order(&r, c, PLX_ORDER_SEND | PLX_ORDER_NOTIFY, r.v.space, 9);
        EXPECT(next(&r, PLX_ARRIVAL_SENT).detail == 1);
        EXPECT(hears(s, "in place, resident, made here", 29));
    }
    close_one(&r, c, s);
    plx_arena_close(r.arena);
}

static void parts(void)
{
    rig r;
    SOCKET s;
    open_rig(&r, NULL);
    uint64_t c = accepted(&r, &s);
    say(s, "one, ");
    plx_arrival a = next(&r, PLX_ARRIVAL_DATA);
    order(&r, c, PLX_ORDER_KEEP, bytes_of(&a), a.length);
    say(s, "two");
    EXPECT(is_data(next(&r, PLX_ARRIVAL_DATA), "one, two"));
    order(&r, c, PLX_ORDER_PAUSE, "kept ", 5);
    turn(&r, 0);
    say(s, "three");
    expect_silence(&r);
    order(&r, c, PLX_ORDER_RESUME, NULL, 0);
    a = next(&r, PLX_ARRIVAL_DATA);
    if (a.length == 5) {
        order(&r, c, PLX_ORDER_KEEP, bytes_of(&a), a.length);
        a = next(&r, PLX_ARRIVAL_DATA);
    }
    EXPECT(is_data(a, "kept three"));
    close_one(&r, c, s);
    plx_arena_close(r.arena);
}

static void many(void)
{
    enum { PEERS = 100, ROUNDS = 10 };
    rig r;
    SOCKET s[PEERS];
    open_rig(&r, NULL);
    for (int i = 0; i < PEERS; i++)
        accepted(&r, &s[i]);
    for (int round = 0; round < ROUNDS; round++) {
        for (int i = 0; i < PEERS; i++)
            say(s[i], "ping");
        for (int got = 0; got < 4 * PEERS;) {
            plx_arrival a = next(&r, PLX_ARRIVAL_DATA);
            if (a.what == 0)
                break;
            order(&r, a.connection, PLX_ORDER_SEND, bytes_of(&a), a.length);
            got += (int)a.length;
        }
        turn(&r, 0);
        for (int i = 0; i < PEERS; i++)
            EXPECT(hears(s[i], "ping", 4));
    }
    plx_arena_close(r.arena);
    for (int i = 0; i < PEERS; i++) {
        EXPECT(hears_the_end(s[i]));
        closesocket(s[i]);
    }
}

/* A peer that does not read; then it does. Others are served. */
static void slow_reader(void)
{
    enum { LENGTH = 20000000 };
    const plx_arena_sizes sizes = { .pending_limit = 100000 };
    rig r;
    SOCKET slow, quick;
    char *reply = pattern(LENGTH);
    open_rig(&r, &sizes);
    uint64_t c = accepted(&r, &slow), d = accepted(&r, &quick);
    order(&r, c, PLX_ORDER_SEND | PLX_ORDER_RESIDENT | PLX_ORDER_NOTIFY, reply, LENGTH);
    plx_arrival unsent = next(&r, PLX_ARRIVAL_UNSENT);
    EXPECT(unsent.connection == c && unsent.detail > 100000 && unsent.detail < LENGTH);
    say(slow, "not yet");
    expect_silence(&r);
    say(quick, "now");
    EXPECT(next(&r, PLX_ARRIVAL_DATA).connection == d);
    for (size_t got = 0; got < LENGTH; got += 100000) {
        EXPECT(hears(slow, reply + got, 100000));
        if (r.next == r.arrived)
            turn(&r, 0);
    }
    EXPECT(next(&r, PLX_ARRIVAL_SENT).connection == c);
    EXPECT(is_data(next(&r, PLX_ARRIVAL_DATA), "not yet"));
    close_one(&r, c, slow);
    close_one(&r, d, quick);
    plx_arena_close(r.arena);
    free(reply);
}

static void ends(void)
{
    struct linger at_once = { 1, 0 };
    rig r;
    SOCKET s;
    open_rig(&r, NULL);
    uint64_t c = accepted(&r, &s);
    say(s, "last words");
    shutdown(s, SD_SEND);
    EXPECT(is_data(next(&r, PLX_ARRIVAL_DATA), "last words"));
    EXPECT(next(&r, PLX_ARRIVAL_END).connection == c);
    order(&r, c, PLX_ORDER_SEND, "are heard", 9);
    order(&r, c, PLX_ORDER_CLOSE, NULL, 0);
    EXPECT(next(&r, PLX_ARRIVAL_CLOSED).connection == c);
    EXPECT(hears(s, "are heard", 9) && hears_the_end(s));
    closesocket(s);

    c = accepted(&r, &s);
    setsockopt(s, SOL_SOCKET, SO_LINGER, (const char *)&at_once, sizeof at_once);
    closesocket(s);
    turn(&r, PATIENCE);
    EXPECT(r.arrived == 1 && r.v.arrivals[0].connection == c);
    /* Wine's poll takes the socket's error away, so that its recv returns 0. */
    EXPECT(r.v.arrivals[0].what == PLX_ARRIVAL_END || r.v.arrivals[0].detail == WSAECONNRESET);
    r.next = r.arrived;
    expect_silence(&r);
    order(&r, c, PLX_ORDER_CLOSE, NULL, 0);
    EXPECT(next(&r, PLX_ARRIVAL_CLOSED).connection == c);
    plx_arena_close(r.arena);
}

static void released_and_adopted(void)
{
    rig r;
    SOCKET s;
    char bytes[8];
    open_rig(&r, NULL);
    uint64_t c = accepted(&r, &s);
    say(s, "fast slow");
    plx_arrival a = next(&r, PLX_ARRIVAL_DATA);
    order(&r, c, PLX_ORDER_RELEASE, bytes_of(&a) + 5, 4);
    a = next(&r, PLX_ARRIVAL_RELEASED);
    EXPECT(a.connection == c && is_data(a, "slow"));
    SOCKET mine = (SOCKET)a.detail;
    say(s, "more");
    EXPECT(recv(mine, bytes, sizeof bytes, 0) == 4); /* it blocks */
    int64_t name = plx_arena_adopt(r.arena, (intptr_t)mine, "back, ", 6);
    EXPECT(name >= 0 && (uint64_t)name != c);
    EXPECT(is_data(next(&r, PLX_ARRIVAL_DATA), "back, "));
    say(s, "here");
    EXPECT(is_data(next(&r, PLX_ARRIVAL_DATA), "here"));
    close_one(&r, (uint64_t)name, s);
    EXPECT(plx_arena_adopt(r.arena, (intptr_t)INVALID_SOCKET, NULL, 0) == -WSAENOTSOCK);
    SOCKET datagrams = socket(AF_INET, SOCK_DGRAM, 0);
    EXPECT(plx_arena_adopt(r.arena, (intptr_t)datagrams, NULL, 0) == -WSAEOPNOTSUPP);
    closesocket(datagrams);
    plx_arena_close(r.arena);
}

static DWORD WINAPI wake_later(void *arena)
{
    Sleep(50);
    return (DWORD)plx_arena_wakeup(arena);
}

static void wakeups(void)
{
    rig r;
    open_rig(&r, NULL);
    for (int i = 0; i < 100; i++) {
        EXPECT(plx_arena_wakeup(r.arena) == 0 && plx_arena_wakeup(r.arena) == 0);
        next(&r, PLX_ARRIVAL_WAKEUP);
    }
    expect_silence(&r);
    HANDLE thread = CreateThread(NULL, 0, wake_later, r.arena, 0, NULL);
    next(&r, PLX_ARRIVAL_WAKEUP);
    WaitForSingleObject(thread, INFINITE);
    CloseHandle(thread);
    plx_arena_close(r.arena);
}

static void few(void)
{
    const plx_arena_sizes sizes = { .connections = 2, .buffers = 1, .buffer_size = 100 };
    enum { LENGTH = 5000 };
    rig r;
    SOCKET s, other;
    char *message = pattern(LENGTH);
    open_rig(&r, &sizes);
    uint64_t c = accepted(&r, &s);
    other = peer(&r);
    expect_silence(&r);
    EXPECT(send(s, message, LENGTH, 0) == LENGTH);
    for (int got = 0; got < LENGTH;) {
        plx_arrival a = next(&r, PLX_ARRIVAL_DATA);
        if (a.what == 0)
            break;
        order(&r, c, PLX_ORDER_SEND, bytes_of(&a), a.length);
        got += (int)a.length;
    }
    turn(&r, 0);
    EXPECT(hears(s, message, LENGTH));
    close_one(&r, c, s);
    c = next(&r, PLX_ARRIVAL_ACCEPTED).connection;
    close_one(&r, c, other);
    plx_arena_close(r.arena);
    free(message);
}

static void words(void)
{
    rig r;
    plx_arena *none;
    open_rig(&r, NULL);
    EXPECT(strcmp(plx_arena_mechanisms(), "wepoll") == 0);
    EXPECT(strcmp(plx_arena_name(r.arena), "wepoll") == 0);
    EXPECT(strncmp(plx_arena_features(r.arena), "wepoll: ", 8) == 0);
    EXPECT(strstr(plx_arena_features(r.arena), "io_uring") == NULL);
    EXPECT(plx_arena_open("io_uring", NULL, &none) < 0 && none == NULL);
    const plx_arena_sizes wrong_sizes = { .buffers = 3 };
    EXPECT(plx_arena_open(NULL, &wrong_sizes, &none) == -WSAEINVAL && none == NULL);
    plx_arena_close(r.arena);
    plx_arena_close(NULL);
}

static const check tests[] = {
    { "replies come from anywhere, in order, and are told of", replies },
    { "parts are joined, and nothing is reported while paused", parts },
    { "many are served in batches, and closing it closes all", many },
    { "who does not read is not read from, and others go on", slow_reader },
    { "a half-close is an end, a reset too or an error", ends },
    { "a released one is the caller's, and can come back", released_and_adopted },
    { "a wakeup is sticky, coalesced, and ends a turn", wakeups },
    { "few connections and buffers lose nothing", few },
    { "it says what it runs on", words },
};

int main(void)
{
    return run_checks(tests, sizeof tests / sizeof *tests);
}
