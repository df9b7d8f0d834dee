/* SPDX-License-Identifier: Apache-2.0
 *
 * rig.c: see rig.h.
 */
#include "rig.h"

#include "injection.h"

#include "arena/transport.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

enum { PATIENCE_SECONDS = 20 };

void rig_open(rig *r, const plx_arena_sizes *sizes)
{
    struct sockaddr_in address = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
    socklen_t length = sizeof address;
    assert_int_equal(plx_arena_open(r->mechanism, sizes, &r->arena), 0);
    plx_arena_map(r->arena, &r->v);
    r->listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_int_equal(bind(r->listener, (struct sockaddr *)&address, length), 0);
    assert_int_equal(listen(r->listener, 1024), 0);
    assert_int_equal(getsockname(r->listener, (struct sockaddr *)&address, &length), 0);
    r->port = ntohs(address.sin_port);
    int64_t name = plx_arena_listen(r->arena, r->listener);
    assert_true(name >= 0);
    r->listening = (uint64_t)name;
    r->orders = r->arrived = r->next = 0;
}

void rig_close(rig *r)
{
    no_faults();
    plx_arena_close(r->arena);
    r->arena = NULL;
}

bool is_uring(const rig *r)
{
    return strcmp(plx_arena_name(r->arena), "io_uring") == 0;
}

int peer(const rig *r)
{
    struct sockaddr_in address = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK),
                                   .sin_port = htons((uint16_t)r->port) };
    struct timeval patience = { .tv_sec = PATIENCE_SECONDS };
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_true(fd >= 0);
    assert_int_equal(setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience), 0);
    assert_int_equal(connect(fd, (struct sockaddr *)&address, sizeof address), 0);
    return fd;
}

void peer_send(int fd, const void *bytes, size_t length)
{
    for (size_t sent = 0; sent < length;) {
        ssize_t n = send(fd, (const char *)bytes + sent, length - sent, MSG_NOSIGNAL);
        assert_true(n > 0);
        sent += (size_t)n;
    }
}

void peer_expect(int fd, const void *bytes, size_t length)
{
    char some[65536];
    for (size_t got = 0; got < length;) {
        size_t room = length - got < sizeof some ? length - got : sizeof some;
        ssize_t n = recv(fd, some, room, 0);
        assert_true(n > 0);
        assert_memory_equal(some, (const char *)bytes + got, (size_t)n);
        got += (size_t)n;
    }
}

size_t peer_expect_some(int fd, const char *bytes, size_t length)
{
    static int in_vain;
    char some[65536];
    ssize_t n = recv(fd, some, length < sizeof some ? length : sizeof some, MSG_DONTWAIT);
    if (n < 0) {
        assert_int_equal(errno, EAGAIN);
        assert_true(++in_vain < 20000);
        return 0;
    }
    assert_true(n > 0);
    in_vain = 0;
    assert_memory_equal(some, bytes, (size_t)n);
    return (size_t)n;
}

void peer_expect_end(int fd)
{
    char byte;
    assert_int_equal(recv(fd, &byte, 1, 0), 0);
}

void peer_expect_reset(int fd)
{
    static char bytes[1 << 16];
    ssize_t n;
    while ((n = recv(fd, bytes, sizeof bytes, 0)) > 0) {}
    assert_true(n < 0);
    assert_int_equal(errno, ECONNRESET);
}

void peer_reset(int fd)
{
    struct linger at_once = { .l_onoff = 1, .l_linger = 0 };
    assert_int_equal(setsockopt(fd, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once), 0);
    close(fd);
}

void order(rig *r, uint64_t connection, uint32_t what, const void *bytes, size_t length)
{
    assert_true((uint32_t)r->orders < r->v.max_orders);
    r->v.orders[r->orders++] = (plx_order){ connection, (uintptr_t)bytes, (uint32_t)length, what };
}

static bool has(const plx_connection *c, uint32_t flags)
{
    return (c->flags & flags) == flags;
}

