/* SPDX-License-Identifier: Apache-2.0
 *
 * test_sending.c: replies in place, made in the arena's space, resident; many, large, to peers that do not read.
 */
#include "injection.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static void replies_come_from_anywhere_and_in_order(rig *r)
{
    static const char resident[] = "resident, ";
    int fd;
    rig_open(r, NULL);
    uint64_t c = accepted(r, &fd);
    peer_send(fd, "in place, ", 10);
    const plx_arrival *data = expect_data(r, c, "in place, ", 10);
    memcpy(r->v.space, "made here", 9);
    order(r, c, PLX_ORDER_SEND, bytes_of(data), 10);
    order(r, c, PLX_ORDER_SEND | PLX_ORDER_RESIDENT, resident, 10);
    order(r, c, PLX_ORDER_SEND, r->v.space, 9);
    turn(r, 0);
    peer_expect(fd, "in place, resident, made here", 29);
    close(fd);
}

static void what_the_socket_takes_at_once_need_not_stay(rig *r)
{
    int fd;
    rig_open(r, NULL);
    uint64_t c = accepted(r, &fd);
    char bytes[] = "at once, ";
    for (int k = 0; k < 2; k++) {
        uint64_t sends = r->v.counts->sends, calls = r->v.counts->system_calls;
        strcpy(bytes, "at once, ");
        assert_int_equal(plx_arena_try_send(r->arena, c, bytes, 9), 9);
        assert_int_equal(r->v.counts->sends, sends + 1);
        assert_int_equal(r->v.counts->system_calls, calls + 1);
        strcpy(bytes, "overdone,");
        order(r, c, PLX_ORDER_SEND, "ordered", 7);
        turn(r, 0);
        peer_expect(fd, "at once, ordered", 16);
    }
    close(fd);
}

/* The caller orders what is left. */
static void what_the_socket_does_not_take_at_once_is_told(rig *r)
{
    enum { LENGTH = 20000000 };
    char *bytes = pattern(LENGTH, 4);
    int fd;
    rig_open(r, NULL);
    uint64_t c = accepted(r, &fd);
    uint32_t sent = 0, more;
    do /* the kernel may pass some on meanwhile, and take more then */
        sent += more = plx_arena_try_send(r->arena, c, bytes + sent, LENGTH - sent);
    while (more > 0);
    assert_in_range(sent, 1, LENGTH - 1);
    order(r, c, PLX_ORDER_SEND | PLX_ORDER_RESIDENT | PLX_ORDER_NOTIFY, bytes + sent, LENGTH - sent);
    turn(r, 0);
    assert_int_equal(plx_arena_try_send(r->arena, c, "in between", 10), 0);
    size_t heard = 0;
    for (int64_t deadline = now() + SECONDS(20); heard < LENGTH; turn(r, 0)) {
        assert_true(now() < deadline);
        heard += peer_expect_some(fd, bytes + heard, LENGTH - heard);
    }
    free(bytes);
    close(fd);
}

static void nothing_is_sent_at_once_to_who_is_closed_or_unknown(rig *r)
{
    int fd, other;
    rig_open(r, NULL);
    uint64_t c = accepted(r, &fd), d = accepted(r, &other);
    assert_int_equal(plx_arena_try_send(r->arena, r->listening, "x", 1), 0);
    assert_int_equal(plx_arena_try_send(r->arena, c + (1ull << 32), "x", 1), 0);
    assert_int_equal(plx_arena_try_send(r->arena, UINT64_MAX, "x", 1), 0);
    order(r, c, PLX_ORDER_SHUTDOWN, NULL, 0);
    turn(r, 0);
    assert_int_equal(plx_arena_try_send(r->arena, c, "x", 1), 0);
    peer_expect_end(fd);
    order(r, d, PLX_ORDER_ABORT, NULL, 0);
    expect(r, PLX_ARRIVAL_CLOSED);
    assert_int_equal(plx_arena_try_send(r->arena, d, "x", 1), 0);
    close(fd);
    close(other);
}

