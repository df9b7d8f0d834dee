/* SPDX-License-Identifier: Apache-2.0
 *
 * check.c: pollux.h on Windows, without Java: what only wepoll can get wrong. Prints what
 * failed, and last "N passed, N failed".
 */
#include "pollux.h"

#include <winsock2.h>
#include <ws2tcpip.h>

#include <stdio.h>
#include <string.h>

#define EXPECT(what) expect(what, #what, __LINE__)

static int wrong; /* expectations of the running test that did not hold */
static const int64_t MILLIS = 1000000;

static void expect(int holds, const char *what, int line)
{
    if (!holds) {
        wrong++;
        printf("line %d: not so: %s\n", line, what);
    }
}

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

/* One change: 0, or the code it was refused with. */
static int change(plx_set *set, SOCKET s, uint32_t gen, uint32_t had, uint32_t want)
{
    plx_change c = { (int32_t)s, gen, had, want };
    plx_event refused;
    return plx_update(set, &c, 1, &refused) > 0 ? refused.error : 0;
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
        EXPECT(plx_await(set, e, 4, -1) == 1 && e[0].fd == PLX_WAKE);
        EXPECT(plx_await(set, e, 4, 0) == 0);
    }
    double start = now_millis();
    EXPECT(plx_await(set, e, 4, 40 * MILLIS) == 0); /* a packet that is left over does not end it */
    EXPECT(now_millis() - start >= 40);
    HANDLE thread = CreateThread(NULL, 0, wake_later, set, 0, NULL);
    EXPECT(plx_await(set, e, 4, -1) == 1 && e[0].fd == PLX_WAKE);
    WaitForSingleObject(thread, INFINITE);
    CloseHandle(thread);

    struct sockaddr_in address;
    SOCKET s = bound(SOCK_DGRAM, &address);
    EXPECT(change(set, s, 1, 0, PLX_OUT) == 0);
    EXPECT(plx_wakeup(set) == 0);
    EXPECT(plx_await(set, e, 4, -1) == 2); /* a wakeup hides nothing */
    EXPECT(plx_wakeup(set) == 0);
    EXPECT(change(set, s, 1, PLX_OUT, 0) == 0); /* looks into the port, where the packet is */
    EXPECT(plx_await(set, e, 4, -1) == 1 && e[0].fd == PLX_WAKE);
    closesocket(s);
    plx_close(set);
}

static void changes(void)
{
    plx_set *set = opened();
    plx_event e[4];
    struct sockaddr_in one, two;
    SOCKET a = bound(SOCK_DGRAM, &one), b = bound(SOCK_DGRAM, &two);
    EXPECT(change(set, a, 7, 0, PLX_IN) == 0);
    EXPECT(plx_await(set, e, 4, 0) == 0);
    EXPECT(change(set, a, 7, PLX_IN, PLX_OUT) == 0); /* while a poll for reading is pending */
    EXPECT(plx_await(set, e, 4, 0) == 1 && e[0].fd == (int32_t)a && e[0].gen == 7 && e[0].events == PLX_OUT);
    EXPECT(change(set, a, 8, 0, PLX_IN) == 0);       /* registered already: modified */
    EXPECT(change(set, b, 9, PLX_OUT, PLX_IN) == 0); /* not registered: added */
    EXPECT(plx_await(set, e, 4, 0) == 0);
    send_to(b, &one);
    EXPECT(plx_await(set, e, 4, -1) == 1 && e[0].gen == 8 && e[0].events == PLX_IN);
    EXPECT(plx_await(set, e, 4, -1) == 1); /* level-triggered */
    EXPECT(change(set, a, 8, PLX_IN, 0) == 0);
    EXPECT(change(set, a, 8, PLX_IN, 0) == 0); /* gone already */
    EXPECT(plx_await(set, e, 4, 0) == 0);
    closesocket(a);
    EXPECT(change(set, a, 8, PLX_IN, 0) == 0);
    EXPECT(plx_await(set, e, 4, 10 * MILLIS) == 0);
    EXPECT(change(set, b, 9, PLX_IN, 0) == 0);
    closesocket(b);

    SOCKET c = bound(SOCK_DGRAM, &one);
    EXPECT(change(set, c, 10, 0, PLX_IN) == 0);
    closesocket(c); /* before there was a poll that could tell */
    EXPECT(change(set, c, 10, PLX_IN, PLX_OUT) == WSAENOTSOCK);
    EXPECT(change(set, c, 10, PLX_IN, 0) == 0);
    EXPECT(change(set, c, 10, 0, PLX_IN) == WSAENOTSOCK);
    plx_close(set);
}

