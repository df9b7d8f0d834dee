/* SPDX-License-Identifier: Apache-2.0
 *
 * test_change.c: plx_add, plx_modify and plx_remove as they succeed; and what is not there, or is there already.
 */
#include "support.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <sys/eventfd.h>
#include <unistd.h>

static void an_added_descriptor_is_reported_until_removed(plx_set *set)
{
    int fd = counter(true);
    expect_nothing(set);
    add_ok(set, fd, 7, PLX_IN);
    expect_event(set, fd, 7, PLX_IN);
    expect_event(set, fd, 7, PLX_IN);
    remove_ok(set, fd);
    expect_nothing(set);
    close(fd);
}

static void modifying_replaces_events_and_cookie(plx_set *set)
{
    int fd = counter(true);
    add_ok(set, fd, 1, PLX_IN);
    modify_ok(set, fd, 2, PLX_OUT);
    expect_event(set, fd, 2, PLX_OUT);
    modify_ok(set, fd, 3, PLX_IN | PLX_OUT);
    expect_event(set, fd, 3, PLX_IN | PLX_OUT);
    modify_ok(set, fd, 4, PLX_PRI);
    expect_nothing(set);
    close(fd);
}

static void adding_what_is_there_replaces_it(plx_set *set)
{
    int fd = counter(true);
    add_ok(set, fd, 1, PLX_IN);
    add_ok(set, fd, 2, PLX_OUT);
    expect_event(set, fd, 2, PLX_OUT);
    add_ok(set, fd, 3, PLX_OUT);
    expect_event(set, fd, 3, PLX_OUT);
    remove_ok(set, fd);
    expect_nothing(set);
    close(fd);
}

static void adding_what_is_there_looks_again(plx_set *set)
{
    int fd = counter(true);
    add_ok(set, fd, 1, PLX_IN | PLX_EDGE);
    expect_event(set, fd, 1, PLX_IN);
    expect_nothing(set);
    add_ok(set, fd, 2, PLX_IN | PLX_EDGE);
    expect_event(set, fd, 2, PLX_IN);
    expect_nothing(set);
    modify_ok(set, fd, 3, PLX_IN | PLX_EDGE);
    expect_event(set, fd, 3, PLX_IN);
    expect_nothing(set);
    close(fd);
}

static void what_was_never_added_cannot_be_modified(plx_set *set)
{
    int fd = counter(true), high = fcntl(fd, F_DUPFD_CLOEXEC, 900);
    assert_int_equal(modify(set, fd, 1, PLX_IN), -ENOENT);
    assert_int_equal(modify(set, high, 1, 0), -ENOENT);
    expect_nothing(set);
    add_ok(set, fd, 2, PLX_IN);
    assert_int_equal(modify(set, high, 1, PLX_IN), -ENOENT);
    expect_event(set, fd, 2, PLX_IN);
    close(fd);
    close(high);
}

static void what_was_removed_cannot_be_modified(plx_set *set)
{
    int fd = counter(true);
    for (uint32_t gen = 1; gen < 10; gen++) {
        add_ok(set, fd, gen, gen % 2 == 0 ? PLX_IN : 0);
        if (gen % 3 == 0)
            plx_await(set, (plx_event[MANY]){ 0 }, MANY, 0);
        remove_ok(set, fd);
        assert_int_equal(modify(set, fd, gen, PLX_IN), -ENOENT);
        expect_nothing(set);
    }
    add_ok(set, fd, 10, PLX_IN);
    expect_event(set, fd, 10, PLX_IN);
    close(fd);
}

/* Only epoll knows here: a kqueue would have to be asked, and the others look at numbers. */
static void what_was_closed_cannot_be_modified_where_the_kernel_knows(plx_set *set)
{
    int fd = counter(true);
    add_ok(set, fd, 1, PLX_IN);
    expect_event(set, fd, 1, PLX_IN);
    replace(fd, counter(true));
    assert_int_equal(modify_and_await(set, fd, 2, PLX_OUT), is(set, "epoll") ? -ENOENT : 0);
    if (is(set, "epoll"))
        expect_nothing(set);
    else
        expect_event(set, fd, 2, PLX_OUT);
    add_ok(set, fd, 3, PLX_IN);
    expect_event(set, fd, 3, PLX_IN);
    close(fd);
}