static void orders_of_several_connections_may_mix(rig *r)
{
    enum { PEERS = 5, ROUNDS = 40 };
    static const char digits[] = "0123456789";
    int fds[PEERS];
    uint64_t names[PEERS];
    rig_open(r, NULL);
    for (int i = 0; i < PEERS; i++)
        names[i] = accepted(r, &fds[i]);
    for (int k = 0; k < ROUNDS; k++)
        for (int i = 0; i < PEERS; i++)
            order(r, names[(i + k) % PEERS], PLX_ORDER_SEND, digits + k % 10, 1);
    for (int t = 0; t < 100; t++)
        turn(r, 0);
    for (int i = 0; i < PEERS; i++) {
        for (int k = 0; k < ROUNDS; k++)
            peer_expect(fds[i], digits + k % 10, 1);
        close(fds[i]);
    }
}

/* A connection has one send at a time; nothing needs to arrive for the second one to go out. */
static void what_is_ordered_behind_others_does_not_wait_for_arrivals(rig *r)
{
    int fd, other;
    rig_open(r, NULL);
    uint64_t c = accepted(r, &fd), d = accepted(r, &other);
    turn(r, 0);
    int64_t start = now();
    for (int round = 0; round < 3; round++) {
        order(r, c, PLX_ORDER_SEND, "one, ", 5);
        order(r, d, PLX_ORDER_SEND, "between", 7);
        order(r, c, PLX_ORDER_SEND, "two, ", 5);
        order(r, c, PLX_ORDER_SEND | PLX_ORDER_NOTIFY, "three", 5);
        assert_int_equal(expect(r, PLX_ARRIVAL_SENT)->connection, c);
        peer_expect(fd, "one, two, three", 15);
        peer_expect(other, "between", 7);
    }
    assert_true(now() - start < SECONDS(15)); /* a turn that waits does so for 20 */
    close(fd);
    close(other);
}

/* More than one sendmsg(2) takes. */
static void thousands_of_orders_are_joined(rig *r)
{
    enum { COUNT = 3000 };
    char *bytes = pattern(2 * COUNT, 8);
    int fd;
    rig_open(r, NULL);
    uint64_t c = accepted(r, &fd);
    for (int i = 0; i < COUNT; i++)
        order(r, c, PLX_ORDER_SEND, bytes + 2 * i, 1); /* not adjacent */
    for (int t = 0; t < 2 * COUNT; t++)
        turn(r, 0);
    for (int i = 0; i < COUNT; i++)
        peer_expect(fd, bytes + 2 * i, 1);
    close(fd);
    free(bytes);
}

static void a_large_reply_takes_several_turns(rig *r)
{
    enum { LENGTH = 8000000 };
    char *reply = pattern(LENGTH, 9), *copy = malloc(LENGTH);
    int fd;
    rig_open(r, NULL);
    uint64_t c = accepted(r, &fd);
    memcpy(copy, reply, LENGTH);
    order(r, c, PLX_ORDER_SEND | PLX_ORDER_NOTIFY, copy, LENGTH);
    turn(r, 0);
    memset(copy, 0, LENGTH); /* it is the caller's again */
    for (size_t got = 0; got < LENGTH;) {
        got += peer_expect_some(fd, reply + got, LENGTH - got);
        for (turn(r, MILLIS(1)); r->next < r->arrived; r->next++)
            assert_true(r->v.arrivals[r->next].what == PLX_ARRIVAL_UNSENT ||
                        r->v.arrivals[r->next].what == PLX_ARRIVAL_SENT);
    }
    expect_silence(r);
    close(fd);
    free(copy);
    free(reply);
}

static void it_is_told_when_resident_bytes_are_sent(rig *r)
{
    enum { LENGTH = 8000000 };
    const plx_arena_sizes sizes = { .pending_limit = 1 << 30 };
    char *reply = pattern(LENGTH, 10);
    int fd;
    rig_open(r, &sizes);
    uint64_t c = accepted(r, &fd);
    order(r, c, PLX_ORDER_SEND | PLX_ORDER_RESIDENT | PLX_ORDER_NOTIFY, reply, LENGTH);
    largest_allocation();
    expect_silence(r);
    assert_true(largest_allocation() < 10000);
    for (size_t got = 0; got < LENGTH;) {
        got += peer_expect_some(fd, reply + got, LENGTH - got);
        if (r->next == r->arrived)
            turn(r, MILLIS(1));
    }
    const plx_arrival *sent = expect(r, PLX_ARRIVAL_SENT);
    assert_int_equal(sent->connection, c);
    assert_int_equal(sent->detail, 1);
    order(r, c, PLX_ORDER_SEND | PLX_ORDER_NOTIFY, "1", 1);
    order(r, c, PLX_ORDER_SEND, "2", 1);
    order(r, c, PLX_ORDER_SEND | PLX_ORDER_NOTIFY, "3", 1);
    assert_int_equal(expect(r, PLX_ARRIVAL_SENT)->detail, 2);
    peer_expect(fd, "123", 3);
    close(fd);
    free(reply);
}

