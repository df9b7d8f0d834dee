/* SPDX-License-Identifier: Apache-2.0
 *
 * test_duplex.c: connections that receive while bytes wait to be sent to a peer that does not read.
 */
#include "injection.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { LENGTH = 8000000 }; /* more than the kernel's buffers for both directions take */

/* A connection with bytes that wait: its peer reads none. */
static uint64_t blocked(rig *r, int *fd, const char *reply)
{
    uint64_t c = accepted(r, fd);
    order(r, c, PLX_ORDER_SEND | PLX_ORDER_RESIDENT, reply, LENGTH);
    assert_int_equal(expect(r, PLX_ARRIVAL_UNSENT)->connection, c);
    return c;
}

/* Reads all of it, and turns meanwhile. */
static void read_all(rig *r, int fd, const char *reply)
{
    for (size_t got = 0; got < LENGTH;) {
        got += peer_expect_some(fd, reply + got, LENGTH - got);
        if (r->next == r->arrived)
            turn(r, MILLIS(1));
    }
}

static void data_and_end_come_while_bytes_wait(rig *r)
{
    char *reply = pattern(LENGTH, 41);
    int fd;
    rig_open(r, NULL);
    uint64_t c = accepted(r, &fd);
    order(r, c, PLX_ORDER_DUPLEX, NULL, 0);
    order(r, c, PLX_ORDER_SEND | PLX_ORDER_RESIDENT, reply, LENGTH);
    expect(r, PLX_ARRIVAL_UNSENT);
    for (int round = 0; round < 5; round++) {
        peer_send(fd, "ping", 4);
        expect_data(r, c, "ping", 4);
    }
    assert_true(plx_arena_unsent(r->arena, c) > 0);
    peer_send(fd, "bye", 3);
    shutdown(fd, SHUT_WR);
    expect_data(r, c, "bye", 3);
    assert_int_equal(expect(r, PLX_ARRIVAL_END)->connection, c);
    order(r, c, PLX_ORDER_CLOSE, NULL, 0);
    expect_silence(r);
    read_all(r, fd, reply);
    expect(r, PLX_ARRIVAL_CLOSED);
    peer_expect_end(fd);
    close(fd);
    free(reply);
}

/* What came before that order, and was kept, is reported; then what comes. */
static void it_may_be_ordered_while_bytes_wait(rig *r)
{
    char *reply = pattern(LENGTH, 42);
    int fd;
    rig_open(r, NULL);
    uint64_t c = blocked(r, &fd, reply);
    peer_send(fd, "before", 6);
    expect_silence(r);
    order(r, c, PLX_ORDER_DUPLEX, NULL, 0);
    expect_data(r, c, "before", 6);
    peer_send(fd, "after", 5);
    expect_data(r, c, "after", 5);
    read_all(r, fd, reply);
    close(fd);
    expect(r, PLX_ARRIVAL_END);
    free(reply);
}

static void a_duplex_one_pauses_and_resumes(rig *r)
{
    char *reply = pattern(LENGTH, 43);
    int fd;
    rig_open(r, NULL);
    uint64_t c = blocked(r, &fd, reply);
    order(r, c, PLX_ORDER_DUPLEX, NULL, 0);
    order(r, c, PLX_ORDER_PAUSE, NULL, 0);
    peer_send(fd, "12", 2);
    expect_silence(r);
    order(r, c, PLX_ORDER_RESUME, NULL, 0);
    const plx_arrival *data = expect_data(r, c, "12", 2);
    order(r, c, PLX_ORDER_PAUSE, bytes_of(data) + 1, 1);
    shutdown(fd, SHUT_WR);
    expect_silence(r);
    order(r, c, PLX_ORDER_RESUME, NULL, 0);
    expect_data(r, c, "2", 1);
    assert_int_equal(expect(r, PLX_ARRIVAL_END)->connection, c);
    order(r, c, PLX_ORDER_ABORT, NULL, 0);
    expect(r, PLX_ARRIVAL_CLOSED);
    close(fd);
    free(reply);
}

static void parts_are_kept_while_bytes_wait(rig *r)
{
    char *reply = pattern(LENGTH, 44);
    int fd;
    rig_open(r, NULL);
    uint64_t c = blocked(r, &fd, reply);
    order(r, c, PLX_ORDER_DUPLEX, NULL, 0);
    peer_send(fd, "abc", 3);
    const plx_arrival *data = expect_data(r, c, "abc", 3);
    order(r, c, PLX_ORDER_KEEP, bytes_of(data) + 1, 2);
    expect_silence(r);
    peer_send(fd, "d", 1);
    data = expect_data(r, c, "bcd", 3);
    order(r, c, PLX_ORDER_SEND, "more", 4);
    order(r, c, PLX_ORDER_AGAIN, bytes_of(data) + 1, 2);
    expect_data(r, c, "cd", 2);
    order(r, c, PLX_ORDER_ABORT, NULL, 0);
    expect(r, PLX_ARRIVAL_CLOSED);
    close(fd);
    free(reply);
}

