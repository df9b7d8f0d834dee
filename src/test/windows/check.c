/* SPDX-License-Identifier: Apache-2.0
 *
 * check.c: pollux.h on Windows, without Java: the sentences of the suite in src/test/native that sockets can show, and
 * what only wepoll can get wrong. Needs pollux.h and ws2_32 and looks inside of nothing, so that it goes with the
 * library's sources, with the static library and with the DLL. Prints what failed, and last "N passed, N failed".
 */
#include <pollux/pollux.h>

#include "checks.h"

#include <string.h>

static const int64_t MILLIS = 1000000;

static plx_set *opened(void)
{
    plx_set *set = NULL;
    EXPECT(plx_open("wepoll", &set) == 0);
    return set;
}

static double now_millis(void)
{
    LARGE_INTEGER ticks, per_second;
    QueryPerformanceCounter(&ticks);
    QueryPerformanceFrequency(&per_second);
    return 1000.0 * (double)ticks.QuadPart / (double)per_second.QuadPart;
}

/* A non-blocking socket bound to a free port of the loopback interface. */
static SOCKET bound(int type, struct sockaddr_in *address)
{
    SOCKET s = socket(AF_INET, type, 0);
    u_long on = 1;
    int length = sizeof *address;
    *address = (struct sockaddr_in){ .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
    EXPECT(bind(s, (struct sockaddr *)address, sizeof *address) == 0);
    EXPECT(getsockname(s, (struct sockaddr *)address, &length) == 0);
    EXPECT(ioctlsocket(s, (long)FIONBIO, &on) == 0);
    return s;
}

static void send_to(SOCKET s, const struct sockaddr_in *address)
{
    EXPECT(sendto(s, "x", 1, 0, (const struct sockaddr *)address, sizeof *address) == 1);
}

/* Two ends of a connection, both non-blocking. */
static void connected(SOCKET ends[2])
{
    struct sockaddr_in address, ignored;
    SOCKET listener = bound(SOCK_STREAM, &address);
    fd_set ready;
    EXPECT(listen(listener, 1) == 0);
    ends[0] = bound(SOCK_STREAM, &ignored);
    connect(ends[0], (struct sockaddr *)&address, sizeof address);
    FD_ZERO(&ready);
    FD_SET(listener, &ready);
    select(0, &ready, NULL, NULL, NULL);
    ends[1] = accept(listener, NULL, NULL);
    u_long on = 1;
    EXPECT(ends[1] != INVALID_SOCKET && ioctlsocket(ends[1], (long)FIONBIO, &on) == 0);
    closesocket(listener);
}

/* A cookie that tells a socket's number and another one, as the caller likes. */
static uint64_t cookie(SOCKET s, uint32_t gen)
{
    return (uint64_t)gen << 32 | (uint32_t)s;
}

/* The calls with such a cookie: 0, or the (positive) code of the refusal. */
static int add(plx_set *set, SOCKET s, uint32_t gen, uint32_t want)
{
    return -plx_add(set, (intptr_t)s, want, cookie(s, gen));
}

static int modify(plx_set *set, SOCKET s, uint32_t gen, uint32_t want)
{
    return -plx_modify(set, (intptr_t)s, want, cookie(s, gen));
}

static int forget(plx_set *set, SOCKET s)
{
    return -plx_remove(set, (intptr_t)s);
}

/* What is reported now, waiting for no more than ns: one event of that socket, whose events these are, or else 0. */
static uint32_t reported(plx_set *set, SOCKET s, uint32_t gen, int64_t ns)
{
    plx_event e[4];
    int n = plx_await(set, e, 4, ns);
    return n == 1 && e[0].cookie == cookie(s, gen) && e[0].error == 0 ? e[0].events : 0;
}

static int is_wakeup(plx_event e)
{
    return e.events == PLX_WAKEUP && e.cookie == 0 && e.error == 0;
}

static void timeouts(void)
{
    plx_set *set = opened();
    plx_event e[4];
    const int tried[] = { 1, 3, 10, 60 };
    EXPECT(plx_await(set, e, 4, 0) == 0);
    for (size_t i = 0; i < sizeof tried / sizeof *tried; i++) {
        double start = now_millis();
        EXPECT(plx_await(set, e, 4, tried[i] * MILLIS) == 0);
        EXPECT(now_millis() - start >= tried[i]);
    }
    plx_close(set);
}

static DWORD WINAPI wake_later(void *set)
{
    Sleep(50);
    return (DWORD)plx_wakeup(set);
}

static void wakeups(void)
{
    plx_set *set = opened();
    plx_event e[4];
    for (int i = 0; i < 50; i++) {
        EXPECT(plx_wakeup(set) == 0 && plx_wakeup(set) == 0);
        EXPECT(plx_await(set, e, 4, -1) == 1 && is_wakeup(e[0]));
        EXPECT(plx_await(set, e, 4, 0) == 0);
    }
    double start = now_millis();
    EXPECT(plx_await(set, e, 4, 40 * MILLIS) == 0); /* a packet that is left over does not end it */
    EXPECT(now_millis() - start >= 40);
    HANDLE thread = CreateThread(NULL, 0, wake_later, set, 0, NULL);
    EXPECT(plx_await(set, e, 4, -1) == 1 && is_wakeup(e[0]));
    WaitForSingleObject(thread, INFINITE);
    CloseHandle(thread);

    struct sockaddr_in address;
    SOCKET s = bound(SOCK_DGRAM, &address);
    EXPECT(add(set, s, 1, PLX_OUT) == 0);
    EXPECT(plx_wakeup(set) == 0);
    EXPECT(plx_await(set, e, 4, -1) == 2); /* a wakeup hides nothing */
    EXPECT(plx_wakeup(set) == 0);
    EXPECT(forget(set, s) == 0); /* looks into the port, where the packet is */
    EXPECT(plx_await(set, e, 4, -1) == 1 && is_wakeup(e[0]));
    closesocket(s);
    plx_close(set);
}

static void changes(void)
{
    plx_set *set = opened();
    plx_event e[4];
    struct sockaddr_in one, two;
    SOCKET a = bound(SOCK_DGRAM, &one), b = bound(SOCK_DGRAM, &two);
    EXPECT(add(set, a, 7, PLX_IN) == 0);
    EXPECT(plx_await(set, e, 4, 0) == 0);
    EXPECT(modify(set, a, 7, PLX_OUT) == 0); /* while a poll for reading is pending */
    EXPECT(plx_await(set, e, 4, 0) == 1 && e[0].cookie == cookie(a, 7) && e[0].events == PLX_OUT);
    EXPECT(add(set, a, 8, PLX_IN) == 0);
    EXPECT(modify(set, b, 9, PLX_IN) == ERROR_NOT_FOUND);
    EXPECT(add(set, b, 9, PLX_IN) == 0);
    EXPECT(plx_await(set, e, 4, 0) == 0);
    send_to(b, &one);
    EXPECT(plx_await(set, e, 4, -1) == 1 && e[0].cookie == cookie(a, 8) && e[0].events == PLX_IN);
    EXPECT(plx_await(set, e, 4, -1) == 1); /* level-triggered */
    EXPECT(forget(set, a) == 0);
    EXPECT(forget(set, a) == 0); /* gone already */
    EXPECT(plx_await(set, e, 4, 0) == 0);
    closesocket(a);
    EXPECT(forget(set, a) == 0);
    EXPECT(plx_await(set, e, 4, 10 * MILLIS) == 0);
    EXPECT(forget(set, b) == 0);
    closesocket(b);

    SOCKET c = bound(SOCK_DGRAM, &one);
    EXPECT(add(set, c, 10, PLX_IN) == 0);
    closesocket(c); /* before there was a poll that could tell */
    EXPECT(modify(set, c, 11, PLX_OUT) == WSAENOTSOCK);
    EXPECT(forget(set, c) == 0);
    EXPECT(add(set, c, 10, PLX_IN) == WSAENOTSOCK);
    plx_close(set);
}

static void out_of_band(void)
{
    plx_set *set = opened();
    plx_event e[4];
    SOCKET ends[2];
    char data[4];
    connected(ends);
    EXPECT(add(set, ends[1], 1, PLX_IN) == 0);
    EXPECT(plx_await(set, e, 4, 0) == 0);
    EXPECT(send(ends[0], "!", 1, MSG_OOB) == 1);
    EXPECT(plx_await(set, e, 4, -1) == 1 && (e[0].events & PLX_PRI) != 0);
    EXPECT(plx_discard_out_of_band((intptr_t)ends[1]) == 1);
    EXPECT(plx_discard_out_of_band((intptr_t)ends[1]) == 0);
    EXPECT(plx_await(set, e, 4, 20 * MILLIS) == 0);
    EXPECT(send(ends[0], "x", 1, 0) == 1);
    EXPECT(plx_await(set, e, 4, -1) == 1 && e[0].events == PLX_IN);
    EXPECT(plx_discard_out_of_band((intptr_t)ends[1]) == 0);
    EXPECT(recv(ends[1], data, sizeof data, 0) == 1 && data[0] == 'x');
    EXPECT(forget(set, ends[1]) == 0);
    closesocket(ends[0]);
    closesocket(ends[1]);
    plx_close(set);
}

static DWORD WINAPI look(void *set)
{
    plx_event e[4];
    return (DWORD)plx_await(set, e, 4, 0);
}

/* Registers a socket for interest in had, lets another thread or this one submit its poll, and closes it. The result is
 * a new socket with its number; INVALID_SOCKET if the system gave that to nobody. */
static SOCKET reused(plx_set *set, uint32_t had, int by_another_thread, struct sockaddr_in *address)
{
    SOCKET others[64], s = bound(SOCK_DGRAM, address), fresh = INVALID_SOCKET;
    int n = 0;
    EXPECT(add(set, s, 1, had) == 0);
    if (by_another_thread) {
        HANDLE thread = CreateThread(NULL, 0, look, set, 0, NULL);
        WaitForSingleObject(thread, INFINITE);
        CloseHandle(thread);
    } else {
        look(set);
    }
    closesocket(s);
    while (fresh != s && n < 64)
        fresh = others[n++] = bound(SOCK_DGRAM, address);
    for (int i = 0; i < n; i++)
        if (others[i] != s)
            closesocket(others[i]);
    return fresh == s ? fresh : INVALID_SOCKET;
}

static void numbers_that_come_again(void)
{
    const uint32_t masks[] = { PLX_IN, PLX_OUT, PLX_IN | PLX_OUT };
    int seen = 0;
    for (int i = 0; i < 36; i++) {
        uint32_t had = masks[i % 3], want = masks[i / 3 % 3];
        int is_known = i / 9 % 2, by_another_thread = i / 18;
        plx_set *set = opened();
        plx_event e[4];
        struct sockaddr_in address;
        SOCKET s = reused(set, had, by_another_thread, &address);
        if (s != INVALID_SOCKET) {
            seen++;
            EXPECT((is_known ? modify(set, s, 2, want) : add(set, s, 2, want)) == 0);
            EXPECT(plx_await(set, e, 4, 0) == (want & PLX_OUT ? 1 : 0));
            send_to(s, &address);
            for (int round = 0; round < 3; round++)
                EXPECT((reported(set, s, 2, 2000 * MILLIS) & want) != 0);
            EXPECT(forget(set, s) == 0);
            EXPECT(plx_await(set, e, 4, 0) == 0);
            closesocket(s);
        }
        plx_close(set);
    }
    EXPECT(seen > 0);
}

/* The kernel says so only once an await has seen that the first one was closed. */
static void a_number_that_is_not_watched(void)
{
    plx_set *set = opened();
    plx_event e[4];
    struct sockaddr_in address;
    SOCKET s = reused(set, PLX_IN, 0, &address);
    EXPECT(plx_await(set, e, 4, 20 * MILLIS) == 0);
    if (s != INVALID_SOCKET) {
        send_to(s, &address);
        EXPECT(plx_await(set, e, 4, 20 * MILLIS) == 0);
        EXPECT(modify(set, s, 2, PLX_IN) == ERROR_NOT_FOUND);
        EXPECT(plx_await(set, e, 4, 20 * MILLIS) == 0);
        EXPECT(add(set, s, 2, PLX_IN) == 0);
        EXPECT(modify(set, s, 3, PLX_OUT) == 0);
        EXPECT(reported(set, s, 3, 0) == PLX_OUT);
        EXPECT(forget(set, s) == 0);
        closesocket(s);
    }
    plx_close(set);
}

typedef struct {
    plx_set *set;
    HANDLE submitted, done;
} other;

static DWORD WINAPI submit(void *argument)
{
    other *o = argument;
    plx_event e[64];
    int n = plx_await(o->set, e, 64, 2 * MILLIS);
    SetEvent(o->submitted);
    WaitForSingleObject(o->done, INFINITE);
    return (DWORD)n;
}

static void polls_of_another_thread(void)
{
    SOCKET s[40];
    struct sockaddr_in address;
    plx_event e[4];
    for (int i = 0; i < 40; i++)
        s[i] = bound(SOCK_DGRAM, &address);
    for (int round = 0; round < 50; round++) {
        other o = { opened(), CreateEvent(NULL, FALSE, FALSE, NULL), CreateEvent(NULL, FALSE, FALSE, NULL) };
        for (int i = 0; i < 40; i++)
            EXPECT(add(o.set, s[i], 1, PLX_IN) == 0);
        HANDLE thread = CreateThread(NULL, 0, submit, &o, 0, NULL);
        WaitForSingleObject(o.submitted, INFINITE);
        EXPECT(modify(o.set, s[0], 1, PLX_OUT) == 0);
        EXPECT(plx_await(o.set, e, 4, 0) == 1 && e[0].events == PLX_OUT);
        plx_close(o.set);
        EXPECT(HeapValidate(GetProcessHeap(), 0, NULL));
        SetEvent(o.done);
        WaitForSingleObject(thread, INFINITE);
        EXPECT(HeapValidate(GetProcessHeap(), 0, NULL));
        CloseHandle(thread);
        CloseHandle(o.submitted);
        CloseHandle(o.done);
    }
    for (int i = 0; i < 40; i++)
        closesocket(s[i]);
}

static void cookies(void)
{
    plx_set *set = opened();
    const uint64_t tried[] = { 0, 1, (uintptr_t)set, UINT32_MAX, (uint64_t)1 << 32, INT64_MAX, (uint64_t)1 << 63,
                               UINT64_MAX - 2, UINT64_MAX - 1 };
    plx_event e[4];
    struct sockaddr_in address;
    SOCKET s = bound(SOCK_DGRAM, &address);
    for (int i = 0; i < 18; i++) {
        uint64_t given = tried[i % 9];
        EXPECT((i < 9 ? plx_add : plx_modify)(set, (intptr_t)s, PLX_OUT, given) == 0);
        EXPECT(plx_await(set, e, 4, -1) == 1 && e[0].cookie == given && e[0].events == PLX_OUT && e[0].error == 0);
    }
    EXPECT(plx_modify(set, (intptr_t)s, PLX_OUT, 0) == 0);
    EXPECT(plx_wakeup(set) == 0);
    EXPECT(plx_await(set, e, 4, -1) == 2 && e[0].cookie == 0 && e[1].cookie == 0 &&
           (e[0].events | e[1].events) == (PLX_OUT | PLX_WAKEUP));
    closesocket(s);
    plx_close(set);
}

/* What is refused adds nothing, and changes nothing that was there. */
static void expect_refused(SOCKET s, uint32_t want, uint64_t given, int code)
{
    plx_set *set = opened();
    plx_event e[4];
    EXPECT(plx_add(set, (intptr_t)s, want, given) == -code);
    EXPECT(plx_await(set, e, 4, 0) == 0);
    EXPECT(modify(set, s, 1, PLX_OUT) == ERROR_NOT_FOUND);
    EXPECT(add(set, s, 2, PLX_OUT) == 0);
    EXPECT(plx_add(set, (intptr_t)s, want, given) == -code);
    EXPECT(plx_modify(set, (intptr_t)s, want, given) == -code);
    EXPECT(reported(set, s, 2, 0) == PLX_OUT);
    plx_close(set);
}

static void refusals(void)
{
    const uint32_t unasked = PLX_ERR | PLX_HUP | PLX_NVAL;
    const uint32_t known = PLX_IN | PLX_PRI | PLX_OUT | unasked | PLX_RDHUP | PLX_ONESHOT | PLX_EDGE;
    struct sockaddr_in address;
    SOCKET s = bound(SOCK_DGRAM, &address);
    plx_set *set = opened();
    plx_event e[4];
    for (int bit = 0; bit < 32; bit++)
        if (!(known >> bit & 1))
            expect_refused(s, PLX_OUT | (uint32_t)1 << bit, 1, WSAEINVAL);
    expect_refused(s, PLX_OUT, PLX_NO_COOKIE, WSAEINVAL);
    expect_refused(s, PLX_OUT | PLX_ONESHOT, 1, WSAEOPNOTSUPP);
    expect_refused(s, PLX_OUT | PLX_EDGE, 1, WSAEOPNOTSUPP);

    HANDLE file = CreateFileA("NUL", GENERIC_READ, 0, NULL, OPEN_EXISTING, 0, NULL);
    EXPECT(plx_add(set, (intptr_t)file, PLX_IN, 1) == -WSAENOTSOCK);
    EXPECT(plx_add(set, -1, PLX_IN, 1) == -WSAENOTSOCK);
    EXPECT(plx_remove(set, -1) == 0);
    EXPECT(plx_is_open((intptr_t)file) == 0);
    EXPECT(plx_is_open((intptr_t)s) == 1);
    EXPECT(plx_is_open(-1) == 0);
    EXPECT(plx_await(set, e, 0, 0) == -WSAEINVAL);
    EXPECT(plx_await(set, e, -1, -1) == -WSAEINVAL);
    EXPECT(plx_await(set, e, 4, 0) == 0);
    CloseHandle(file);
    closesocket(s);
    EXPECT(plx_is_open((intptr_t)s) == 0);
    plx_close(set);
    EXPECT(plx_open("epoll", &set) == -ERROR_NOT_SUPPORTED && set == NULL);
    plx_close(NULL);
}

static void what_is_not_there(void)
{
    plx_set *set = opened();
    plx_event e[4];
    struct sockaddr_in address;
    SOCKET s = bound(SOCK_DGRAM, &address);
    EXPECT(modify(set, s, 1, PLX_OUT) == ERROR_NOT_FOUND);
    EXPECT(forget(set, s) == 0);
    for (uint32_t gen = 1; gen < 10; gen++) {
        EXPECT(add(set, s, gen, PLX_OUT) == 0);
        if (gen % 2 == 0)
            EXPECT(reported(set, s, gen, 0) == PLX_OUT);
        EXPECT(forget(set, s) == 0);
        EXPECT(modify(set, s, gen, PLX_OUT) == ERROR_NOT_FOUND);
        EXPECT(plx_await(set, e, 4, 0) == 0);
    }
    EXPECT(add(set, s, 10, PLX_OUT) == 0);
    EXPECT(add(set, s, 11, PLX_OUT) == 0); /* of what is there replaces it */
    EXPECT(reported(set, s, 11, 0) == PLX_OUT);
    closesocket(s);
    EXPECT(plx_await(set, e, 4, 20 * MILLIS) == 0); /* forgotten */
    plx_close(set);
}

static void connections(void)
{
    static char block[65536];
    plx_set *set = opened();
    plx_event e[4];
    SOCKET ends[2];
    struct sockaddr_in address, ignored;
    connected(ends);
    EXPECT(add(set, ends[1], 1, PLX_IN) == 0);
    EXPECT(plx_await(set, e, 4, 0) == 0);
    EXPECT(modify(set, ends[1], 2, PLX_IN | PLX_OUT) == 0);
    EXPECT(reported(set, ends[1], 2, -1) == PLX_OUT);
    EXPECT(send(ends[0], "x", 1, 0) == 1);
    EXPECT(modify(set, ends[1], 3, PLX_IN) == 0);
    EXPECT(reported(set, ends[1], 3, -1) == PLX_IN);
    EXPECT(recv(ends[1], block, sizeof block, 0) == 1);
    EXPECT(plx_await(set, e, 4, 0) == 0);

    while (send(ends[1], block, sizeof block, 0) > 0)
        continue;
    EXPECT(modify(set, ends[1], 4, PLX_OUT) == 0);
    EXPECT(plx_await(set, e, 4, 20 * MILLIS) == 0);
    for (int n; (n = recv(ends[0], block, sizeof block, 0)) != 0 && reported(set, ends[1], 4, 20 * MILLIS) == 0;)
        continue;
    EXPECT(reported(set, ends[1], 4, -1) == PLX_OUT);

    EXPECT(modify(set, ends[1], 5, PLX_IN | PLX_RDHUP) == 0);
    EXPECT(plx_await(set, e, 4, 0) == 0);
    shutdown(ends[0], SD_SEND);
    EXPECT(reported(set, ends[1], 5, -1) == (PLX_IN | PLX_RDHUP));
    EXPECT(modify(set, ends[1], 6, PLX_IN) == 0);
    EXPECT(reported(set, ends[1], 6, -1) == PLX_IN);
    EXPECT(forget(set, ends[1]) == 0);
    closesocket(ends[0]);
    closesocket(ends[1]);

    SOCKET listener = bound(SOCK_STREAM, &address), client = bound(SOCK_STREAM, &ignored);
    EXPECT(listen(listener, 1) == 0);
    EXPECT(add(set, listener, 7, PLX_IN) == 0);
    EXPECT(plx_await(set, e, 4, 0) == 0);
    connect(client, (struct sockaddr *)&address, sizeof address);
    EXPECT(reported(set, listener, 7, -1) == PLX_IN);
    EXPECT(forget(set, listener) == 0);
    EXPECT(add(set, client, 8, PLX_OUT) == 0);
    EXPECT(reported(set, client, 8, -1) == PLX_OUT);
    closesocket(listener);
    closesocket(client);
    plx_close(set);
}

static void errors(void)
{
    plx_set *set = opened();
    plx_event e[4];
    SOCKET ends[2];
    struct linger at_once = { 1, 0 };
    connected(ends);
    EXPECT(add(set, ends[1], 1, 0) == 0);
    EXPECT(send(ends[0], "x", 1, 0) == 1);
    EXPECT(plx_await(set, e, 4, 20 * MILLIS) == 0);
    setsockopt(ends[0], SOL_SOCKET, SO_LINGER, (const char *)&at_once, sizeof at_once);
    closesocket(ends[0]);
    EXPECT((reported(set, ends[1], 1, 2000 * MILLIS) & (PLX_ERR | PLX_HUP)) != 0);
    EXPECT(modify(set, ends[1], 2, PLX_IN) == 0);
    EXPECT((reported(set, ends[1], 2, 2000 * MILLIS) & (PLX_IN | PLX_ERR | PLX_HUP)) != 0);
    closesocket(ends[1]);
    plx_close(set);
}

/* Nobody starves where there is less room than is ready. */
static void little_room(void)
{
    enum { READY = 20 };
    plx_set *set = opened();
    SOCKET s[READY];
    struct sockaddr_in address;
    plx_event e[READY + 1];
    for (int i = 0; i < READY; i++) {
        s[i] = bound(SOCK_DGRAM, &address);
        EXPECT(plx_add(set, (intptr_t)s[i], PLX_OUT, (uint64_t)i) == 0);
    }
    for (int room = 1; room <= READY; room += 3) {
        int seen[READY] = { 0 };
        for (int round = 0; round < 2 * READY; round++) {
            e[room].cookie = 4711;
            int n = plx_await(set, e, room, 0);
            EXPECT(n >= 1 && n <= room && e[room].cookie == 4711);
            for (int i = 0; i < n; i++)
                seen[e[i].cookie % READY]++;
        }
        for (int i = 0; i < READY; i++)
            EXPECT(seen[i] > 0);
    }
    for (int i = 0; i < READY; i++)
        closesocket(s[i]);
    plx_close(set);
}

typedef struct {
    plx_set *set;
    LONG volatile acknowledged;
    int number; /* plain: nothing but plx_wakeup and plx_await orders it */
} writing;

static DWORD WINAPI write_and_wake(void *argument)
{
    writing *w = argument;
    for (LONG i = 1; i <= 2000; i++) {
        w->number = i;
        plx_wakeup(w->set);
        while (InterlockedCompareExchange(&w->acknowledged, 0, 0) < i)
            Sleep(0);
    }
    return 0;
}

static void memory_order(void)
{
    writing w = { opened(), 0, 0 };
    plx_event e[4];
    HANDLE thread = CreateThread(NULL, 0, write_and_wake, &w, 0, NULL);
    for (LONG i = 1; i <= 2000; i++) {
        EXPECT(plx_await(w.set, e, 4, -1) == 1 && is_wakeup(e[0]));
        EXPECT(w.number == i);
        InterlockedExchange(&w.acknowledged, i);
    }
    WaitForSingleObject(thread, INFINITE);
    CloseHandle(thread);
    plx_close(w.set);
}

static void two_sets(void)
{
    plx_set *one = opened(), *two = opened();
    plx_event e[4];
    struct sockaddr_in address;
    SOCKET s = bound(SOCK_DGRAM, &address);
    EXPECT(add(one, s, 1, PLX_OUT) == 0);
    EXPECT(add(two, s, 2, PLX_IN) == 0);
    EXPECT(plx_wakeup(two) == 0);
    EXPECT(reported(one, s, 1, -1) == PLX_OUT);
    EXPECT(plx_await(two, e, 4, -1) == 1 && is_wakeup(e[0]));
    send_to(s, &address);
    EXPECT(reported(two, s, 2, -1) == PLX_IN);
    plx_close(one);
    EXPECT(reported(two, s, 2, -1) == PLX_IN);
    plx_close(two);
    closesocket(s);
}

static void words(void)
{
    char text[200];
    plx_set *set = opened();
    EXPECT(plx_version() == PLX_VERSION);
    EXPECT(strcmp(plx_mechanisms(), "wepoll") == 0);
    EXPECT(strcmp(plx_name(set), "wepoll") == 0);
    EXPECT(plx_features(set)[0] != 0 && plx_change_call(set)[0] != 0 && plx_await_call(set)[0] != 0);
    EXPECT(plx_caps(set) == PLX_CAP_MERGED);
    EXPECT(plx_handle(set) == -1);
    plx_close(set);
    EXPECT(strstr(plx_strerror(WSAENOTSOCK, text, sizeof text), "WSAENOTSOCK") != NULL);
    EXPECT(strstr(plx_strerror(WSAEOPNOTSUPP, text, sizeof text), "WSAEOPNOTSUPP") != NULL);
    EXPECT(strstr(plx_strerror(ERROR_NOT_FOUND, text, sizeof text), "ERROR_NOT_FOUND") != NULL);
    EXPECT(strlen(plx_strerror(ERROR_DISK_FULL, text, sizeof text)) > strlen("error (error 112)"));
    EXPECT(strlen(plx_strerror(WSAENOBUFS, text, 8)) == 7);
}

static const check tests[] = {
    { "an await never ends before its timeout", timeouts },
    { "a wakeup is sticky, coalesced, reported once, and hides nothing", wakeups },
    { "what is changed is in force at once, what is removed is gone", changes },
    { "a socket with the number of one that was closed is watched", numbers_that_come_again },
    { "a number is not watched if its socket is known to have been closed", a_number_that_is_not_watched },
    { "what was never added, or was removed, cannot be modified; what is there is replaced", what_is_not_there },
    { "every cookie comes back, that of wakeups too", cookies },
    { "what is refused adds nothing and changes nothing", refusals },
    { "connections are made, readable, writable, half closed", connections },
    { "an error is reported unasked", errors },
    { "little room for events starves nobody", little_room },
    { "what was written before a wakeup is seen by whom it is reported to", memory_order },
    { "two sets watch one socket independently", two_sets },
    { "out-of-band data is reported until it is discarded, and is no other data", out_of_band },
    { "polls of another thread are changed, and are over when their memory is freed", polls_of_another_thread },
    { "codes have words", words },
};

int main(void)
{
    return run_checks(tests, sizeof tests / sizeof *tests);
}
