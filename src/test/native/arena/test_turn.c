/* SPDX-License-Identifier: Apache-2.0
 *
 * test_turn.c: how long a turn waits, what ends it, what it costs.
 */
#include "rig.h"

#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static void it_waits_as_long_as_it_is_told(rig *r)
{
    rig_open(r, NULL);
    turn(r, 0);
    int64_t start = now();
    assert_int_equal(turn(r, 0), 0);
    assert_true(now() - start < SECONDS(5));
    start = now();
    for (int64_t left = MILLIS(30); left > 0; left = start + MILLIS(30) - now())
        assert_int_equal(turn(r, left), 0);
    assert_true(now() - start < SECONDS(5));
}

static void a_wakeup_is_sticky_and_coalesced(rig *r)
{
    rig_open(r, NULL);
    for (int i = 0; i < 1000; i++)
        assert_int_equal(plx_arena_wakeup(r->arena), 0);
    expect(r, PLX_ARRIVAL_WAKEUP);
    expect_silence(r);
    for (int i = 0; i < 1000; i++) {
        assert_int_equal(plx_arena_wakeup(r->arena), 0);
        expect(r, PLX_ARRIVAL_WAKEUP);
    }
    expect_silence(r);
}

typedef struct {
    rig *r;
    atomic_int acknowledged;
    int rounds, number; /* plain: nothing but the wakeup orders it */
} waking;

static void *write_and_wake(void *argument)
{
    waking *w = argument;
    for (int i = 1; i <= w->rounds; i++) {
        w->number = i;
        plx_arena_wakeup(w->r->arena);
        while (w->acknowledged < i)
            sched_yield();
    }
    return NULL;
}

static void no_wakeup_is_lost_and_what_was_written_before_is_seen(rig *r)
{
    waking w = { .r = r, .rounds = 2000 };
    pthread_t thread;
    rig_open(r, NULL);
    assert_int_equal(pthread_create(&thread, NULL, write_and_wake, &w), 0);
    for (int i = 1; i <= w.rounds; i++) {
        expect(r, PLX_ARRIVAL_WAKEUP);
        int seen = w.number;
        w.acknowledged = i;
        assert_int_equal(seen, i);
    }
    pthread_join(thread, NULL);
    expect_silence(r);
}

static void *wake_often(void *argument)
{
    waking *w = argument;
    for (int i = 0; i < w->rounds; i++)
        plx_arena_wakeup(w->r->arena);
    w->acknowledged++;
    return NULL;
}

static void many_threads_wake_it_while_it_serves(rig *r)
{
    enum { THREADS = 4 };
    waking w = { .r = r, .rounds = 5000 };
    pthread_t threads[THREADS];
    int fd, wakeups = 0, served = 0;
    rig_open(r, NULL);
    uint64_t c = accepted(r, &fd);
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, wake_often, &w), 0);
    peer_send(fd, "x", 1);
    while (w.acknowledged < THREADS || served < 100 || wakeups == 0) {
        char byte;
        const plx_arrival *arrival = next(r);
        wakeups += arrival->what == PLX_ARRIVAL_WAKEUP;
        if (arrival->what == PLX_ARRIVAL_DATA) {
            order(r, c, PLX_ORDER_SEND, bytes_of(arrival), arrival->length);
            served++;
        }
        if (r->next == r->arrived)
            turn(r, 0);
        if (recv(fd, &byte, 1, MSG_DONTWAIT) == 1)
            peer_send(fd, "x", 1);
    }
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    close(fd);
}

static plx_arena *signalled;

static void wake_in_handler(int signal)
{
    int saved = errno;
    (void)signal;
    plx_arena_wakeup(signalled);
    errno = saved;
}

static void a_signal_handler_may_wake_it(rig *r)
{
    struct sigaction action = { .sa_handler = wake_in_handler }, before;
    rig_open(r, NULL);
    signalled = r->arena;
    assert_int_equal(sigaction(SIGUSR1, &action, &before), 0);
    assert_int_equal(raise(SIGUSR1), 0);
    expect(r, PLX_ARRIVAL_WAKEUP);
    assert_int_equal(sigaction(SIGUSR1, &before, NULL), 0);
}

static void ignore(int signal)
{
    (void)signal;
}

typedef struct {
    pthread_t target;
    atomic_bool ends;
} interruption;

static void *interrupt(void *argument)
{
    interruption *i = argument;
    while (!i->ends) {
        pthread_kill(i->target, SIGUSR2);
        nap(MILLIS(1));
    }
    return NULL;
}

static void a_signal_ends_a_turn(rig *r)
{
    struct sigaction action = { .sa_handler = ignore }, before;
    interruption i = { .target = pthread_self() };
    pthread_t thread;
    rig_open(r, NULL);
    turn(r, 0);
    assert_int_equal(sigaction(SIGUSR2, &action, &before), 0);
    assert_int_equal(pthread_create(&thread, NULL, interrupt, &i), 0);
    int code = plx_arena_turn(r->arena, 0, SECONDS(20));
    while (code == 0) /* it came before the wait */
        code = plx_arena_turn(r->arena, 0, SECONDS(20));
    i.ends = true;
    pthread_join(thread, NULL);
    assert_int_equal(sigaction(SIGUSR2, &before, NULL), 0);
    assert_int_equal(code, -EINTR);
}

static void orders_beyond_the_room_are_refused(rig *r)
{
    rig_open(r, NULL);
    assert_int_equal(plx_arena_turn(r->arena, (int)r->v.max_orders + 1, 0), -EINVAL);
    assert_int_equal(plx_arena_turn(r->arena, -1, 0), -EINVAL);
}