/* What transport.h says of the flags is so. */
static void expect_drawn(const plx_connection *c)
{
    bool is_said = (has(c, PLX_RECEIVING) || !has(c, PLX_STOPPING)) && !has(c, PLX_RECEIVING | PLX_ENDED) &&
                   (has(c, PLX_ENDED) || !has(c, PLX_END_DUE)) && !has(c, PLX_SENDING) &&
                   (c->first != NULL || !(c->flags & (PLX_FLUSHING | PLX_CONNECTING))) &&
                   (!has(c, PLX_CUT) || (c->flags & (PLX_UNSENDABLE | PLX_CLOSING))) &&
                   !has(c, PLX_CLOSING | PLX_RELEASING) &&
                   (!has(c, PLX_LISTENING) || (c->first == NULL && c->unread == NULL));
    if (!is_said)
        fail_msg("a connection with the flags %#x, %s", (unsigned)c->flags, c->first ? "unsent" : "nothing unsent");
}

int turn_once(rig *r, int orders, int64_t ns)
{
    faults_begin();
    int n = plx_arena_turn(r->arena, orders, ns);
    faults_end();
    for (uint32_t i = 0; i < r->arena->fresh; i++)
        if (r->arena->connections[i].flags & PLX_IN_USE)
            expect_drawn(&r->arena->connections[i]);
    return n;
}

int turn(rig *r, int64_t ns)
{
    int orders = r->orders, n;
    r->orders = 0;
    do {
        n = turn_once(r, orders, ns);
        orders = 0;
    } while (n == -EINTR);
    assert_true(n >= 0);
    assert_true((uint32_t)n <= r->v.max_arrivals);
    r->arrived = n;
    r->next = 0;
    return n;
}

const plx_arrival *next(rig *r)
{
    for (int64_t deadline = now() + SECONDS(PATIENCE_SECONDS); r->next == r->arrived; turn(r, SECONDS(1)))
        assert_true(now() < deadline);
    return &r->v.arrivals[r->next++];
}

const plx_arrival *expect(rig *r, uint32_t what)
{
    const plx_arrival *arrival = next(r);
    if (arrival->what != what)
        fail_msg("arrival %u instead of %u, detail %lld, length %u", arrival->what, what, (long long)arrival->detail,
                 arrival->length);
    return arrival;
}

void expect_silence(rig *r)
{
    for (int64_t end = now() + MILLIS(60); now() < end; turn(r, MILLIS(20)))
        if (r->next < r->arrived)
            fail_msg("arrival %u though nothing should arrive", r->v.arrivals[r->next].what);
    assert_int_equal(r->next, r->arrived);
}

uint64_t accepted(rig *r, int *fd)
{
    *fd = peer(r);
    const plx_arrival *arrival = expect(r, PLX_ARRIVAL_ACCEPTED);
    assert_int_equal(arrival->detail, r->listening);
    return arrival->connection;
}

const char *bytes_of(const plx_arrival *arrival)
{
    return (const char *)(uintptr_t)arrival->address;
}

const plx_arrival *expect_data(rig *r, uint64_t connection, const void *bytes, size_t length)
{
    const plx_arrival *arrival = expect(r, PLX_ARRIVAL_DATA);
    assert_int_equal(arrival->connection, connection);
    assert_int_equal(arrival->length, length);
    assert_memory_equal(bytes_of(arrival), bytes, length);
    return arrival;
}

const plx_arrival *expect_data_in_parts(rig *r, uint64_t connection, const void *bytes, size_t length)
{
    for (;;) {
        const plx_arrival *arrival = expect(r, PLX_ARRIVAL_DATA);
        assert_int_equal(arrival->connection, connection);
        assert_true(arrival->length <= length);
        assert_memory_equal(bytes_of(arrival), bytes, arrival->length);
        if (arrival->length == length)
            return arrival;
        order(r, connection, PLX_ORDER_KEEP, bytes_of(arrival), arrival->length);
    }
}

char *pattern(size_t length, unsigned seed)
{
    char *bytes = malloc(length);
    assert_non_null(bytes);
    for (size_t i = 0; i < length; i++)
        bytes[i] = (char)(seed + i + i / 251);
    return bytes;
}
