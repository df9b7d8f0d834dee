/* SPDX-License-Identifier: Apache-2.0
 *
 * test_waiting.c: what is counted: which turns wait, for how long, and what the mechanism is told.
 */
#include "rig.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static int64_t thread_time(void)
{
    struct timespec t;
    assert_int_equal(clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t), 0);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

/* The next arrival, which must be of this kind; no turn waits for it. */
static const plx_arrival *poll_for(rig *r, uint32_t what)
{
    while (r->next == r->arrived)
        turn(r, 0);
    return expect(r, what);
}

static void a_turn_that_only_looks_does_not_wait(rig *r)
{
    int fd;
    rig_open(r, NULL);
    fd = peer(r);
    poll_for(r, PLX_ARRIVAL_ACCEPTED);
    peer_send(fd, "x", 1);
    poll_for(r, PLX_ARRIVAL_DATA);
    turn(r, 0);
    assert_int_equal(r->v.counts->waits, 0);
    assert_int_equal(r->v.counts->waited, 0);
    close(fd);
}

static void a_turn_with_something_to_report_does_not_wait(rig *r)
{
    int fd;
    rig_open(r, NULL);
    fd = peer(r);
    uint64_t c = poll_for(r, PLX_ARRIVAL_ACCEPTED)->connection;
    peer_send(fd, "x", 1);
    const plx_arrival *data = poll_for(r, PLX_ARRIVAL_DATA);
    for (int i = 0; i < 10; i++) {
        order(r, c, PLX_ORDER_AGAIN, bytes_of(data), 1);
        assert_int_equal(turn(r, -1), 1);
        data = expect(r, PLX_ARRIVAL_DATA);
    }
    assert_int_equal(r->v.counts->waits, 0);
    close(fd);
}

/* Other processes may take the processor away, but nobody makes a wait shorter, or longer than its turn. */
static void waits_are_counted_and_measured(rig *r)
{
    uint64_t waits = 0;
    plx_arena_counts counts;
    rig_open(r, NULL);
    turn(r, 0);
    int64_t start = now(), working = thread_time();
    for (int64_t left = MILLIS(50); left > 0; left = start + MILLIS(50) - now(), waits++)
        assert_int_equal(turn_once(r, 0, left), 0);
    int64_t elapsed = now() - start, worked = thread_time() - working;
    plx_arena_count(r->arena, &counts);
    assert_memory_equal(&counts, r->v.counts, sizeof counts);
    assert_int_equal(counts.waits, waits);
    assert_true(counts.waited >= (uint64_t)(MILLIS(50) - worked) / 2);
    assert_true(counts.waited <= (uint64_t)elapsed);
}

/* A call of io_uring does all three: this would count as waiting. It is the first that waits, so it is measured. */
static void the_time_to_send_is_no_wait(rig *r)
{
    enum { PEERS = 16, LENGTH = 200000 };
    int fds[PEERS];
    uint64_t connections[PEERS];
    rig_open(r, NULL);
    char *reply = pattern(LENGTH, 7);
    for (int i = 0; i < PEERS; i++) {
        fds[i] = peer(r);
        connections[i] = poll_for(r, PLX_ARRIVAL_ACCEPTED)->connection;
    }
    for (int i = 0; i < PEERS; i++)
        order(r, connections[i], PLX_ORDER_SEND | PLX_ORDER_RESIDENT, reply, LENGTH);
    assert_int_equal(r->v.counts->waits, 0);
    int64_t start = now(), working = thread_time();
    turn_once(r, r->orders, MILLIS(1));
    int64_t elapsed = now() - start, worked = thread_time() - working;
    assert_int_equal(r->v.counts->waits, 1);
    assert_true((int64_t)r->v.counts->waited <= elapsed - worked / 2);
    for (int i = 0; i < PEERS; i++)
        close(fds[i]);
    rig_close(r);
    free(reply);
}

static void *wake_when_it_waits(void *argument)
{
    rig *r = argument;
    int64_t patience = now() + SECONDS(20), ns;
    while ((!plx_arena_is_waiting(r->arena, &ns) || ns < MILLIS(5)) && now() < patience)
        nap(MILLIS(1));
    plx_arena_wakeup(r->arena);
    return NULL;
}

static void other_threads_see_for_how_long_it_has_waited(rig *r)
{
    pthread_t thread;
    int64_t ns, opening = now();
    rig_open(r, NULL);
    turn(r, 0);
    nap(MILLIS(5));
    assert_false(plx_arena_is_waiting(r->arena, &ns));
    assert_true(ns >= MILLIS(5) && ns <= now() - opening);
    assert_int_equal(pthread_create(&thread, NULL, wake_when_it_waits, r), 0);
    int64_t start = now();
    assert_int_equal(turn(r, -1), 1);
    assert_true(now() - start < SECONDS(20));
    expect(r, PLX_ARRIVAL_WAKEUP);
    assert_false(plx_arena_is_waiting(r->arena, &ns));
    assert_true(ns >= 0 && ns <= now() - start - MILLIS(5));
    pthread_join(thread, NULL);
}

static void what_the_mechanism_is_told_is_counted(rig *r)
{
    int fd;
    rig_open(r, NULL);
    turn(r, 0);
    uint64_t changes = r->v.counts->changes;
    assert_int_equal(changes, 1); /* the listening socket */
    uint64_t c = accepted(r, &fd);
    turn(r, 0);
    assert_int_equal(r->v.counts->changes, changes + 1);
    for (int i = 0; i < 10; i++) { /* a request needs none */
        peer_send(fd, "ping", 4);
        const plx_arrival *data = expect_data(r, c, "ping", 4);
        order(r, c, PLX_ORDER_SEND, bytes_of(data), data->length);
        turn(r, 0);
        peer_expect(fd, "ping", 4);
    }
    assert_int_equal(r->v.counts->changes, changes + 1);
    close(fd);
}

static const arena_test tests[] = {
    { "a turn that only looks does not wait", a_turn_that_only_looks_does_not_wait, NULL },
    { "a turn with something to report does not wait", a_turn_with_something_to_report_does_not_wait, NULL },
    { "waits are counted and measured", waits_are_counted_and_measured, NULL },
    { "the time to send is no wait", the_time_to_send_is_no_wait, NULL },
    { "what the mechanism is told is counted", what_the_mechanism_is_told_is_counted, NULL },
    { "other threads see for how long it has waited", other_threads_see_for_how_long_it_has_waited, NULL },
};
const arena_suite waiting_suite = SUITE(tests);
