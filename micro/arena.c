// SPDX-License-Identifier: Apache-2.0
/*
 * An echo or HTTP server on arena.h, or on a plain loop of epoll_wait, recv and send. Prints its port, and serves the
 * peers of load.c:
 *
 *   arena io_uring 1000 echo            io_uring, epoll, poll: on arena.h; connections; an echo of 64 bytes
 *   arena loop 1000 http                its floor: the plain loop; replies of 1 KiB
 */
#define _GNU_SOURCE
#include "arena.h"
#include "common.h"

#include <errno.h>
#include <netinet/tcp.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

enum { EVENTS = 1024, BUFFER = 4096, BODY = 1024, LONGEST = 65536, ECHO = 64 };

static const char *mechanism;
static int connections;
static bool http;
static char page[BODY + 256];
static int page_length, reply_length;

static void make_page(void)
{
    page_length = snprintf(page, sizeof page, "HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n", BODY);
    memset(page + page_length, 'x', BODY);
    page_length += BODY;
    reply_length = http ? page_length : ECHO;
}

/* ---- the servers ---- */

/* The length of the request that bytes begin with, 0 if it is not complete. */
static size_t request_end(const char *bytes, size_t length)
{
    if (!http)
        return length >= ECHO ? ECHO : 0;
    const char *end = memmem(bytes, length, "\r\n\r\n", 4);
    return end != NULL ? (size_t)(end - bytes) + 4 : 0;
}

static int answer(const plx_arrival *a, plx_order *orders)
{
    const char *bytes = (const char *)(uintptr_t)a->address;
    size_t left = a->length, used;
    int count = 0;
    for (; left > 0 && (used = request_end(bytes, left)) > 0; bytes += used, left -= used) {
        if (http)
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
    plx_arena_sizes sizes = { .connections = (uint32_t)connections + 1 };
    int orders = 0, n, code = plx_arena_open(mechanism, &sizes, &arena);
    if (code < 0)
        errx(1, "plx_arena_open: %s", plx_strerror(-code, (char[256]){ 0 }, 256));
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
    }
    errx(1, "plx_arena_turn: %s", plx_strerror(-n, (char[256]){ 0 }, 256));
}

/* Requests and replies are never split here, so that the floor has nothing to keep. */
static void serve_one(int fd)
{
    char bytes[LONGEST], replies[LONGEST];
    ssize_t n = recv(fd, bytes, sizeof bytes, MSG_DONTWAIT);
    size_t length = 0, used;
    if (n <= 0) {
        close(fd);
        return;
    }
    for (size_t at = 0; at < (size_t)n && (used = request_end(bytes + at, (size_t)n - at)) > 0; at += used) {
        if (http && (size_t)n > used)
            memcpy(replies + length, page, (size_t)page_length);
        length += (size_t)reply_length;
    }
    const char *from = !http ? bytes : length > (size_t)page_length ? replies : page;
    if (send(fd, from, length, MSG_DONTWAIT | MSG_NOSIGNAL) != (ssize_t)length)
        close(fd);
}

static void serve_loop(int fd)
{
    struct epoll_event events[EVENTS], event = { .events = EPOLLIN, .data.fd = fd };
    int epfd = epoll_create1(0);
    require(epfd >= 0 && epoll_ctl(epfd, EPOLL_CTL_ADD, fd, &event) == 0, "epoll");
    for (;;) {
        int n = epoll_wait(epfd, events, EVENTS, -1);
        for (int i = 0; i < n; i++) {
            if (events[i].data.fd != fd) {
                serve_one(events[i].data.fd);
                continue;
            }
            event.data.fd = accept4(fd, NULL, NULL, SOCK_NONBLOCK);
            require(epoll_ctl(epfd, EPOLL_CTL_ADD, event.data.fd, &event) == 0, "epoll_ctl");
        }
    }
}

int main(int argc, char **argv)
{
    struct sockaddr_in address;
    int on = 1;
    if (argc != 4)
        errx(2, "usage: arena loop|io_uring|epoll|poll CONNECTIONS echo|http");
    mechanism = argv[1];
    connections = atoi(argv[2]);
    http = strcmp(argv[3], "http") == 0;
    raise_limit();
    make_page();
    int fd = listener(&address, 4096);
    require(setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on) == 0, "setsockopt");
    printf("%d\n", ntohs(address.sin_port));
    fflush(stdout);
    if (strcmp(mechanism, "loop") == 0)
        serve_loop(fd);
    else
        serve_arena(fd);
}