/* Nothing is to be sent of it, whether something else waits or not; but who asks is told. */
static void an_empty_order_is_finished_in_its_turn(rig *r)
{
    int fd;
    rig_open(r, NULL);
    uint64_t c = accepted(r, &fd);
    order(r, c, PLX_ORDER_SEND | PLX_ORDER_NOTIFY, NULL, 0);
    assert_int_equal(expect(r, PLX_ARRIVAL_SENT)->detail, 1);
    order(r, c, PLX_ORDER_SEND, "1", 1);
    order(r, c, PLX_ORDER_SEND | PLX_ORDER_NOTIFY, NULL, 0);
    order(r, c, PLX_ORDER_SEND, "2", 1);
    assert_int_equal(expect(r, PLX_ARRIVAL_SENT)->detail, 1);
    shorten_sends(r, 1, 1);
    order(r, c, PLX_ORDER_SEND, "34", 2);
    order(r, c, PLX_ORDER_SEND | PLX_ORDER_NOTIFY | PLX_ORDER_RESIDENT, NULL, 0);
    order(r, c, PLX_ORDER_SEND | PLX_ORDER_NOTIFY, "5", 1);
    for (int64_t sent = 0; sent < 2;)
        sent += expect(r, PLX_ARRIVAL_SENT)->detail;
    expect_silence(r);
    peer_expect(fd, "12345", 5);
    close(fd);
}

/* The kernel's buffers for both directions are some megabytes at most. */
static void who_does_not_read_is_not_read_from(rig *r)
{
    enum { LENGTH = 1000000, MOST = 100 };
    const plx_arena_sizes sizes = { .pending_limit = 1 << 30 };
    char *reply = pattern(LENGTH, 11);
    int fd, other, answered = 0, asked = 0;
    rig_open(r, &sizes);
    uint64_t c = accepted(r, &fd), d = accepted(r, &other);
    for (int quiet = 0; quiet < 20;) {
        if (asked < MOST && send(fd, "?", 1, MSG_DONTWAIT) == 1)
            asked++;
        quiet++;
        for (turn(r, MILLIS(2)); r->next < r->arrived; r->next++) {
            const plx_arrival *data = &r->v.arrivals[r->next];
            assert_int_equal(data->connection, c);
            for (uint32_t k = 0; k < data->length; k++, answered++)
                order(r, c, PLX_ORDER_SEND | PLX_ORDER_RESIDENT, reply, LENGTH);
            quiet = 0;
        }
    }
    assert_true(answered < asked);
    peer_send(other, "others go on", 12);
    for (const plx_arrival *data = next(r); data->connection != d; data = next(r)) /* the kernel took some more */
        for (uint32_t k = 0; k < data->length; k++, answered++)
            order(r, c, PLX_ORDER_SEND | PLX_ORDER_RESIDENT, reply, LENGTH);
    assert_memory_equal(bytes_of(&r->v.arrivals[r->next - 1]), "others go on", 12);
    for (int done = 0; done < asked; done++) {
        for (size_t got = 0; got < LENGTH;) {
            got += peer_expect_some(fd, reply + got, LENGTH - got);
            for (turn(r, MILLIS(1)); r->next < r->arrived; r->next++)
                for (uint32_t k = 0; k < r->v.arrivals[r->next].length; k++, answered++)
                    order(r, c, PLX_ORDER_SEND | PLX_ORDER_RESIDENT, reply, LENGTH);
        }
    }
    assert_int_equal(answered, asked);
    close(fd);
    close(other);
    free(reply);
}

