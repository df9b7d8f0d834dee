/* SPDX-License-Identifier: Apache-2.0
 *
 * test_injection.c: sends that are short, and calls that fail. What can be tried again is, and loses nothing; of what
 * cannot, the caller hears once.
 */
#include "injection.h"
#include "arena/uring.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void close_and_expect_it(rig *r, uint64_t connection, int fd)
{
    order(r, connection, PLX_ORDER_CLOSE, NULL, 0);
    const plx_arrival *closed = expect(r, PLX_ARRIVAL_CLOSED);
    assert_int_equal(closed->connection, connection);
    close(fd);
}

/* A reply of every kind, with each byte's place in it told by the byte. */
static void reply_in_four_parts(rig *r, uint64_t c, const char *bytes, size_t quarter)
{
    const plx_arrival *data = expect_data(r, c, bytes, quarter);
    memcpy(r->v.space, bytes + quarter, quarter);
    order(r, c, PLX_ORDER_SEND | PLX_ORDER_NOTIFY, bytes_of(data), quarter);
    order(r, c, PLX_ORDER_SEND | PLX_ORDER_NOTIFY, r->v.space, quarter);
    order(r, c, PLX_ORDER_SEND | PLX_ORDER_NOTIFY | PLX_ORDER_RESIDENT, bytes + 2 * quarter, quarter);
    order(r, c, PLX_ORDER_SEND | PLX_ORDER_NOTIFY, bytes + 3 * quarter, quarter);
}

static void expect_four_sent(rig *r, uint64_t c)
{
    for (int64_t sent = 0; sent < 4;) {
        const plx_arrival *arrival = expect(r, PLX_ARRIVAL_SENT);
        assert_int_equal(arrival->connection, c);
        sent += arrival->detail;
        assert_true(sent <= 4);
    }
}

static void short_sends_lose_nothing(rig *r)
{
    enum { QUARTER = 250 };
    static const size_t most[] = { 1, 7, QUARTER - 1, QUARTER, QUARTER + 1 };
    char *bytes = pattern(4 * QUARTER, 30);
    plx_arena_counts counts;
    int fd;
    rig_open(r, NULL);
    uint64_t c = accepted(r, &fd);
    for (size_t k = 0; k < sizeof most / sizeof *most; k++) {
        for (int times = 1; times <= 4; times++) {
            peer_send(fd, bytes, QUARTER);
            reply_in_four_parts(r, c, bytes, QUARTER);
            shorten_sends(r, times, most[k]);
            expect_four_sent(r, c);
            no_faults();
            peer_expect(fd, bytes, 4 * QUARTER);
            expect_silence(r);
        }
    }
    plx_arena_count(r->arena, &counts);
    assert_true(counts.short_sends >= 5 * 4);
    close_and_expect_it(r, c, fd);
    free(bytes);
}

static void what_waits_goes_out_before_what_follows(rig *r)
{
    int fd;
    rig_open(r, NULL);
    uint64_t c = accepted(r, &fd);
    shorten_sends(r, 1, 2);
    order(r, c, PLX_ORDER_SEND, "12345", 5);
    turn(r, 0);
    order(r, c, PLX_ORDER_SEND, "678", 3);
    order(r, c, PLX_ORDER_SHUTDOWN, NULL, 0);
    expect_silence(r);
    peer_expect(fd, "12345678", 8);
    peer_expect_end(fd);
    close_and_expect_it(r, c, fd);
}