static void an_order_that_does_not_exist_is_ignored(rig *r)
{
    int fd;
    rig_open(r, NULL);
    uint64_t c = accepted(r, &fd);
    order(r, c, 0, NULL, 0);
    order(r, c, 77, NULL, 0);
    order(r, UINT64_MAX, PLX_ORDER_CLOSE, NULL, 0);
    order(r, 0, PLX_ORDER_CLOSE, NULL, 0);
    order(r, (uint64_t)1 << 32 | 5000, PLX_ORDER_CLOSE, NULL, 0);
    order(r, r->listening, PLX_ORDER_SEND, "x", 1);
    expect_silence(r);
    close(fd);
}

static void overwrite(const rig *r)
{
    memset(r->v.memory, 0, (size_t)((char *)r->v.space - (char *)r->v.memory));
}

/* Counts and arrivals are for the caller to read. Nothing depends on what becomes of them, nor of what stands in orders
 * that are not given. */
static void what_the_caller_overwrites_steers_nothing(rig *r)
{
    static char all[4 * 200];
    int fd;
    rig_open(r, NULL);
    uint64_t c = accepted(r, &fd);
    for (size_t length = 4; length <= sizeof all; length += 4) {
        memcpy(all + length - 4, "more", 4);
        peer_send(fd, "more", 4);
        const char *bytes = bytes_of(expect_data(r, c, all, length)); /* joined to what was kept */
        overwrite(r);
        order(r, c, PLX_ORDER_KEEP, bytes, length);
        turn(r, 0);
        overwrite(r);
    }
    close(fd);
}

static void *turn_elsewhere(void *argument)
{
    rig *r = argument;
    int *code = malloc(sizeof *code);
    *code = plx_arena_turn(r->arena, 0, 0);
    return code;
}

static void another_thread_is_told_that_the_ring_is_not_its_own(rig *r)
{
    pthread_t thread;
    void *code;
    rig_open(r, NULL);
    turn(r, 0);
    assert_int_equal(pthread_create(&thread, NULL, turn_elsewhere, r), 0);
    pthread_join(thread, &code);
    assert_int_equal(*(int *)code, -EEXIST);
    free(code);
}

/* However many connections are served: that is what it is for. */
static void a_turn_costs_one_system_call(rig *r)
{
    enum { PEERS = 64, ROUNDS = 50 };
    static const char reply[] = "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n";
    int fds[PEERS], served = 0;
    plx_arena_counts before, after;
    rig_open(r, NULL);
    for (int i = 0; i < PEERS; i++)
        accepted(r, &fds[i]);
    turn(r, 0);
    plx_arena_count(r->arena, &before);
    for (int round = 0; round < ROUNDS; round++) {
        for (int i = 0; i < PEERS; i++)
            peer_send(fds[i], "?", 1);
        for (int got = 0; got < PEERS; got += r->arrived) {
            turn(r, SECONDS(5));
            for (int k = 0; k < r->arrived; k++, served++)
                order(r, r->v.arrivals[k].connection, PLX_ORDER_SEND | PLX_ORDER_RESIDENT, reply, sizeof reply - 1);
        }
        if (round == ROUNDS - 1)
            plx_arena_count(r->arena, &after);
        turn(r, 0);
        for (int i = 0; i < PEERS; i++)
            peer_expect(fds[i], reply, sizeof reply - 1);
    }
    assert_int_equal(served, PEERS * ROUNDS);
    assert_int_equal(after.system_calls - before.system_calls, after.turns - before.turns);
    assert_true((after.system_calls - before.system_calls) * 100 <= (uint64_t)served * 35);
    for (int i = 0; i < PEERS; i++)
        close(fds[i]);
}

/* One request at a time: send, wait, receive are one call. */
static void a_request_alone_costs_one_system_call(rig *r)
{
    enum { ROUNDS = 200 };
    int fd;
    plx_arena_counts before, after;
    rig_open(r, NULL);
    uint64_t c = accepted(r, &fd);
    turn(r, 0);
    plx_arena_count(r->arena, &before);
    for (int round = 0; round < ROUNDS; round++) {
        peer_send(fd, "ping", 4);
        const plx_arrival *data = expect_data(r, c, "ping", 4);
        order(r, c, PLX_ORDER_SEND, bytes_of(data), data->length);
    }
    plx_arena_count(r->arena, &after);
    assert_true(after.system_calls - before.system_calls <= ROUNDS);
    turn(r, 0);
    close(fd);
}

static const arena_test tests[] = {
    { "it waits as long as it is told", it_waits_as_long_as_it_is_told, NULL },
    { "a wakeup is sticky and coalesced", a_wakeup_is_sticky_and_coalesced, NULL },
    { "no wakeup is lost, and what was written before is seen", no_wakeup_is_lost_and_what_was_written_before_is_seen,
      NULL },
    { "many threads wake it while it serves", many_threads_wake_it_while_it_serves, NULL },
    { "a signal handler may wake it", a_signal_handler_may_wake_it, NULL },
    { "a signal ends a turn", a_signal_ends_a_turn, NULL },
    { "orders beyond the room are refused", orders_beyond_the_room_are_refused, NULL },
    { "what the caller overwrites steers nothing", what_the_caller_overwrites_steers_nothing, NULL },
    { "an order that does not exist is ignored", an_order_that_does_not_exist_is_ignored, NULL },
    { "another thread is told that the ring is not its own", another_thread_is_told_that_the_ring_is_not_its_own,
      "io_uring" },
    { "a turn costs one system call", a_turn_costs_one_system_call, "io_uring" },
    { "a request alone costs one system call", a_request_alone_costs_one_system_call, "io_uring" },
};
const arena_suite turn_suite = SUITE(tests);