/* Else it would be silent for ever, and no one would know. */
static void what_was_closed_is_refused_or_watched_when_it_is_modified_to_the_same(plx_set *set)
{
    for (uint32_t gen = 1; gen < 8; gen += 2) {
        int fd = counter(true);
        uint32_t want = gen < 4 ? PLX_IN : PLX_IN | PLX_OUT;
        add_ok(set, fd, gen, PLX_IN);
        expect_event(set, fd, gen, PLX_IN);
        replace(fd, counter(true));
        int code = modify_and_await(set, fd, gen + 1, want);
        assert_int_equal(code, is(set, "epoll") ? -ENOENT : 0);
        if (code == 0)
            expect_event(set, fd, gen + 1, want);
        else
            expect_nothing(set);
        close(fd);
        plx_remove(set, fd);
    }
}

static void to_want_nothing_keeps_a_descriptor(plx_set *set)
{
    int fd = counter(true), pipe[2];
    add_ok(set, fd, 1, 0);
    expect_nothing(set);
    modify_ok(set, fd, 2, PLX_IN);
    expect_event(set, fd, 2, PLX_IN);
    modify_ok(set, fd, 3, 0);
    expect_nothing(set);
    modify_ok(set, fd, 4, 0);
    modify_ok(set, fd, 5, PLX_OUT);
    expect_event(set, fd, 5, PLX_OUT);
    modify_ok(set, fd, 6, 0);
    remove_ok(set, fd);
    assert_int_equal(modify(set, fd, 7, PLX_IN), -ENOENT);
    pipe_pair(pipe);
    add_ok(set, pipe[0], 8, 0);
    assert_int_equal(write(pipe[1], "x", 1), 1);
    expect_nothing(set);
    close(pipe[1]);
    if (is(set, "kqueue")) /* in vain */
        expect_nothing(set);
    else
        expect_event(set, pipe[0], 8, PLX_HUP);
    close(pipe[0]);
    close(fd);
}

static void removing_what_is_not_there_succeeds(plx_set *set)
{
    int fd = counter(true);
    remove_ok(set, fd);
    remove_ok(set, fd);
    add_ok(set, fd, 1, PLX_IN);
    remove_ok(set, fd);
    remove_ok(set, fd);
    expect_nothing(set);
    close(fd);
}

static void removing_a_closed_descriptor_succeeds(plx_set *set)
{
    int fd = counter(true);
    add_ok(set, fd, 1, PLX_IN);
    close(fd);
    remove_ok(set, fd);
    expect_nothing(set);
    remove_ok(set, 19999);
    remove_ok(set, INT32_MAX);
}

static void removing_a_negative_descriptor_succeeds(plx_set *set)
{
    remove_ok(set, -1);
    remove_ok(set, INT32_MIN);
}

/* epoll_ctl(2) says EPERM, not ENOENT, when a regular file has the number now. */
static void removing_a_number_that_a_file_has_now_succeeds(plx_set *set)
{
    int fd = counter(true);
    add_ok(set, fd, 1, PLX_IN);
    replace(fd, regular_file());
    remove_ok(set, fd);
    expect_nothing(set);
    close(fd);
}

static void a_reused_number_has_its_new_cookie(plx_set *set)
{
    int fd = counter(true);
    for (uint32_t gen = 1; gen < 100; gen++) {
        add_ok(set, fd, gen, PLX_IN);
        expect_event(set, fd, gen, PLX_IN);
        if (gen % 3 == 0)
            remove_ok(set, fd); /* otherwise the library is not told */
        replace(fd, counter(true));
    }
    add_ok(set, fd, 100, PLX_IN);
    expect_event(set, fd, 100, PLX_IN);
    close(fd);
}

static void a_removed_descriptor_may_be_reused_at_once(plx_set *set)
{
    int fd = counter(true);
    add_ok(set, fd, 1, PLX_IN);
    remove_ok(set, fd);
    replace(fd, counter(true));
    expect_nothing(set);
    close(fd);
}

static void a_removed_number_can_be_added_again(plx_set *set)
{
    int fd = counter(true);
    for (uint32_t gen = 1; gen < 20; gen++) {
        add_ok(set, fd, gen, PLX_IN);
        if (gen % 2 == 0)
            expect_event(set, fd, gen, PLX_IN);
        remove_ok(set, fd);
        close(fd);
        assert_int_equal(counter(true), fd);
    }
    expect_nothing(set);
    add_ok(set, fd, 20, PLX_OUT);
    expect_event(set, fd, 20, PLX_OUT);
    close(fd);
}