/* A peer that sends more than there is room for, in an arena with hardly any. */
static void a_flood_is_received_while_bytes_wait(rig *r)
{
    enum { FLOOD = 3000000 };
    const plx_arena_sizes sizes = { .buffers = 4, .buffer_size = 500, .request_limit = 1000, .completions = 8 };
    char *reply = pattern(LENGTH, 45), *flood = pattern(FLOOD, 46);
    size_t sent = 0, got = 0;
    int fd;
    rig_open(r, &sizes);
    uint64_t c = blocked(r, &fd, reply);
    order(r, c, PLX_ORDER_DUPLEX, NULL, 0);
    for (int64_t deadline = now() + SECONDS(60); got < FLOOD;) {
        assert_true(now() < deadline);
        for (ssize_t n; sent < FLOOD && (n = send(fd, flood + sent, FLOOD - sent, MSG_DONTWAIT)) > 0;)
            sent += (size_t)n;
        for (turn(r, MILLIS(20)); r->next < r->arrived; r->next++) {
            const plx_arrival *data = &r->v.arrivals[r->next];
            assert_int_equal(data->what, PLX_ARRIVAL_DATA);
            assert_memory_equal(bytes_of(data), flood + got, data->length);
            got += data->length;
        }
    }
    assert_true(plx_arena_unsent(r->arena, c) > 0);
    read_all(r, fd, reply);
    close(fd);
    free(flood);
    free(reply);
}

/* It is not received from until its peer reads: what floods in stays with the kernel. */
static void a_duplex_one_is_released_with_what_came_meanwhile(rig *r)
{
    enum { FLOOD = 2000000, FEW = 100000 };
    const plx_arena_sizes sizes = { .buffers = 4, .buffer_size = 500 };
    char *reply = pattern(LENGTH, 47), *flood = pattern(FLOOD, 50), *rest = malloc(FLOOD);
    size_t sent = 3;
    int fd;
    rig_open(r, &sizes);
    uint64_t c = blocked(r, &fd, reply);
    order(r, c, PLX_ORDER_DUPLEX, NULL, 0);
    peer_send(fd, flood, 3);
    const plx_arrival *data = expect_data(r, c, flood, 3);
    order(r, c, PLX_ORDER_RELEASE, bytes_of(data) + 1, 2);
    for (int t = 0; t < 200; t++, turn(r, 0))
        for (ssize_t n; sent < FLOOD && (n = send(fd, flood + sent, FLOOD - sent, MSG_DONTWAIT)) > 0;)
            sent += (size_t)n;
    read_all(r, fd, reply);
    const plx_arrival *released = expect(r, PLX_ARRIVAL_RELEASED);
    assert_in_range(released->length, 2, FEW);
    assert_memory_equal(bytes_of(released), flood + 1, released->length);
    for (size_t got = 1 + released->length; got < sent;) {
        ssize_t n = recv((int)released->detail, rest, sent - got, 0);
        assert_true(n > 0);
        assert_memory_equal(rest, flood + got, (size_t)n);
        got += (size_t)n;
    }
    close((int)released->detail);
    close(fd);
    free(rest);
    free(flood);
    free(reply);
}

static void a_duplex_one_hears_once_of_a_reset(rig *r)
{
    char *reply = pattern(LENGTH, 48);
    int fd;
    rig_open(r, NULL);
    uint64_t c = blocked(r, &fd, reply);
    order(r, c, PLX_ORDER_DUPLEX, NULL, 0);
    turn(r, 0);
    peer_reset(fd);
    assert_int_equal(expect(r, PLX_ARRIVAL_ERROR)->connection, c);
    expect_silence(r);
    order(r, c, PLX_ORDER_CLOSE, NULL, 0);
    expect(r, PLX_ARRIVAL_CLOSED);
    free(reply);
}

static void short_sends_of_a_duplex_one_lose_nothing(rig *r)
{
    char *bytes = pattern(1000, 49);
    int fd;
    rig_open(r, NULL);
    uint64_t c = accepted(r, &fd);
    order(r, c, PLX_ORDER_DUPLEX, NULL, 0);
    for (int times = 1; times <= 8; times++) {
        shorten_sends(r, times, 100);
        order(r, c, PLX_ORDER_SEND, bytes, 500);
        peer_send(fd, "?", 1);
        expect_data(r, c, "?", 1);
        order(r, c, PLX_ORDER_SEND | PLX_ORDER_NOTIFY, bytes + 500, 500);
        expect(r, PLX_ARRIVAL_SENT);
        no_faults();
        peer_expect(fd, bytes, 1000);
    }
    expect_silence(r);
    close(fd);
    free(bytes);
}

static const arena_test tests[] = {
    { "data and end come while bytes wait", data_and_end_come_while_bytes_wait, NULL },
    { "it may be ordered while bytes wait", it_may_be_ordered_while_bytes_wait, NULL },
    { "a duplex one pauses and resumes", a_duplex_one_pauses_and_resumes, NULL },
    { "parts are kept while bytes wait", parts_are_kept_while_bytes_wait, NULL },
    { "a flood is received while bytes wait", a_flood_is_received_while_bytes_wait, NULL },
    { "a duplex one is released with what came meanwhile", a_duplex_one_is_released_with_what_came_meanwhile, NULL },
    { "a duplex one hears once of a reset", a_duplex_one_hears_once_of_a_reset, NULL },
    { "short sends of a duplex one lose nothing", short_sends_of_a_duplex_one_lose_nothing, NULL },
};
const arena_suite duplex_suite = SUITE(tests);