static void a_send_that_fails_is_reported_once(rig *r)
{
    static const int errors[] = { ECONNRESET, EPIPE, ETIMEDOUT, EHOSTUNREACH, ENOBUFS, ENOMEM };
    rig_open(r, NULL);
    for (size_t k = 0; k < sizeof errors / sizeof *errors; k++) {
        int fd;
        uint64_t c = accepted(r, &fd);
        fail_next(r, FAULT_SEND, 1, errors[k]);
        order(r, c, PLX_ORDER_SEND | PLX_ORDER_NOTIFY, "lost", 4);
        const plx_arrival *error = expect(r, PLX_ARRIVAL_ERROR);
        assert_int_equal(error->connection, c);
        assert_int_equal(error->detail, errors[k]);
        order(r, c, PLX_ORDER_SEND | PLX_ORDER_NOTIFY, "in vain", 7);
        expect_silence(r);
        assert_int_equal(faults_left(FAULT_SEND), 0);
        close_and_expect_it(r, c, fd);
    }
}

static void the_rest_of_a_short_send_may_fail(rig *r)
{
    int fd;
    rig_open(r, NULL);
    uint64_t c = accepted(r, &fd);
    shorten_and_fail(r, 2, ECONNRESET);
    order(r, c, PLX_ORDER_SEND | PLX_ORDER_NOTIFY, "12345", 5);
    assert_int_equal(expect(r, PLX_ARRIVAL_ERROR)->detail, ECONNRESET);
    expect_silence(r);
    peer_expect(fd, "12", 2);
    close_and_expect_it(r, c, fd);
}

static void an_interrupted_send_is_made_again(rig *r)
{
    static const int errors[] = { EINTR, EAGAIN };
    int fd;
    rig_open(r, NULL);
    uint64_t c = accepted(r, &fd);
    for (size_t k = 0; k < sizeof errors / sizeof *errors; k++) {
        fail_next(r, FAULT_SEND, 3, errors[k]);
        order(r, c, PLX_ORDER_SEND | PLX_ORDER_NOTIFY, "1234", 4);
        expect(r, PLX_ARRIVAL_SENT);
        peer_expect(fd, "1234", 4);
    }
    close_and_expect_it(r, c, fd);
}

static void a_receive_that_fails_is_reported_once(rig *r)
{
    static const int errors[] = { ECONNRESET, ETIMEDOUT, EHOSTUNREACH, ENOMEM };
    rig_open(r, NULL);
    for (size_t k = 0; k < sizeof errors / sizeof *errors; k++) {
        int fd;
        fail_next(r, FAULT_RECEIVE, 1, errors[k]);
        uint64_t c = accepted(r, &fd);
        peer_send(fd, "lost", 4);
        const plx_arrival *error = expect(r, PLX_ARRIVAL_ERROR);
        assert_int_equal(error->connection, c);
        assert_int_equal(error->detail, errors[k]);
        expect_silence(r);
        close_and_expect_it(r, c, fd);
    }
}

static void an_interrupted_receive_is_made_again(rig *r)
{
    int fd;
    rig_open(r, NULL);
    fail_next(r, FAULT_RECEIVE, 3, EINTR);
    uint64_t c = accepted(r, &fd);
    peer_send(fd, "not lost", 8);
    expect_data(r, c, "not lost", 8);
    assert_int_equal(faults_left(FAULT_RECEIVE), 0);
    close_and_expect_it(r, c, fd);
}

static void a_receive_without_a_buffer_is_made_again(rig *r)
{
    plx_arena_counts counts;
    int fd;
    rig_open(r, NULL);
    fail_next(r, FAULT_RECEIVE, 5, ENOBUFS);
    uint64_t c = accepted(r, &fd);
    peer_send(fd, "not lost", 8);
    expect_data(r, c, "not lost", 8);
    plx_arena_count(r->arena, &counts);
    assert_int_equal(counts.starved, 5);
    close_and_expect_it(r, c, fd);
}

/* io_uring begins to accept in the first turn. */
static void who_is_lost_before_it_is_accepted_disturbs_nobody(rig *r)
{
    static const int errors[] = { ECONNABORTED, EINTR, EPERM, ENETDOWN, EHOSTUNREACH };
    for (size_t k = 0; k < sizeof errors / sizeof *errors; k++) {
        int fd;
        rig_open(r, NULL);
        fail_next(r, FAULT_ACCEPT, 3, errors[k]);
        accepted(r, &fd);
        assert_int_equal(faults_left(FAULT_ACCEPT), 0);
        close(fd);
        rig_close(r);
    }
}

