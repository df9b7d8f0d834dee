/* SPDX-License-Identifier: Apache-2.0
 *
 * test_change.c: plx_update as it succeeds: add, modify, remove, and the caller whose memory differs from the kernel's.
 */
#include "support.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/eventfd.h>
#include <unistd.h>

static void an_added_descriptor_is_reported_until_removed(plx_set *set)
{
    int fd = counter(true);
    expect_nothing(set);
    change_ok(set, fd, 7, 0, PLX_IN);
    expect_event(set, fd, 7, PLX_IN);
    expect_event(set, fd, 7, PLX_IN);
    change_ok(set, fd, 7, PLX_IN, 0);
    expect_nothing(set);
    close(fd);
}

static void modifying_replaces_interest_and_generation(plx_set *set)
{
    int fd = counter(true);
    change_ok(set, fd, 1, 0, PLX_IN);
    change_ok(set, fd, 2, PLX_IN, PLX_OUT);
    expect_event(set, fd, 2, PLX_OUT);
    change_ok(set, fd, 3, PLX_OUT, PLX_IN | PLX_OUT);
    expect_event(set, fd, 3, PLX_IN | PLX_OUT);
    change_ok(set, fd, 4, PLX_IN | PLX_OUT, PLX_PRI);
    expect_nothing(set);
    close(fd);
}

static void adding_twice_modifies(plx_set *set)
{
    int fd = counter(true);
    change_ok(set, fd, 1, 0, PLX_IN);
    change_ok(set, fd, 2, 0, PLX_OUT);
    expect_event(set, fd, 2, PLX_OUT);
    change_ok(set, fd, 2, PLX_OUT, 0);
    expect_nothing(set);
    close(fd);
}

static void modifying_what_is_not_there_adds(plx_set *set)
{
    int fd = counter(true);
    change_ok(set, fd, 5, PLX_OUT, PLX_IN);
    expect_event(set, fd, 5, PLX_IN);
    close(fd);
}

static void a_certain_change_modifies(plx_set *set)
{
    int fd = counter(true);
    change_ok(set, fd, 1, 0, PLX_IN);
    change_ok(set, fd, 2, PLX_IN, PLX_OUT | PLX_CERTAIN);
    expect_event(set, fd, 2, PLX_OUT);
    close(fd);
}

/* Only epoll knows: of the others one looks at numbers, and the other adds in any case. */
static void a_certain_change_adds_nothing_where_the_kernel_knows(plx_set *set)
{
    int fd = counter(true);
    change_ok(set, fd, 1, 0, PLX_IN);
    replace(fd, counter(true));
    assert_int_equal(change_and_await(set, fd, 2, PLX_IN, PLX_OUT | PLX_CERTAIN), is(set, "epoll") ? -ENOENT : 0);
    if (is(set, "epoll"))
        expect_nothing(set);
    else
        expect_event(set, fd, 2, PLX_OUT);
    close(fd);
}

static void removing_what_is_not_there_succeeds(plx_set *set)
{
    int fd = counter(true);
    change_ok(set, fd, 1, PLX_IN, 0);
    change_ok(set, fd, 1, 0, 0);
    change_ok(set, fd, 1, 0, PLX_IN);
    change_ok(set, fd, 1, PLX_IN, 0);
    change_ok(set, fd, 1, PLX_IN, 0);
    expect_nothing(set);
    close(fd);
}

static void removing_a_closed_descriptor_succeeds(plx_set *set)
{
    int fd = counter(true);
    change_ok(set, fd, 1, 0, PLX_IN);
    close(fd);
    change_ok(set, fd, 1, PLX_IN, 0);
    expect_nothing(set);
    change_ok(set, 19999, 1, PLX_IN, 0);
    change_ok(set, INT32_MAX, 1, PLX_IN, 0);
}

static void removing_a_negative_descriptor_succeeds(plx_set *set)
{
    change_ok(set, -1, 1, PLX_IN, 0);
    change_ok(set, INT32_MIN, 1, PLX_IN, 0);
}

/* epoll_ctl(2) says EPERM, not ENOENT, when a regular file has the number now. */
static void removing_a_number_that_a_file_has_now_succeeds(plx_set *set)
{
    int fd = counter(true);
    change_ok(set, fd, 1, 0, PLX_IN);
    replace(fd, regular_file());
    change_ok(set, fd, 1, PLX_IN, 0);
    expect_nothing(set);
    close(fd);
}

static void a_reused_number_has_its_new_generation(plx_set *set)
{
    int fd = counter(true);
    for (uint32_t gen = 1; gen < 100; gen++) {
        change_ok(set, fd, gen, 0, PLX_IN);
        expect_event(set, fd, gen, PLX_IN);
        if (gen % 3 == 0)
            change_ok(set, fd, gen, PLX_IN, 0); /* otherwise the library is not told */
        replace(fd, counter(true));
    }
    change_ok(set, fd, 100, PLX_IN, PLX_IN);
    expect_event(set, fd, 100, PLX_IN);
    close(fd);
}

