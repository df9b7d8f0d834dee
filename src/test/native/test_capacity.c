/* SPDX-License-Identifier: Apache-2.0
 *
 * test_capacity.c: more ready descriptors than room for events, and large sets.
 */
#include "support.h"

#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <unistd.h>

enum { READY = 100, LARGE = 5000 };

static void fill(plx_set *set, int *fds, int count)
{
    for (int i = 0; i < count; i++) {
        fds[i] = counter(true);
        add_ok(set, fds[i], (uint32_t)i + 1000, PLX_IN);
    }
}

static void empty(const int *fds, int count)
{
    for (int i = 0; i < count; i++)
        close(fds[i]);
}

/* Counts how often each of fds was reported, checks the entry; room is guarded behind. */
static int await_counting(plx_set *set, const int *fds, int count, int cap, int *seen)
{
    plx_event e[READY + 2];
    int wakes = 0;
    memset(e, 0x55, sizeof e);
    int n = plx_await(set, e, cap, 0);
    assert_in_range(n, 1, cap);
    assert_int_equal(e[cap].cookie, 0x5555555555555555);
    for (int i = 0; i < n; i++) {
        int k = 0;
        if (is_wakeup(e[i])) {
            wakes++;
            continue;
        }
        while (k < count && fds[k] != fd_of(e[i]))
            k++;
        assert_in_range(k, 0, count - 1);
        assert_int_equal(gen_of(e[i]), k + 1000);
        assert_int_equal(e[i].events, PLX_IN);
        seen[k]++;
    }
    return wakes;
}

static void assert_all_seen(const int *seen, int count)
{
    for (int i = 0; i < count; i++)
        assert_in_range(seen[i], 1, INT32_MAX);
}

static void a_full_buffer_starves_nobody(plx_set *set)
{
    int fds[READY];
    fill(set, fds, READY);
    for (int cap = 1; cap <= READY + 1; cap += cap < 12 ? 1 : 11) {
        int seen[READY] = { 0 };
        for (int i = 0; i < 2 * ((READY + cap - 1) / cap); i++)
            await_counting(set, fds, READY, cap, seen);
        assert_all_seen(seen, READY);
    }
    empty(fds, READY);
}

static void a_full_buffer_is_used_to_its_end(plx_set *set)
{
    int fds[READY], seen[READY] = { 0 };
    plx_event e[READY];
    fill(set, fds, READY);
    for (int cap = 1; cap <= READY; cap++)
        assert_int_equal(plx_await(set, e, cap, -1), cap);
    for (int i = 0; i < 2; i++)
        await_counting(set, fds, READY, READY + 1, seen);
    for (int i = 0; i < READY; i++)
        assert_int_equal(seen[i], 2);
    empty(fds, READY);
}

static void removal_between_starves_nobody(plx_set *set)
{
    int fds[READY], seen[READY] = { 0 };
    fill(set, fds, READY);
    for (int i = 0; i < READY / 2; i++) {
        await_counting(set, fds, READY, 3, seen);
        int k = i * 2; /* every other one leaves, wherever the scan stands */
        remove_ok(set, fds[k]);
        seen[k] = 1;
    }
    for (int i = 0; i < READY / 3 + 1; i++)
        await_counting(set, fds, READY, 3, seen);
    assert_all_seen(seen, READY);
    empty(fds, READY);
}

static void wakeups_starve_nobody(plx_set *set)
{
    int fds[READY], seen[READY] = { 0 }, wakes = 0;
    fill(set, fds, READY);
    for (int i = 0; i < 2 * READY; i++) {
        assert_int_equal(plx_wakeup(set), 0);
        wakes += await_counting(set, fds, READY, 2, seen);
    }
    assert_all_seen(seen, READY);
    assert_in_range(wakes, 1, 2 * READY);
    empty(fds, READY);
}

static void a_wakeup_is_not_lost_in_a_full_buffer(plx_set *set)
{
    int fds[READY], seen[READY] = { 0 }, wakes = 0;
    fill(set, fds, READY);
    assert_int_equal(plx_wakeup(set), 0);
    for (int i = 0; i < 2 * READY; i++)
        wakes += await_counting(set, fds, READY, 1, seen);
    assert_int_equal(wakes, 1);
    empty(fds, READY);
}

static void a_large_set_reports_exactly_its_ready_ones(plx_set *set)
{
    struct rlimit limit;
    getrlimit(RLIMIT_NOFILE, &limit);
    if (limit.rlim_cur < LARGE + 100)
        fail_msg("needs %d open files; the hard limit is %ld", LARGE + 100, (long)limit.rlim_max);
    int *fds = calloc(LARGE, sizeof *fds);
    plx_event *e = calloc(LARGE, sizeof *e);
    for (uint32_t i = 0; i < LARGE; i++) {
        fds[i] = counter(i % 7 == 3);
        add_ok(set, fds[i], i, PLX_IN);
    }
    for (int step = 1; step <= 2; step++) { /* all of them, then every other */
        int n = plx_await(set, e, LARGE, -1), expected = 0;
        for (int i = 3; i < LARGE; i += 7)
            expected += step == 1 || i % 2 == 0;
        assert_int_equal(n, expected);
        for (int i = 0; i < n; i++) {
            assert_int_equal(fd_of(e[i]), fds[gen_of(e[i])]);
            assert_int_equal(gen_of(e[i]) % 7, 3);
            assert_int_equal(step == 2 ? gen_of(e[i]) % 2 : 0, 0);
        }
        for (int i = 1; i < LARGE; i += 2)
            remove_ok(set, fds[i]);
    }
    for (int i = 0; i < LARGE; i++) {
        remove_ok(set, fds[i]);
        close(fds[i]);
    }
    expect_nothing(set);
    free(fds);
    free(e);
}

static const plx_test capacity_tests[] = {
    { "a buffer too small for all starves nobody", a_full_buffer_starves_nobody, 0 },
    { "a buffer is filled to its end and not beyond", a_full_buffer_is_used_to_its_end, 0 },
    { "removals between full buffers starve nobody", removal_between_starves_nobody, 0 },
    { "wakeups beside full buffers starve nobody", wakeups_starve_nobody, 0 },
    { "a wakeup is reported in spite of full buffers", a_wakeup_is_not_lost_in_a_full_buffer, 0 },
    { "a set of 5000 reports exactly the ready ones", a_large_set_reports_exactly_its_ready_ones, 0 },
};
const plx_suite capacity_suite = SUITE(capacity_tests);
