/* SPDX-License-Identifier: Apache-2.0
 *
 * test_timeout.c: how long plx_await waits: never less than it was told, for ever when told so, and signals end it.
 */
#include "support.h"

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

static int64_t timed_out(plx_set *set, int64_t ns)
{
    plx_event e[MANY];
    int64_t start = now();
    int n = plx_await(set, e, MANY, ns);
    int64_t elapsed = now() - start;
    assert_int_equal(n, 0);
    return elapsed;
}

static void it_never_ends_early(plx_set *set)
{
    static const int64_t waits[] = { 1,       999,     1000,    100000,  999999,  1000000,
                                     1000001, 1500000, 1999999, 2000000, 2000001, 7654321 };
    int fd = counter(false);
    add_ok(set, fd, 1, PLX_IN);
    for (int round = 0; round < 20; round++)
        for (size_t i = 0; i < sizeof waits / sizeof *waits; i++)
            assert_true(timed_out(set, waits[i]) >= waits[i]);
    close(fd);
}

/* The best of many: a busy machine makes most of them late. Without nanoseconds 50 us are rounded up to 1 ms. */
static void its_grain_is_that_of_its_clock(plx_set *set)
{
    const char *on = plx_features(set);
    bool millis = strstr(on, ", epoll_pwait2") == NULL && strstr(on, ", ppoll") == NULL && strstr(on, "kevent") == NULL;
    int64_t best = INT64_MAX;
    for (int i = 0; i < 300 && (millis || best >= MILLIS(1)); i++) {
        int64_t elapsed = timed_out(set, 50000);
        best = elapsed < best ? elapsed : best;
    }
    if (millis)
        assert_true(best >= MILLIS(1));
    else
        assert_true(best < MILLIS(1));
}

static void nothing_is_no_wait(plx_set *set)
{
    int64_t best = INT64_MAX;
    for (int i = 0; i < 300 && best >= MILLIS(1); i++) {
        int64_t elapsed = timed_out(set, 0);
        best = elapsed < best ? elapsed : best;
    }
    assert_true(best < MILLIS(1));
}

static void seconds_are_seconds(plx_set *set)
{
    assert_true(timed_out(set, SECONDS(1) + 1) >= SECONDS(1) + 1);
}

static void a_wait_without_end_is_ended(plx_set *set)
{
    static const int64_t endless[] = { -1, INT64_MIN, -MILLIS(1), INT64_MAX, INT64_MAX - 999999,
                                       MILLIS(1) * INT_MAX, MILLIS(1) * INT_MAX + 1, MILLIS(1) * UINT_MAX,
                                       SECONDS(INT_MAX), SECONDS(1) * UINT_MAX };
    for (size_t i = 0; i < sizeof endless / sizeof *endless; i++) {
        waiter w;
        waiter_start(&w, set, endless[i]);
        nap(MILLIS(5));
        assert_int_equal(plx_wakeup(set), 0);
        waiter_join(&w);
        assert_int_equal(w.result, 1);
        assert_true(is_wakeup(w.events[0]));
        assert_true(w.elapsed >= MILLIS(5));
    }
}

static void readiness_ends_a_wait(plx_set *set)
{
    waiter w;
    int fd = counter(false);
    add_ok(set, fd, 1, PLX_IN);
    waiter_start(&w, set, -1);
    assert_int_equal(eventfd_write(fd, 1), 0);
    waiter_join(&w);
    assert_int_equal(w.result, 1);
    assert_int_equal(fd_of(w.events[0]), fd);
    close(fd);
}

static void nothing_to_do(int signal)
{
    (void)signal;
}

static void signals_end_it(plx_set *set)
{
    static const int flags[] = { 0, SA_RESTART };
    static const int64_t waits[] = { -1, SECONDS(30) };
    int fd = counter(false);
    add_ok(set, fd, 1, PLX_IN);
    for (int i = 0; i < 4; i++) {
        struct sigaction action = { .sa_handler = nothing_to_do, .sa_flags = flags[i % 2] }, before;
        waiter w;
        sigaction(SIGUSR1, &action, &before);
        waiter_start(&w, set, waits[i / 2]);
        pthread_kill(w.thread, SIGUSR1);
        waiter_join(&w);
        sigaction(SIGUSR1, &before, NULL);
        assert_int_equal(w.result, -EINTR);
    }
    assert_int_equal(eventfd_write(fd, 1), 0);
    expect_event(set, fd, 1, PLX_IN);
    close(fd);
}

static const plx_test timeout_tests[] = {
    { "a timeout is never early", it_never_ends_early, 0 },
    { "the timeout's grain is that of the clock", its_grain_is_that_of_its_clock, 0 },
    { "a timeout of nothing is no wait", nothing_is_no_wait, 0 },
    { "a timeout of seconds is no shorter", seconds_are_seconds, 0 },
    { "a wait without end, or without one in sight, is ended by a wakeup", a_wait_without_end_is_ended, 0 },
    { "readiness ends a wait", readiness_ends_a_wait, 0 },
    { "a signal ends a wait with EINTR and loses nothing", signals_end_it, 0 },
};
const plx_suite timeout_suite = SUITE(timeout_tests);
