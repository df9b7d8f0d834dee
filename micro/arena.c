// SPDX-License-Identifier: Apache-2.0
/*
 * What an arena costs: an echo or HTTP server on arena.h, or on a plain loop of epoll_wait, recv and send, in a
 * process of its own, and peers that ask again when they are answered, or so many times in a second. Prints one line
 * of JSON: requests, the server's processor time and system calls for each.
 *
 *   arena --server=io_uring --connections=1000 --seconds=5          io_uring, epoll, poll: on arena.h
 *   arena --server=loop --connections=1000 --seconds=5              its floor: the plain loop
 *   arena ... --http --rate=3000 --server-cpu=0 --load-cpu=1 --depth=16
 *   arena --server=io_uring --serve --connections=1000              for other peers: prints its port, and serves
 *
 *   make -C src/main/native library OUT=DIR
 *   cc -std=c11 -O2 -Wall -Wextra -Wpedantic -Werror -pthread -IDIR micro/arena.c DIR/libpollux.a -o DIR/arena
 */
#define _GNU_SOURCE
#include "arena.h"

#include <argp.h>
#include <arpa/inet.h>
#include <err.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { EVENTS = 1024, BUFFER = 4096, BODY = 1024, LONGEST = 65536, ECHO = 64 };

typedef struct {
    const char *server;
    int connections, seconds, rate, depth, server_cpu, load_cpu, buffers;
    bool http, serves;
} options;

/* What the server tells of itself. */
typedef struct {
    volatile uint64_t requests, system_calls, turns, starved;
    char features[256];
} figures;

static options o = { "io_uring", .connections = 64, .seconds = 2, .depth = 1, .server_cpu = -1, .load_cpu = -1 };
static figures *told;
static const char asking[] = "GET /page HTTP/1.1\r\nHost: localhost\r\nUser-Agent: arena\r\n\r\n";
static char page[BODY + 256];
static int page_length, request_length, reply_length;
static const char *request;

static int64_t now(clockid_t clock)
{
    struct timespec t;
    if (clock_gettime(clock, &t) != 0)
        err(1, "clock_gettime");
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static int checked(const char *what, int result)
{
    if (result < 0)
        err(1, "%s", what);
    return result;
}

static void pin(int cpu)
{
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(cpu, &set);
    if (cpu >= 0)
        checked("sched_setaffinity", sched_setaffinity(0, sizeof set, &set));
}

static void make_page(void)
{
    page_length = snprintf(page, sizeof page, "HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n", BODY);
    memset(page + page_length, 'x', BODY);
    page_length += BODY;
    request = o.http ? asking : page; /* an echo of some bytes */
    request_length = o.http ? (int)sizeof asking - 1 : ECHO;
    reply_length = o.http ? page_length : ECHO;
}

static int listener(int *port)
{
    struct sockaddr_in address = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
    socklen_t length = sizeof address;
    int on = 1, fd = checked("socket", socket(AF_INET, SOCK_STREAM, 0));
    checked("setsockopt", setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on));
    checked("bind", bind(fd, (struct sockaddr *)&address, length));
    checked("listen", listen(fd, 4096));
    checked("getsockname", getsockname(fd, (struct sockaddr *)&address, &length));
    *port = ntohs(address.sin_port);
    return fd;
}

/* ---- the servers ---- */

/* The length of the request that bytes begin with, 0 if it is not complete. */
static size_t request_end(const char *bytes, size_t length)
{
    if (!o.http)
        return length >= ECHO ? ECHO : 0;
    const char *end = memmem(bytes, length, "\r\n\r\n", 4);
    return end != NULL ? (size_t)(end - bytes) + 4 : 0;
}

static int answer(const plx_arrival *a, plx_order *orders)
{
    const char *bytes = (const char *)(uintptr_t)a->address;
    size_t left = a->length, used;
    int count = 0;
    for (; left > 0 && (used = request_end(bytes, left)) > 0; bytes += used, left -= used, told->requests++) {
        if (o.http)
            orders[count++] = (plx_order){ a->connection, (uintptr_t)page, (uint32_t)page_length,
                                           PLX_ORDER_SEND | PLX_ORDER_RESIDENT };
        else
            orders[count++] = (plx_order){ a->connection, (uintptr_t)bytes, (uint32_t)used, PLX_ORDER_SEND };
    }
    if (left > 0)
        orders[count++] = (plx_order){ a->connection, (uintptr_t)bytes, (uint32_t)left, PLX_ORDER_KEEP };
    return count;
}