static void changes_are_applied_in_order(plx_set *set)
{
    int a = counter(true), b = counter(true), c = counter(true);
    plx_event e[8];
    add_ok(set, a, 1, PLX_IN);
    add_ok(set, b, 1, PLX_IN);
    remove_ok(set, a);
    add_ok(set, a, 2, PLX_OUT);
    add_ok(set, c, 1, PLX_IN);
    modify_ok(set, b, 2, PLX_IN | PLX_OUT);
    modify_ok(set, c, 1, PLX_OUT);
    remove_ok(set, c);
    int n = plx_await(set, e, 8, 0);
    assert_int_equal(events_of(e, n, a), PLX_OUT);
    assert_int_equal(events_of(e, n, b), PLX_IN | PLX_OUT);
    assert_int_equal(events_of(e, n, c), 0);
    for (int i = 0; i < n; i++)
        assert_int_equal(gen_of(e[i]), 2);
    close(a);
    close(b);
    close(c);
}

static void a_high_descriptor_is_as_good_as_a_low_one(plx_set *set)
{
    int low = counter(true), high = fcntl(low, F_DUPFD_CLOEXEC, 900);
    assert_true(high >= 900);
    add_ok(set, high, 9, PLX_IN);
    expect_event(set, high, 9, PLX_IN);
    remove_ok(set, high);
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
            add_ok(set, fds[i], round, PLX_IN);
        }
        expect_event(set, fds[111], round, PLX_IN);
        for (int i = 0; i < 200; i++) {
            remove_ok(set, fds[i]);
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
        add_ok(set, fd, i, PLX_IN);
        waiter_join(&w);
        assert_int_equal(w.result, 1);
        assert_int_equal(fd_of(w.events[0]), fd);
        assert_int_equal(gen_of(w.events[0]), i);
        close(fd);
    }
}

/* What the next event of a thread inside await is, after a change and a write that another one makes. */
static void modify_while_awaited(plx_set *set, int fd, uint32_t want, uint32_t expected)
{
    waiter w;
    waiter_start(&w, set, SECONDS(30));
    modify_ok(set, fd, 2, want);
    waiter_join(&w);
    assert_int_equal(w.result, 1);
    assert_int_equal(fd_of(w.events[0]), fd);
    assert_int_equal(gen_of(w.events[0]), 2);
    assert_int_equal(w.events[0].events, expected);
}

static void a_modification_is_in_force_for_an_await_in_progress(plx_set *set)
{
    int fd = counter(true);
    add_ok(set, fd, 1, 0);
    for (int i = 0; i < 50; i++) {
        modify_ok(set, fd, 1, PLX_PRI);
        modify_while_awaited(set, fd, PLX_IN, PLX_IN);
    }
    close(fd);
}

static void a_one_shot_is_armed_again_for_an_await_in_progress(plx_set *set)
{
    int fd = counter(true);
    add_ok(set, fd, 1, 0);
    for (int i = 0; i < 50; i++) {
        modify_ok(set, fd, 1, PLX_IN | PLX_ONESHOT);
        expect_event(set, fd, 1, PLX_IN);
        modify_while_awaited(set, fd, PLX_IN | PLX_ONESHOT, PLX_IN);
    }
    close(fd);
}

static void a_removal_is_in_force_for_an_await_in_progress(plx_set *set)
{
    for (int i = 0; i < 50; i++) {
        waiter w;
        int fd = counter(false);
        add_ok(set, fd, 1, PLX_IN);
        waiter_start(&w, set, SECONDS(30));
        remove_ok(set, fd);
        assert_int_equal(eventfd_write(fd, 1), 0); /* would end the wait */
        assert_int_equal(plx_wakeup(set), 0);
        waiter_join(&w);
        assert_int_equal(w.result, 1);
        assert_true(is_wakeup(w.events[0]));
        close(fd);
    }
}

typedef struct {
    plx_set *set;
    int fd, rounds, number; /* plain: nothing but the change and the await orders it */
    atomic_int acknowledged;
} writing;