static void a_removed_descriptor_may_be_reused_at_once(plx_set *set)
{
    int fd = counter(true);
    change_ok(set, fd, 1, 0, PLX_IN);
    change_ok(set, fd, 1, PLX_IN, 0);
    replace(fd, counter(true));
    expect_nothing(set);
    close(fd);
}

static void every_generation_comes_back(plx_set *set)
{
    static const uint32_t gens[] = { 0, 1, 0x7fffffff, 0x80000000, 0xfffffffe, 0xffffffff };
    int fd = counter(true);
    for (size_t i = 0; i < sizeof gens / sizeof *gens; i++) {
        change_ok(set, fd, gens[i], i, PLX_IN);
        expect_event(set, fd, gens[i], PLX_IN);
    }
    close(fd);
}

static void changes_of_one_call_are_applied_in_order(plx_set *set)
{
    int a = counter(true), b = counter(true), c = counter(true);
    const plx_change changes[] = {
        { a, 1, 0, PLX_IN },      { b, 1, 0, PLX_IN },      { a, 1, PLX_IN, 0 },
        { a, 2, 0, PLX_OUT },     { c, 1, 0, PLX_IN },      { b, 2, PLX_IN, PLX_IN | PLX_OUT },
        { c, 1, PLX_IN, PLX_OUT }, { c, 1, PLX_OUT, 0 },
    };
    plx_event failed[8], e[8];
    assert_int_equal(plx_update(set, changes, 8, failed), 0);
    int n = plx_await(set, e, 8, 0);
    assert_int_equal(events_of(e, n, a), PLX_OUT);
    assert_int_equal(events_of(e, n, b), PLX_IN | PLX_OUT);
    assert_int_equal(events_of(e, n, c), 0);
    for (int i = 0; i < n; i++)
        assert_int_equal(e[i].gen, plx_caps(set) & PLX_CAP_GEN ? 2 : 0);
    close(a);
    close(b);
    close(c);
}

static void no_change_is_no_change(plx_set *set)
{
    assert_int_equal(plx_update(set, NULL, 0, NULL), 0);
    expect_nothing(set);
}

static void a_high_descriptor_is_as_good_as_a_low_one(plx_set *set)
{
    int low = counter(true), high = fcntl(low, F_DUPFD_CLOEXEC, 900);
    assert_true(high >= 900);
    change_ok(set, high, 9, 0, PLX_IN);
    expect_event(set, high, 9, PLX_IN);
    change_ok(set, high, 9, PLX_IN, 0);
    expect_nothing(set);
    close(high);
    close(low);
}

static void the_set_can_be_emptied_and_filled_again(plx_set *set)
{
    int fds[200];
    for (uint32_t round = 0; round < 5; round++) {
        for (int i = 0; i < 200; i++) {
            fds[i] = counter(i == 111);
            change_ok(set, fds[i], round, 0, PLX_IN);
        }
        expect_event(set, fds[111], round, PLX_IN);
        for (int i = 0; i < 200; i++) {
            change_ok(set, fds[i], round, PLX_IN, 0);
            close(fds[i]);
        }
        expect_nothing(set);
    }
}

static void a_change_is_in_force_for_an_await_in_progress(plx_set *set)
{
    for (uint32_t i = 0; i < 50; i++) {
        waiter w;
        int fd = counter(true);
        waiter_start(&w, set, SECONDS(30));
        change_ok(set, fd, i, 0, PLX_IN);
        waiter_join(&w);
        assert_int_equal(w.result, 1);
        assert_int_equal(w.events[0].fd, fd);
        assert_int_equal(w.events[0].gen, i);
        close(fd);
    }
}

/* What the next event of a thread inside await is, after a change and a write that another one makes. */
static void modify_while_awaited(plx_set *set, int fd, uint32_t had, uint32_t want, uint32_t expected)
{
    waiter w;
    waiter_start(&w, set, SECONDS(30));
    change_ok(set, fd, 2, had, want);
    waiter_join(&w);
    assert_int_equal(w.result, 1);
    assert_int_equal(w.events[0].fd, fd);
    assert_int_equal(w.events[0].gen, 2);
    assert_int_equal(w.events[0].events, expected);
}

static void a_modification_is_in_force_for_an_await_in_progress(plx_set *set)
{
    int fd = counter(true);
    for (int i = 0; i < 50; i++) {
        change_ok(set, fd, 1, PLX_IN, PLX_PRI);
        modify_while_awaited(set, fd, PLX_PRI, PLX_IN, PLX_IN);
    }
    close(fd);
}

static void a_one_shot_is_armed_again_for_an_await_in_progress(plx_set *set)
{
    int fd = counter(true);
    for (int i = 0; i < 50; i++) {
        change_ok(set, fd, 1, PLX_IN, PLX_IN | PLX_ONESHOT);
        expect_event(set, fd, 1, PLX_IN);
        modify_while_awaited(set, fd, PLX_IN | PLX_ONESHOT, PLX_IN | PLX_ONESHOT, PLX_IN);
    }
    close(fd);
}