/* The caller decides when to try again; nothing happens of itself, above all not in every turn. */
static void each_try_to_accept_fails_once(rig *r)
{
    static const int errors[] = { EMFILE, ENFILE, ENOBUFS, ENOMEM };
    for (size_t k = 0; k < sizeof errors / sizeof *errors; k++) {
        plx_arena_counts before, after;
        rig_open(r, NULL);
        fail_next(r, FAULT_ACCEPT, 3, errors[k]);
        int fd = peer(r);
        for (int tries = 3; tries > 0; tries--) {
            const plx_arrival *error = expect(r, PLX_ARRIVAL_ERROR);
            assert_int_equal(error->connection, r->listening);
            assert_int_equal(error->detail, errors[k]);
            plx_arena_count(r->arena, &before);
            expect_silence(r);
            plx_arena_count(r->arena, &after);
            assert_true(after.turns - before.turns < 20); /* they wait */
            assert_int_equal(faults_left(FAULT_ACCEPT), tries - 1);
            order(r, r->listening, PLX_ORDER_RESUME, NULL, 0);
        }
        expect(r, PLX_ARRIVAL_ACCEPTED);
        close(fd);
        rig_close(r);
    }
}

/* Replies and new requests of many, while every other call on the ring fails. */
static void a_ring_that_takes_nothing_for_a_moment_loses_nothing(rig *r)
{
    static const int errors[] = { EINTR, EAGAIN, EBUSY, ENOMEM, EBADF };
    enum { PEERS = 10, ROUNDS = 5 };
    int fds[PEERS];
    uint64_t names[PEERS];
    rig_open(r, NULL);
    for (int i = 0; i < PEERS; i++)
        names[i] = accepted(r, &fds[i]);
    for (int round = 0; round < ROUNDS; round++) {
        for (int i = 0; i < PEERS; i++)
            peer_send(fds[i], "?", 1);
        for (int got = 0; got < PEERS; got += r->arrived)
            for (turn(r, SECONDS(5)); r->next < r->arrived; r->next++)
                assert_int_equal(r->v.arrivals[r->next].what, PLX_ARRIVAL_DATA);
        for (int i = 0; i < PEERS; i++) {
            order(r, names[i], PLX_ORDER_SEND, "all ", 4);
            order(r, names[i], PLX_ORDER_SEND, "is well", 7);
        }
        bool is_lasting = errors[round] == EBADF;
        fail_next(r, FAULT_ENTER, is_lasting ? 1 : 3, errors[round]);
        int code = turn_once(r, r->orders, 0);
        r->orders = 0;
        assert_true(code == 0 || code == -errors[round]);
        if (is_lasting)
            assert_int_equal(code, -EBADF);
        for (int t = 0; t < 5; t++)
            turn_once(r, 0, 0);
        for (int i = 0; i < PEERS; i++)
            peer_expect(fds[i], "all is well", 11);
    }
    for (int i = 0; i < PEERS; i++)
        close(fds[i]);
}

/* A kernel that refuses for good is asked a limited number of times, and the turn ends. */
static void a_ring_that_takes_nothing_at_all_says_so(rig *r)
{
    int fd;
    rig_open(r, NULL);
    uint64_t c = accepted(r, &fd);
    fail_next(r, FAULT_ENTER, 1 << 20, EAGAIN);
    order(r, c, PLX_ORDER_SEND, "later", 5);
    assert_int_equal(turn_once(r, 1, SECONDS(20)), -EAGAIN);
    r->orders = 0;
    no_faults();
    turn(r, 0);
    turn(r, 0);
    peer_expect(fd, "later", 5);
    close(fd);
}