static void too_much_unsent_is_reported_once(rig *r)
{
    enum { LENGTH = 8000000 };
    const plx_arena_sizes sizes = { .pending_limit = 100000 };
    char *reply = pattern(LENGTH, 12);
    int fd;
    rig_open(r, &sizes);
    uint64_t c = accepted(r, &fd);
    order(r, c, PLX_ORDER_SEND, reply, LENGTH);
    const plx_arrival *unsent = expect(r, PLX_ARRIVAL_UNSENT);
    assert_int_equal(unsent->connection, c);
    assert_true(unsent->detail > 100000 && unsent->detail < LENGTH);
    order(r, c, PLX_ORDER_SEND, reply, LENGTH);
    expect_silence(r);
    order(r, c, PLX_ORDER_ABORT, NULL, 0);
    expect(r, PLX_ARRIVAL_CLOSED);
    close(fd);
    free(reply);
}

static void a_peer_that_resets_ends_a_send_that_waits(rig *r)
{
    enum { LENGTH = 8000000 };
    const plx_arena_sizes sizes = { .pending_limit = 1 << 30 };
    char *reply = pattern(LENGTH, 13);
    int fd;
    rig_open(r, &sizes);
    uint64_t c = accepted(r, &fd);
    order(r, c, PLX_ORDER_SEND, reply, LENGTH);
    expect_silence(r);
    peer_reset(fd);
    assert_int_equal(expect(r, PLX_ARRIVAL_ERROR)->connection, c);
    expect_silence(r);
    order(r, c, PLX_ORDER_CLOSE, NULL, 0);
    expect(r, PLX_ARRIVAL_CLOSED);
    free(reply);
}

/* Else the peer would take what it got for all. */
static void what_an_abort_cuts_off_ends_with_a_reset(rig *r)
{
    enum { LENGTH = 8000000 };
    const plx_arena_sizes sizes = { .pending_limit = 1 << 30 };
    char *reply = pattern(LENGTH, 19);
    int fds[3];
    rig_open(r, &sizes);
    uint64_t cut = accepted(r, &fds[0]), whole = accepted(r, &fds[1]), at_once = accepted(r, &fds[2]);
    order(r, cut, PLX_ORDER_SEND | PLX_ORDER_RESIDENT, reply, LENGTH);
    expect_silence(r);
    order(r, cut, PLX_ORDER_ABORT, NULL, 0);
    assert_int_equal(expect(r, PLX_ARRIVAL_CLOSED)->connection, cut);
    peer_expect_reset(fds[0]);
    order(r, at_once, PLX_ORDER_SEND | PLX_ORDER_RESIDENT, reply, LENGTH);
    order(r, at_once, PLX_ORDER_ABORT, NULL, 0);
    assert_int_equal(expect(r, PLX_ARRIVAL_CLOSED)->connection, at_once);
    peer_expect_reset(fds[2]);
    order(r, whole, PLX_ORDER_SEND, "all", 3);
    turn(r, 0);
    order(r, whole, PLX_ORDER_ABORT, NULL, 0);
    assert_int_equal(expect(r, PLX_ARRIVAL_CLOSED)->connection, whole);
    peer_expect(fds[1], "all", 3);
    peer_expect_end(fds[1]);
    for (int i = 0; i < 3; i++)
        close(fds[i]);
    free(reply);
}

static void what_closing_the_arena_cuts_off_ends_with_a_reset(rig *r)
{
    enum { LENGTH = 8000000 };
    char *reply = pattern(LENGTH, 20);
    int fds[2];
    rig_open(r, NULL);
    uint64_t cut = accepted(r, &fds[0]), whole = accepted(r, &fds[1]);
    order(r, cut, PLX_ORDER_SEND, reply, LENGTH);
    order(r, whole, PLX_ORDER_SEND, "all", 3);
    expect(r, PLX_ARRIVAL_UNSENT);
    rig_close(r);
    peer_expect_reset(fds[0]);
    peer_expect(fds[1], "all", 3);
    peer_expect_end(fds[1]);
    close_both(fds);
    free(reply);
}