static void urgent(void)
{
    plx_set *set = opened();
    plx_event e[4];
    SOCKET ends[2];
    char data[4];
    connected(ends);
    EXPECT(change(set, ends[1], 1, 0, PLX_IN) == 0);
    EXPECT(plx_await(set, e, 4, 0) == 0);
    EXPECT(send(ends[0], "!", 1, MSG_OOB) == 1);
    EXPECT(plx_await(set, e, 4, -1) == 1 && (e[0].events & PLX_PRI) != 0);
    EXPECT(plx_discard_oob((intptr_t)ends[1]) == 1);
    EXPECT(plx_discard_oob((intptr_t)ends[1]) == 0);
    EXPECT(plx_await(set, e, 4, 20 * MILLIS) == 0);
    EXPECT(send(ends[0], "x", 1, 0) == 1);
    EXPECT(plx_await(set, e, 4, -1) == 1 && e[0].events == PLX_IN);
    EXPECT(plx_discard_oob((intptr_t)ends[1]) == 0);
    EXPECT(recv(ends[1], data, sizeof data, 0) == 1 && data[0] == 'x');
    EXPECT(change(set, ends[1], 1, PLX_IN, 0) == 0);
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
    EXPECT(change(set, s, 1, 0, had) == 0);
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
            EXPECT(change(set, s, 2, is_known ? had : 0, want) == 0);
            EXPECT(plx_await(set, e, 4, 0) == (want & PLX_OUT ? 1 : 0));
            send_to(s, &address);
            for (int round = 0; round < 3; round++)
                EXPECT(plx_await(set, e, 4, 2000 * MILLIS) == 1 && e[0].fd == (int32_t)s && e[0].gen == 2 &&
                       (e[0].events & want) != 0);
            EXPECT(change(set, s, 2, want, 0) == 0);
            EXPECT(plx_await(set, e, 4, 0) == 0);
            closesocket(s);
        }
        plx_close(set);
    }
    EXPECT(seen > 0);
}

/* The kernel says so only once an await has seen that the first one was closed. */
static void a_certain_change(void)
{
    plx_set *set = opened();
    plx_event e[4];
    struct sockaddr_in address;
    SOCKET s = reused(set, PLX_IN, 0, &address);
    EXPECT(plx_await(set, e, 4, 20 * MILLIS) == 0);
    if (s != INVALID_SOCKET) {
        EXPECT(change(set, s, 2, PLX_IN, PLX_IN | PLX_CERTAIN) == ERROR_NOT_FOUND);
        send_to(s, &address);
        EXPECT(plx_await(set, e, 4, 20 * MILLIS) == 0);
        EXPECT(change(set, s, 2, PLX_IN, PLX_IN) == 0);
        EXPECT(change(set, s, 3, PLX_IN, PLX_OUT | PLX_CERTAIN) == 0);
        EXPECT(plx_await(set, e, 4, 0) == 1 && e[0].gen == 3 && e[0].events == PLX_OUT);
        EXPECT(change(set, s, 3, PLX_OUT, 0) == 0);
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
            EXPECT(change(o.set, s[i], 1, 0, PLX_IN) == 0);
        HANDLE thread = CreateThread(NULL, 0, submit, &o, 0, NULL);
        WaitForSingleObject(o.submitted, INFINITE);
        EXPECT(change(o.set, s[0], 1, PLX_IN, PLX_OUT) == 0);
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

static void words(void)
{
    char text[200];
    EXPECT(strcmp(plx_mechanisms(), "wepoll") == 0);
    EXPECT(strstr(plx_strerror(WSAENOTSOCK, text, sizeof text), "WSAENOTSOCK") != NULL);
    EXPECT(strlen(plx_strerror(ERROR_DISK_FULL, text, sizeof text)) > strlen("error (error 112)"));
    EXPECT(strlen(plx_strerror(WSAENOBUFS, text, 8)) == 7);
}

static const struct {
    const char *name;
    void (*run)(void);
} tests[] = {
    { "an await never ends before its timeout", timeouts },
    { "a wakeup is sticky, coalesced, reported once, and hides nothing", wakeups },
    { "what is changed is in force at once, what is removed is gone", changes },
    { "a socket with the number of one that was closed is watched", numbers_that_come_again },
    { "a certain change is refused if the socket is known to have been closed", a_certain_change },
    { "urgent data is reported until it is discarded, and is no other data", urgent },
    { "polls of another thread are changed, and are over when their memory is freed", polls_of_another_thread },
    { "codes have words", words },
};

int main(void)
{
    const int count = sizeof tests / sizeof *tests;
    int failed = 0;
    WSADATA data;
    WSAStartup(MAKEWORD(2, 2), &data);
    for (int i = 0; i < count; i++) {
        wrong = 0;
        tests[i].run();
        printf("%s: %s\n", wrong == 0 ? "ok" : "FAILED", tests[i].name);
        failed += wrong != 0;
    }
    printf("%d passed, %d failed\n", count - failed, failed);
    return failed != 0;
}