static void *write_and_change(void *argument)
{
    writing *w = argument;
    for (int i = 1; i <= w->rounds; i++) {
        w->number = i;
        if (i % 2 == 0)
            modify(w->set, w->fd, (uint32_t)i, PLX_IN | PLX_ONESHOT);
        else
            add(w->set, w->fd, (uint32_t)i, PLX_IN | PLX_ONESHOT);
        while (w->acknowledged < i)
            sched_yield();
    }
    return NULL;
}

static void what_was_written_before_is_seen(plx_set *set)
{
    writing w = { .set = set, .fd = counter(true), .rounds = 2000 };
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, write_and_change, &w), 0);
    for (int i = 1; i <= w.rounds; i++) {
        expect_event(set, w.fd, (uint32_t)i, PLX_IN);
        int seen = w.number;
        w.acknowledged = i;
        assert_int_equal(seen, i);
    }
    pthread_join(thread, NULL);
    close(w.fd);
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
    for (int turn = 0; turn < TURNS; turn++) {
        for (int i = 0; i < OWN; i++)
            c->refused += add(c->set, c->fds[i], (uint32_t)i, PLX_PRI) < 0;
        for (int i = 0; i < OWN; i++)
            c->refused += modify(c->set, c->fds[i], (uint32_t)i, PLX_PRI | PLX_RDHUP) < 0;
        for (int i = 0; i < OWN; i++)
            c->refused += plx_remove(c->set, c->fds[i]) < 0;
    }
    for (int i = 0; i < OWN; i++)
        c->refused += add(c->set, c->fds[i], (uint32_t)i, i == OWN - 1 ? PLX_IN : PLX_PRI) < 0;
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
    { "modifying replaces events and cookie", modifying_replaces_events_and_cookie, 0 },
    { "adding what is there replaces events and cookie", adding_what_is_there_replaces_it, 0 },
    { "adding what is there looks again, as a modification does", adding_what_is_there_looks_again, PLX_CAP_EDGE },
    { "what was never added cannot be modified", what_was_never_added_cannot_be_modified, 0 },
    { "what was removed cannot be modified", what_was_removed_cannot_be_modified, 0 },
    { "what was closed is refused or watched when it is modified to the same",
      what_was_closed_is_refused_or_watched_when_it_is_modified_to_the_same, 0 },
    { "what was closed cannot be modified where the kernel knows",
      what_was_closed_cannot_be_modified_where_the_kernel_knows, 0 },
    { "to want nothing keeps a descriptor, and tells of errors", to_want_nothing_keeps_a_descriptor, 0 },
    { "removing what is not there succeeds", removing_what_is_not_there_succeeds, 0 },
    { "removing a closed descriptor succeeds", removing_a_closed_descriptor_succeeds, 0 },
    { "removing a negative descriptor succeeds", removing_a_negative_descriptor_succeeds, 0 },
    { "removing a number that a file has taken succeeds", removing_a_number_that_a_file_has_now_succeeds, 0 },
    { "a reused number comes with its new cookie", a_reused_number_has_its_new_cookie, 0 },
    { "a removed descriptor may be closed and reused at once", a_removed_descriptor_may_be_reused_at_once, 0 },
    { "a removed descriptor's number can be added again", a_removed_number_can_be_added_again, 0 },
    { "changes are applied in their order", changes_are_applied_in_order, 0 },
    { "a high descriptor is as good as a low one", a_high_descriptor_is_as_good_as_a_low_one, 0 },
    { "a set can be emptied and filled again", the_set_can_be_emptied_and_filled_again, 0 },
    { "a change is in force for an await in progress", a_change_is_in_force_for_an_await_in_progress, PLX_CAP_LIVE },
    { "a modification is in force for an await in progress", a_modification_is_in_force_for_an_await_in_progress,
      PLX_CAP_LIVE },
    { "a one-shot is armed again for an await in progress", a_one_shot_is_armed_again_for_an_await_in_progress,
      PLX_CAP_LIVE | PLX_CAP_ONESHOT },
    { "a removal is in force for an await in progress", a_removal_is_in_force_for_an_await_in_progress, PLX_CAP_LIVE },
    { "what was written before a change is seen by whom its event is reported to", what_was_written_before_is_seen,
      PLX_CAP_LIVE | PLX_CAP_ONESHOT },
    { "changes of many threads during an await lose nothing", changes_of_many_threads_lose_nothing, PLX_CAP_LIVE },
};
const plx_suite change_suite = SUITE(change_tests);