static void who_reads_is_seen_to(rig *r)
{
    enum { LENGTH = 8000000, PART = 1000000 };
    const plx_arena_sizes sizes = { .pending_limit = 1 << 30 };
    char *reply = pattern(LENGTH, 21);
    int fd;
    rig_open(r, &sizes);
    uint64_t c = accepted(r, &fd);
    assert_true(plx_arena_descriptor(r->arena, c) > 0);
    assert_int_equal(plx_arena_unsent(r->arena, c), 0);
    order(r, c, PLX_ORDER_SEND | PLX_ORDER_RESIDENT, reply, LENGTH);
    expect_silence(r);
    int64_t unsent = plx_arena_unsent(r->arena, c);
    assert_true(unsent > 0 && unsent <= LENGTH);
    for (size_t got = 0; got < LENGTH;) {
        size_t target = got + PART;
        while (got < target) {
            got += peer_expect_some(fd, reply + got, target - got);
            turn(r, MILLIS(1));
        }
        for (int64_t end = now() + SECONDS(5), left = unsent; unsent > 0 && left == unsent; turn(r, MILLIS(1))) {
            assert_true(now() < end);
            unsent = plx_arena_unsent(r->arena, c);
        }
    }
    assert_int_equal(plx_arena_unsent(r->arena, c), 0);
    order(r, c, PLX_ORDER_CLOSE, NULL, 0);
    expect(r, PLX_ARRIVAL_CLOSED);
    assert_int_equal(plx_arena_unsent(r->arena, c), 0);
    assert_int_equal(plx_arena_descriptor(r->arena, c), -EINVAL);
    close(fd);
    free(reply);
}

/* So a caller that hands back requests for which there is no room yet does not get them before it knows. */
static void what_is_ordered_again_waits_for_the_sends_beside_it(rig *r)
{
    enum { LENGTH = 8000000 };
    const plx_arena_sizes sizes = { .pending_limit = 1 << 30 };
    char *reply = pattern(LENGTH, 22);
    int fd;
    rig_open(r, &sizes);
    uint64_t c = accepted(r, &fd);
    peer_send(fd, "12", 2);
    const plx_arrival *data = expect_data(r, c, "12", 2);
    order(r, c, PLX_ORDER_SEND, "short", 5);
    order(r, c, PLX_ORDER_AGAIN, bytes_of(data) + 1, 1);
    data = expect_data(r, c, "2", 1);
    peer_expect(fd, "short", 5);
    order(r, c, PLX_ORDER_SEND | PLX_ORDER_RESIDENT, reply, LENGTH);
    order(r, c, PLX_ORDER_AGAIN, bytes_of(data), 1);
    expect_silence(r);
    for (size_t got = 0; got < LENGTH;) {
        got += peer_expect_some(fd, reply + got, LENGTH - got);
        if (r->next == r->arrived)
            turn(r, MILLIS(1));
    }
    expect_data(r, c, "2", 1);
    close(fd);
    free(reply);
}

static void a_reset_before_the_last_bytes_are_sent_is_an_error(rig *r)
{
    enum { LENGTH = 8000000 };
    const plx_arena_sizes sizes = { .pending_limit = 1 << 30 };
    char *reply = pattern(LENGTH, 23);
    int fd;
    rig_open(r, &sizes);
    for (int round = 0; round < 20; round++) { /* the reset may meet the receive first, or the send */
        uint64_t c = accepted(r, &fd);
        order(r, c, PLX_ORDER_SEND | PLX_ORDER_RESIDENT, reply, LENGTH);
        order(r, c, PLX_ORDER_CLOSE, NULL, 0);
        for (int turns = 0; turns < round % 4; turns++)
            assert_int_equal(turn(r, 0), 0);
        peer_reset(fd);
        assert_int_equal(expect(r, PLX_ARRIVAL_ERROR)->connection, c);
        assert_int_equal(expect(r, PLX_ARRIVAL_CLOSED)->connection, c);
    }
    free(reply);
}

static void a_send_after_the_peers_end_fails_once(rig *r)
{
    int fd;
    rig_open(r, NULL);
    uint64_t c = accepted(r, &fd);
    close(fd);
    expect(r, PLX_ARRIVAL_END);
    order(r, c, PLX_ORDER_SEND, "1", 1); /* answered by a reset */
    turn(r, MILLIS(20));
    order(r, c, PLX_ORDER_SEND, "2", 1);
    const plx_arrival *error = expect(r, PLX_ARRIVAL_ERROR);
    assert_true(error->detail == EPIPE || error->detail == ECONNRESET);
    order(r, c, PLX_ORDER_SEND, "3", 1);
    expect_silence(r);
    order(r, c, PLX_ORDER_CLOSE, NULL, 0);
    expect(r, PLX_ARRIVAL_CLOSED);
}