/* The kernel keeps a waker that it polls already: then plx_arena_wakeup says so. */
static void a_waker_that_was_closed_before_it_is_polled_is_said(rig *r)
{
    rig_open(r, NULL);
    int closed = ((plx_ring *)r->arena->io)->waker.read_fd;
    close(closed);
    for (int times = 0; times < 3; times++)
        assert_int_equal(turn_once(r, 0, SECONDS(5)), -EBADF);
    int again = counter(false); /* for rig_close to close */
    if (again != closed)
        replace(closed, again);
}

/* A ring that was never enabled, since what enables it is refused, submits nothing, and notes what it is asked for. */
static void connections_come_and_go_though_the_ring_takes_nothing(rig *r)
{
    const plx_arena_sizes few = { .connections = 1 + 2 };
    rig_open(r, &few);
    for (int times = 0; times < 100; times++) {
        int fds[2];
        stream_pair(fds);
        int64_t c = plx_arena_adopt(r->arena, fds[0], NULL, 0);
        assert_true(c >= 0);
        fail_next(r, FAULT_REGISTER, 1, EBADF);
        order(r, (uint64_t)c, PLX_ORDER_CLOSE, NULL, 0);
        assert_int_equal(turn(r, 0), 1);
        assert_int_equal(expect(r, PLX_ARRIVAL_CLOSED)->connection, c);
        close(fds[1]);
    }
    int fd;
    uint64_t c = accepted(r, &fd);
    peer_send(fd, "in order", 8);
    expect_data(r, c, "in order", 8);
    close(fd);
}

static void *turn_with_orders(void *argument)
{
    rig *r = argument;
    int *code = malloc(sizeof *code);
    *code = turn_once(r, r->orders, 0);
    return code;
}

static void another_threads_turn_loses_nothing(rig *r)
{
    pthread_t thread;
    void *code;
    int fd;
    rig_open(r, NULL);
    uint64_t c = accepted(r, &fd);
    turn(r, 0);
    order(r, c, PLX_ORDER_SEND, "in spite of that", 16);
    assert_int_equal(pthread_create(&thread, NULL, turn_with_orders, r), 0);
    pthread_join(thread, &code);
    assert_int_equal(*(int *)code, -EEXIST);
    free(code);
    r->orders = 0;
    turn(r, 0);
    turn(r, 0);
    peer_expect(fd, "in spite of that", 16);
    close(fd);
}

static const arena_test tests[] = {
    { "short sends lose nothing", short_sends_lose_nothing, NULL },
    { "what waits goes out before what follows", what_waits_goes_out_before_what_follows, NULL },
    { "a send that fails is reported once", a_send_that_fails_is_reported_once, NULL },
    { "the rest of a short send may fail", the_rest_of_a_short_send_may_fail, NULL },
    { "an interrupted send is made again", an_interrupted_send_is_made_again, NULL },
    { "a receive that fails is reported once", a_receive_that_fails_is_reported_once, NULL },
    { "an interrupted receive is made again", an_interrupted_receive_is_made_again, NULL },
    { "a receive without a buffer is made again", a_receive_without_a_buffer_is_made_again, "io_uring" },
    { "who is lost before it is accepted disturbs nobody", who_is_lost_before_it_is_accepted_disturbs_nobody, NULL },
    { "each try to accept fails once", each_try_to_accept_fails_once, NULL },
    { "a ring that takes nothing for a moment loses nothing", a_ring_that_takes_nothing_for_a_moment_loses_nothing,
      "io_uring" },
    { "a ring that takes nothing at all says so", a_ring_that_takes_nothing_at_all_says_so, "io_uring" },
    { "a waker that was closed before it is polled is said", a_waker_that_was_closed_before_it_is_polled_is_said,
      "io_uring" },
    { "connections come and go though the ring takes nothing", connections_come_and_go_though_the_ring_takes_nothing,
      "io_uring" },
    { "another thread's turn loses nothing", another_threads_turn_loses_nothing, "io_uring" },
};
const arena_suite fault_suite = SUITE(tests);