static void serve_arena(int fd)
{
    plx_arena *arena;
    plx_arena_view v;
    plx_arena_counts counts;
    plx_arena_sizes sizes = { .connections = (uint32_t)o.connections + 1, .buffers = (uint32_t)o.buffers };
    int orders = 0, n, code = plx_arena_open(o.server, &sizes, &arena);
    if (code < 0)
        errx(1, "plx_arena_open: %s", plx_strerror(-code, (char[256]){ 0 }, 256));
    snprintf(told->features, sizeof told->features, "%s", plx_arena_features(arena));
    plx_arena_map(arena, &v);
    if (plx_arena_listen(arena, fd) < 0)
        errx(1, "plx_arena_listen");
    while ((n = plx_arena_turn(arena, orders, -1)) >= 0 || n == -EINTR) {
        orders = 0;
        for (int i = 0; i < n; i++) {
            const plx_arrival *a = &v.arrivals[i];
            if (a->what == PLX_ARRIVAL_DATA)
                orders += answer(a, v.orders + orders);
            else if (a->what == PLX_ARRIVAL_END || a->what == PLX_ARRIVAL_ERROR)
                v.orders[orders++] = (plx_order){ a->connection, 0, 0, PLX_ORDER_CLOSE };
        }
        plx_arena_count(arena, &counts);
        told->system_calls = counts.system_calls;
        told->turns = counts.turns;
        told->starved = counts.starved;
    }
    errx(1, "plx_arena_turn: %s", plx_strerror(-n, (char[256]){ 0 }, 256));
}

/* Requests and replies are never split here, so that the floor has nothing to keep. */
static void serve_one(int epfd, int fd)
{
    char bytes[LONGEST], replies[LONGEST];
    ssize_t n = recv(fd, bytes, sizeof bytes, MSG_DONTWAIT);
    size_t length = 0, used;
    told->system_calls++;
    if (n <= 0) {
        close(fd);
        return;
    }
    for (size_t at = 0; at < (size_t)n && (used = request_end(bytes + at, (size_t)n - at)) > 0; at += used) {
        if (o.http && (size_t)n > used)
            memcpy(replies + length, page, (size_t)page_length);
        length += (size_t)reply_length;
        told->requests++;
    }
    const char *from = !o.http ? bytes : length > (size_t)page_length ? replies : page;
    if (send(fd, from, length, MSG_DONTWAIT | MSG_NOSIGNAL) != (ssize_t)length)
        close(fd);
    told->system_calls++;
    (void)epfd;
}

static void serve_loop(int fd)
{
    struct epoll_event events[EVENTS], event = { .events = EPOLLIN, .data.fd = fd };
    int epfd = checked("epoll_create1", epoll_create1(0));
    checked("epoll_ctl", epoll_ctl(epfd, EPOLL_CTL_ADD, fd, &event));
    for (;;) {
        int n = epoll_wait(epfd, events, EVENTS, -1);
        told->system_calls++;
        told->turns++;
        for (int i = 0; i < n; i++) {
            if (events[i].data.fd != fd) {
                serve_one(epfd, events[i].data.fd);
                continue;
            }
            event.data.fd = accept4(fd, NULL, NULL, SOCK_NONBLOCK);
            checked("epoll_ctl", epoll_ctl(epfd, EPOLL_CTL_ADD, event.data.fd, &event));
        }
    }
}

static void serve(int fd)
{
    if (strcmp(o.server, "loop") == 0)
        serve_loop(fd);
    else
        serve_arena(fd);
}

/* ---- the peers ---- */

typedef struct {
    int fd, awaited; /* bytes of replies that are to come */
} peer;

static peer *peers;
static uint64_t answered;

static void ask(peer *p)
{
    char requests[LONGEST];
    for (int k = 0; k < o.depth; k++)
        memcpy(requests + k * request_length, request, (size_t)request_length);
    int length = o.depth * request_length;
    if (send(p->fd, requests, (size_t)length, MSG_NOSIGNAL) != length)
        err(1, "send");
    p->awaited = o.depth * reply_length;
}

/* True if the peer's replies are complete. */
static bool hear(peer *p)
{
    char bytes[LONGEST];
    ssize_t n = recv(p->fd, bytes, sizeof bytes, MSG_DONTWAIT);
    if (n <= 0)
        err(1, "recv");
    p->awaited -= (int)n;
    if (p->awaited > 0)
        return false;
    answered += (uint64_t)o.depth;
    return true;
}

static void connect_all(int epfd, int port)
{
    struct sockaddr_in address = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK),
                                   .sin_port = htons((uint16_t)port) };
    int on = 1;
    peers = calloc((size_t)o.connections, sizeof *peers);
    for (int i = 0; i < o.connections; i++) {
        struct epoll_event event = { .events = EPOLLIN, .data.ptr = &peers[i] };
        peers[i].fd = checked("socket", socket(AF_INET, SOCK_STREAM, 0));
        checked("setsockopt", setsockopt(peers[i].fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on));
        checked("connect", connect(peers[i].fd, (struct sockaddr *)&address, sizeof address));
        checked("epoll_ctl", epoll_ctl(epfd, EPOLL_CTL_ADD, peers[i].fd, &event));
    }
}