static void no_memory_for_what_is_unsent_is_an_error(rig *r)
{
    enum { LENGTH = 8000000 };
    char *reply = pattern(LENGTH, 14);
    int fd;
    rig_open(r, NULL);
    uint64_t c = accepted(r, &fd);
    order(r, c, PLX_ORDER_SEND, reply, LENGTH);
    fail_allocation(1);
    turn(r, 0);
    fail_allocation(0);
    assert_int_equal(expect(r, PLX_ARRIVAL_ERROR)->detail, ENOMEM);
    order(r, c, PLX_ORDER_CLOSE, NULL, 0);
    expect(r, PLX_ARRIVAL_CLOSED);
    peer_expect_reset(fd);
    close(fd);
    free(reply);
}

static void a_fence_before_nothing_is_passed_at_once(rig *r)
{
    int fd;
    rig_open(r, NULL);
    order(r, 0, PLX_ORDER_FENCE, NULL, 0);
    expect(r, PLX_ARRIVAL_FENCED);
    uint64_t c = accepted(r, &fd);
    for (int round = 0; round < 3; round++) {
        order(r, c, PLX_ORDER_SEND | PLX_ORDER_RESIDENT, "gone", 4);
        order(r, 0, PLX_ORDER_FENCE, NULL, 0);
        assert_int_equal(expect(r, PLX_ARRIVAL_FENCED)->connection, 0);
        peer_expect(fd, "gone", 4);
    }
    expect_silence(r);
    close(fd);
}

/* What is ordered behind it is not waited for. */
static void a_fence_waits_for_what_is_before_it(rig *r)
{
    enum { LENGTH = 8000000, PEERS = 3 };
    const plx_arena_sizes sizes = { .pending_limit = 1 << 30 };
    char *before = pattern(LENGTH, 15), *behind = pattern(LENGTH, 16);
    uint64_t names[PEERS];
    int fds[PEERS];
    rig_open(r, &sizes);
    for (int i = 0; i < PEERS; i++)
        names[i] = accepted(r, &fds[i]);
    for (int i = 1; i < PEERS; i++)
        order(r, names[i], PLX_ORDER_SEND | PLX_ORDER_RESIDENT, before, LENGTH);
    order(r, 0, PLX_ORDER_FENCE, NULL, 0);
    expect_silence(r);
    for (int i = 0; i < PEERS; i++)
        order(r, names[i], PLX_ORDER_SEND | PLX_ORDER_RESIDENT, behind, LENGTH);
    order(r, 0, PLX_ORDER_FENCE, NULL, 0); /* has no effect */
    expect_silence(r);
    for (int i = 1; i < PEERS; i++) {
        assert_int_equal(r->next, r->arrived);
        for (int got = 0; got < LENGTH; got += 100000) {
            peer_expect(fds[i], before + got, 100000);
            if (r->next == r->arrived)
                turn(r, 0);
        }
    }
    expect(r, PLX_ARRIVAL_FENCED);
    expect_silence(r);
    order(r, 0, PLX_ORDER_FENCE, NULL, 0);
    expect_silence(r);
    for (int i = 0; i < PEERS; i++)
        for (int got = 0; got < LENGTH; got += 100000) {
            peer_expect(fds[i], behind + got, 100000);
            if (r->next == r->arrived)
                turn(r, 0);
        }
    expect(r, PLX_ARRIVAL_FENCED);
    for (int i = 0; i < PEERS; i++)
        close(fds[i]);
    free(before);
    free(behind);
}