static void a_removal_is_in_force_for_an_await_in_progress(plx_set *set)
{
    for (int i = 0; i < 50; i++) {
        waiter w;
        int fd = counter(false);
        change_ok(set, fd, 1, 0, PLX_IN);
        waiter_start(&w, set, SECONDS(30));
        change_ok(set, fd, 1, PLX_IN, 0);
        assert_int_equal(eventfd_write(fd, 1), 0); /* would end the wait */
        assert_int_equal(plx_wakeup(set), 0);
        waiter_join(&w);
        assert_int_equal(w.result, 1);
        assert_int_equal(w.events[0].fd, PLX_WAKE);
        close(fd);
    }
}

enum { CHANGERS = 4, OWN = 20, TURNS = 50 };

typedef struct {
    plx_set *set;
    int fds[OWN];
    int refused;
} changer;

/* Adds, modifies and removes descriptors of its own, which are never ready for what is asked; at last one is. */
static void *change_often(void *argument)
{
    changer *c = argument;
    plx_event failed[OWN];
    plx_change changes[OWN];
    for (int turn = 0; turn <= TURNS; turn++)
        for (uint32_t step = 0; step < (turn < TURNS ? 3 : 1); step++) {
            static const uint32_t interests[] = { 0, PLX_PRI, PLX_PRI | PLX_RDHUP, 0 };
            for (int i = 0; i < OWN; i++)
                changes[i] = (plx_change){ c->fds[i], (uint32_t)i, interests[step], interests[step + 1] };
            if (turn == TURNS)
                changes[OWN - 1].want = PLX_IN;
            c->refused += plx_update(c->set, changes, OWN, failed);
        }
    return NULL;
}

static void changes_of_many_threads_lose_nothing(plx_set *set)
{
    pthread_t threads[CHANGERS];
    changer changers[CHANGERS];
    waiter w;
    plx_event e[MANY];
    waiter_start(&w, set, -1);
    for (int t = 0; t < CHANGERS; t++) {
        changers[t] = (changer){ .set = set };
        for (int i = 0; i < OWN; i++)
            changers[t].fds[i] = counter(true);
        assert_int_equal(pthread_create(&threads[t], NULL, change_often, &changers[t]), 0);
    }
    for (int t = 0; t < CHANGERS; t++) {
        assert_int_equal(pthread_join(threads[t], NULL), 0);
        assert_int_equal(changers[t].refused, 0);
    }
    waiter_join(&w);
    int n = plx_await(set, e, MANY, 0);
    assert_int_equal(n, CHANGERS);
    for (int t = 0; t < CHANGERS; t++)
        for (int i = 0; i < OWN; i++) {
            assert_int_equal(events_of(e, n, changers[t].fds[i]), i == OWN - 1 ? PLX_IN : 0);
            close(changers[t].fds[i]);
        }
}

static const plx_test change_tests[] = {
    { "an added descriptor is reported until it is removed", an_added_descriptor_is_reported_until_removed, 0 },
    { "modifying replaces interest and generation", modifying_replaces_interest_and_generation, 0 },
    { "adding what is there modifies it", adding_twice_modifies, 0 },
    { "modifying what is not there adds it", modifying_what_is_not_there_adds, 0 },
    { "a certain change modifies what is there", a_certain_change_modifies, 0 },
    { "a certain change adds nothing where the kernel knows better", a_certain_change_adds_nothing_where_the_kernel_knows, 0 },
    { "removing what is not there succeeds", removing_what_is_not_there_succeeds, 0 },
    { "removing a closed descriptor succeeds", removing_a_closed_descriptor_succeeds, 0 },
    { "removing a negative descriptor succeeds", removing_a_negative_descriptor_succeeds, 0 },
    { "removing a number that a file has taken succeeds", removing_a_number_that_a_file_has_now_succeeds, 0 },
    { "a reused number comes with its new generation", a_reused_number_has_its_new_generation, 0 },
    { "a removed descriptor may be closed and reused at once", a_removed_descriptor_may_be_reused_at_once, 0 },
    { "every generation comes back", every_generation_comes_back, PLX_CAP_GEN },
    { "changes of one call are applied in their order", changes_of_one_call_are_applied_in_order, 0 },
    { "no change is no change", no_change_is_no_change, 0 },
    { "a high descriptor is as good as a low one", a_high_descriptor_is_as_good_as_a_low_one, 0 },
    { "a set can be emptied and filled again", the_set_can_be_emptied_and_filled_again, 0 },
    { "a change is in force for an await in progress", a_change_is_in_force_for_an_await_in_progress, PLX_CAP_LIVE },
    { "a modification is in force for an await in progress", a_modification_is_in_force_for_an_await_in_progress,
      PLX_CAP_LIVE },
    { "a one-shot is armed again for an await in progress", a_one_shot_is_armed_again_for_an_await_in_progress,
      PLX_CAP_LIVE | PLX_CAP_ONESHOT },
    { "a removal is in force for an await in progress", a_removal_is_in_force_for_an_await_in_progress, PLX_CAP_LIVE },
    { "changes of many threads during an await lose nothing", changes_of_many_threads_lose_nothing, PLX_CAP_LIVE },
};
const plx_suite change_suite = SUITE(change_tests);