/* Asks as often as the rate says, those that are not waiting for an answer. */
static int ask_paced(int64_t since, uint64_t *asked, int next)
{
    uint64_t due = (uint64_t)((now(CLOCK_MONOTONIC) - since) * (o.rate / 1e9));
    for (int tries = 0; *asked < due && tries < o.connections; tries++, next = (next + 1) % o.connections) {
        if (peers[next].awaited <= 0) {
            ask(&peers[next]);
            ++*asked;
        }
    }
    return next;
}

static void load(int epfd, int64_t until)
{
    struct epoll_event events[EVENTS];
    int64_t since = now(CLOCK_MONOTONIC);
    uint64_t asked = 0;
    int next = 0;
    for (int i = 0; i < o.connections && o.rate == 0; i++)
        if (peers[i].awaited <= 0)
            ask(&peers[i]);
    while (now(CLOCK_MONOTONIC) < until) {
        if (o.rate > 0)
            next = ask_paced(since, &asked, next);
        struct timespec shortly = { 0, o.rate > 0 ? 100000 : 100000000 };
        int n = epoll_pwait2(epfd, events, EVENTS, &shortly, NULL);
        for (int i = 0; i < n; i++)
            if (hear(events[i].data.ptr) && o.rate == 0)
                ask(events[i].data.ptr);
    }
}

static void report(pid_t server, int port)
{
    int epfd = checked("epoll_create1", epoll_create1(0));
    clockid_t clock;
    pin(o.load_cpu);
    connect_all(epfd, port);
    load(epfd, now(CLOCK_MONOTONIC) + 500000000); /* a warm start */
    clock_getcpuclockid(server, &clock);
    figures before = *told;
    int64_t start = now(CLOCK_MONOTONIC), cpu = now(clock);
    load(epfd, start + (int64_t)o.seconds * 1000000000);
    cpu = now(clock) - cpu;
    double elapsed = (double)(now(CLOCK_MONOTONIC) - start) / 1e9;
    double requests = (double)(told->requests - before.requests);
    printf("{\"server\":\"%s\",\"protocol\":\"%s\",\"connections\":%d,\"depth\":%d,\"rate\":%d,\"requests\":%.0f,"
           "\"per_second\":%.0f,\"cpu_ns\":%.0f,\"system_calls\":%.3f,\"batch\":%.1f,\"starved\":%.4f,"
           "\"features\":\"%s\"}\n",
           o.server, o.http ? "http" : "echo", o.connections, o.depth, o.rate, requests, requests / elapsed,
           (double)cpu / requests, (double)(told->system_calls - before.system_calls) / requests,
           requests / (double)(told->turns - before.turns), (double)(told->starved - before.starved) / requests,
           told->features);
}

static error_t parse(int key, char *value, struct argp_state *state)
{
    switch (key) {
    case 's': o.server = value; return 0;
    case 'c': o.connections = atoi(value); return 0;
    case 't': o.seconds = atoi(value); return 0;
    case 'r': o.rate = atoi(value); return 0;
    case 'd': o.depth = atoi(value); return 0;
    case 'b': o.buffers = atoi(value); return 0;
    case 'x': o.server_cpu = atoi(value); return 0;
    case 'y': o.load_cpu = atoi(value); return 0;
    case 'h': o.http = true; return 0;
    case 'l': o.serves = true; return 0;
    default: (void)state; return ARGP_ERR_UNKNOWN;
    }
}

int main(int argc, char **argv)
{
    static const struct argp_option known[] = {
        { "server", 's', "NAME", 0, "loop, or a mechanism of arena.h", 0 },
        { "connections", 'c', "N", 0, "64", 0 },
        { "seconds", 't', "N", 0, "2", 0 },
        { "rate", 'r', "N", 0, "requests a second; 0: as many as there can be", 0 },
        { "depth", 'd', "N", 0, "requests that are sent at once", 0 },
        { "buffers", 'b', "N", 0, "receive buffers", 0 },
        { "server-cpu", 'x', "N", 0, "the server's processor", 0 },
        { "load-cpu", 'y', "N", 0, "the peers'", 0 },
        { "serve", 'l', NULL, 0, "has no peers of its own; prints its port", 0 },
        { "http", 'h', NULL, 0, "HTTP with replies of 1 KiB; else an echo of 64 bytes", 0 },
        { 0 }
    };
    const struct argp arguments = { .options = known, .parser = parse };
    struct rlimit files;
    int port;
    argp_parse(&arguments, argc, argv, 0, NULL, NULL);
    getrlimit(RLIMIT_NOFILE, &files);
    files.rlim_cur = files.rlim_max;
    setrlimit(RLIMIT_NOFILE, &files);
    make_page();
    told = mmap(NULL, sizeof *told, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    int fd = listener(&port);
    if (o.serves) {
        printf("%d\n", port);
        fflush(stdout);
        serve(fd);
    }
    pid_t server = checked("fork", fork());
    if (server == 0) {
        pin(o.server_cpu);
        serve(fd);
    }
    report(server, port);
    kill(server, SIGKILL);
    waitpid(server, NULL, 0);
}