static void a_fence_is_passed_when_connections_end(rig *r)
{
    enum { LENGTH = 8000000 };
    const plx_arena_sizes sizes = { .pending_limit = 1 << 30 };
    char *reply = pattern(LENGTH, 17);
    int fds[2];
    rig_open(r, &sizes);
    uint64_t aborted = accepted(r, &fds[0]), reset = accepted(r, &fds[1]);
    for (int i = 0; i < 3; i++) { /* of several pieces, one is the kernel's */
        order(r, aborted, PLX_ORDER_SEND | PLX_ORDER_RESIDENT, reply, LENGTH);
        order(r, reset, PLX_ORDER_SEND | PLX_ORDER_RESIDENT, reply, LENGTH);
    }
    order(r, 0, PLX_ORDER_FENCE, NULL, 0);
    expect_silence(r);
    order(r, aborted, PLX_ORDER_ABORT, NULL, 0);
    expect(r, PLX_ARRIVAL_CLOSED);
    expect_silence(r);
    peer_reset(fds[1]);
    bool is_error = next(r)->what == PLX_ARRIVAL_ERROR;
    assert_int_equal(next(r)->what, is_error ? PLX_ARRIVAL_FENCED : PLX_ARRIVAL_ERROR);
    order(r, reset, PLX_ORDER_CLOSE, NULL, 0);
    expect(r, PLX_ARRIVAL_CLOSED);
    close(fds[0]);
    free(reply);
}

static void a_fence_waits_for_what_goes_out_short_in_its_turn(rig *r)
{
    int fd;
    rig_open(r, NULL);
    uint64_t c = accepted(r, &fd);
    for (int round = 0; round < 10; round++) {
        shorten_sends(r, 1, 1);
        order(r, c, PLX_ORDER_SEND | PLX_ORDER_RESIDENT | PLX_ORDER_NOTIFY, "123", 3);
        order(r, 0, PLX_ORDER_FENCE, NULL, 0);
        expect(r, PLX_ARRIVAL_SENT);
        expect(r, PLX_ARRIVAL_FENCED);
        peer_expect(fd, "123", 3);
    }
    close(fd);
}

static const arena_test tests[] = {
    { "replies come from anywhere, and in order", replies_come_from_anywhere_and_in_order, NULL },
    { "what the socket takes at once need not stay", what_the_socket_takes_at_once_need_not_stay, NULL },
    { "what the socket does not take at once is told", what_the_socket_does_not_take_at_once_is_told, NULL },
    { "nothing is sent at once to who is closed or unknown", nothing_is_sent_at_once_to_who_is_closed_or_unknown,
      NULL },
    { "orders of several connections may mix", orders_of_several_connections_may_mix, NULL },
    { "what is ordered behind others does not wait for arrivals",
      what_is_ordered_behind_others_does_not_wait_for_arrivals, NULL },
    { "thousands of orders are joined", thousands_of_orders_are_joined, NULL },
    { "a large reply takes several turns", a_large_reply_takes_several_turns, NULL },
    { "it is told when resident bytes are sent", it_is_told_when_resident_bytes_are_sent, NULL },
    { "an empty order is finished in its turn", an_empty_order_is_finished_in_its_turn, NULL },
    { "who does not read is not read from", who_does_not_read_is_not_read_from, NULL },
    { "too much unsent is reported once", too_much_unsent_is_reported_once, NULL },
    { "a peer that resets ends a send that waits", a_peer_that_resets_ends_a_send_that_waits, NULL },
    { "what an abort cuts off ends with a reset", what_an_abort_cuts_off_ends_with_a_reset, NULL },
    { "what closing the arena cuts off ends with a reset", what_closing_the_arena_cuts_off_ends_with_a_reset, NULL },
    { "who reads is seen to", who_reads_is_seen_to, NULL },
    { "what is ordered again waits for the sends beside it", what_is_ordered_again_waits_for_the_sends_beside_it,
      NULL },
    { "a reset before the last bytes are sent is an error", a_reset_before_the_last_bytes_are_sent_is_an_error, NULL },
    { "a send after the peer's end fails once", a_send_after_the_peers_end_fails_once, NULL },
    { "a fence before nothing is passed at once", a_fence_before_nothing_is_passed_at_once, NULL },
    { "a fence waits for what is before it", a_fence_waits_for_what_is_before_it, NULL },
    { "a fence is passed when connections end", a_fence_is_passed_when_connections_end, NULL },
    { "a fence waits for what goes out short in its turn", a_fence_waits_for_what_goes_out_short_in_its_turn, NULL },
    { "no memory for what is unsent is an error", no_memory_for_what_is_unsent_is_an_error, NULL },
};
const arena_suite sending_suite = SUITE(tests);
