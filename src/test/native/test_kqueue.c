/* SPDX-License-Identifier: Apache-2.0
 *
 * test_kqueue.c: what kqueue.c makes of kept changes, on the emulated kqueue: calls are counted, additions refused.
 */
#include "support.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>
/* last: it has its own close */
#include <sys/event.h>

enum { LOTS = 200 };

static plx_set *open_kqueue(void)
{
    plx_set *set;
    assert_int_equal(plx_open("kqueue", &set), 0);
    return set;
}

/* Makes and adds descriptors that are readable. */
static void add_lots(plx_set *set, int *fds, uint32_t want)
{
    for (uint32_t i = 0; i < LOTS; i++) {
        fds[i] = counter(true);
        add_ok(set, fds[i], i, want);
    }
}

static void close_lots(const int *fds)
{
    for (int i = 0; i < LOTS; i++)
        close(fds[i]);
}

static void changes_go_in_with_the_wait(plx_set *set)
{
    int fds[LOTS], calls;
    plx_event e[2 * LOTS];
    set = open_kqueue();
    calls = kqueue_emulation_calls();
    add_lots(set, fds, PLX_IN);
    assert_int_equal(kqueue_emulation_calls() - calls, 0);
    assert_int_equal(plx_await(set, e, 2 * LOTS, -1), LOTS);
    assert_int_equal(kqueue_emulation_calls() - calls, 1);
    for (uint32_t i = 0; i < LOTS; i++) {
        modify_ok(set, fds[i], i, PLX_OUT);
        modify_ok(set, fds[i], i, PLX_IN);
        modify_ok(set, fds[i], i, PLX_IN | PLX_OUT);
    }
    assert_int_equal(plx_await(set, e, 2 * LOTS, -1), 2 * LOTS);
    assert_int_equal(kqueue_emulation_calls() - calls, 2);
    plx_close(set);
    close_lots(fds);
}

static void a_removal_happens_at_once_and_in_one_call(plx_set *set)
{
    int fd = counter(true), calls;
    set = open_kqueue();
    add_ok(set, fd, 1, PLX_IN | PLX_OUT);
    expect_event(set, fd, 1, PLX_IN | PLX_OUT);
    calls = kqueue_emulation_calls();
    remove_ok(set, fd);
    assert_int_equal(kqueue_emulation_calls() - calls, 1);
    remove_ok(set, fd);
    assert_int_equal(kqueue_emulation_calls() - calls, 1);
    expect_nothing(set);
    plx_close(set);
    close(fd);
}

static void a_kept_change_goes_with_its_removal(plx_set *set)
{
    int fd = counter(true), calls;
    set = open_kqueue();
    calls = kqueue_emulation_calls();
    add_ok(set, fd, 1, PLX_IN);
    remove_ok(set, fd);
    assert_int_equal(kqueue_emulation_calls() - calls, 0);
    close(fd);
    expect_nothing(set); /* else EBADF */
    assert_int_equal(counter(true), fd);
    add_ok(set, fd, 2, PLX_IN);
    remove_ok(set, fd);
    add_ok(set, fd, 3, PLX_OUT);
    expect_event(set, fd, 3, PLX_OUT);
    modify_ok(set, fd, 3, PLX_IN | PLX_OUT);
    remove_ok(set, fd);
    expect_nothing(set);
    plx_close(set);
    close(fd);
}

static void a_refusal_is_an_entry_beside_what_is_ready(plx_set *set)
{
    int a = counter(true), b = counter(false), c = counter(true);
    plx_event e[MANY];
    set = open_kqueue();
    add_ok(set, a, 1, PLX_IN);
    add_ok(set, b, 2, PLX_IN);
    add_ok(set, c, 3, PLX_IN);
    kqueue_emulation_refuse(2, ENOMEM);
    assert_int_equal(plx_await(set, e, MANY, -1), 3);
    assert_int_equal(fd_of(*e), b);
    assert_int_equal(gen_of(*e), 2);
    assert_int_equal(e->events, PLX_FAILED | PLX_IN);
    assert_int_equal(e->error, ENOMEM);
    assert_int_equal(events_of(e, 3, a) & events_of(e, 3, c), PLX_IN);
    plx_close(set);
    close(a);
    close(b);
    close(c);
}

static void what_was_refused_is_tried_again_at_once(plx_set *set)
{
    int fd = counter(true), calls;
    set = open_kqueue();
    kqueue_emulation_refuse(1, ENOMEM);
    assert_int_equal(add_and_await(set, fd, 1, PLX_IN), -ENOMEM);
    calls = kqueue_emulation_calls();
    kqueue_emulation_refuse(1, ENOSPC);
    assert_int_equal(add(set, fd, 1, PLX_IN), -ENOSPC);
    kqueue_emulation_refuse(2, ENOSPC);
    assert_int_equal(add(set, fd, 1, PLX_IN | PLX_OUT), -ENOSPC);
    assert_int_equal(kqueue_emulation_calls() - calls, 5); /* both at once, then each alone; one is taken back */
    assert_int_equal(add(set, fd, 1, PLX_IN), 0);
    assert_int_equal(kqueue_emulation_calls() - calls, 6);
    kqueue_emulation_refuse(0, 0);
    modify_ok(set, fd, 1, PLX_IN | PLX_OUT);
    assert_int_equal(kqueue_emulation_calls() - calls, 6);
    expect_event(set, fd, 1, PLX_IN | PLX_OUT);
    plx_close(set);
    close(fd);
}

static void a_refused_modification_keeps_the_other_filter(plx_set *set)
{
    int fd = counter(true);
    plx_event e[MANY];
    set = open_kqueue();
    add_ok(set, fd, 1, PLX_IN);
    expect_event(set, fd, 1, PLX_IN);
    modify_ok(set, fd, 1, PLX_IN | PLX_OUT);
    kqueue_emulation_refuse(2, ENOMEM); /* the first one is that for reading, again */
    assert_int_equal(plx_await(set, e, MANY, -1), 2);
    assert_int_equal(e[0].events, PLX_FAILED | PLX_OUT);
    assert_int_equal(e[1].events, PLX_IN);
    kqueue_emulation_refuse(0, 0);
    modify_ok(set, fd, 1, PLX_IN | PLX_OUT);
    expect_event(set, fd, 1, PLX_IN | PLX_OUT);
    plx_close(set);
    close(fd);
}

static void what_was_there_stays_in_force_where_its_file_does(plx_set *set)
{
    int fd = counter(true);
    set = open_kqueue();
    add_ok(set, fd, 1, PLX_IN);
    expect_event(set, fd, 1, PLX_IN);
    modify_ok(set, fd, 2, PLX_IN);
    kqueue_emulation_refuse(1, ENOMEM);
    expect_event(set, fd, 2, PLX_IN);
    kqueue_emulation_refuse(0, 0);
    plx_close(set);
    close(fd);
}

/* Else it would be silent for ever, and no one would know. */
static void what_is_refused_to_the_next_owner_of_a_number_is_said(plx_set *set)
{
    int (*const changes[])(plx_set *, int, uint32_t, uint32_t) = { modify, add };
    for (int k = 0; k < 2; k++) {
        int fd = counter(true);
        plx_event e[MANY];
        set = open_kqueue();
        add_ok(set, fd, 1, PLX_IN);
        expect_event(set, fd, 1, PLX_IN);
        replace(fd, counter(true));
        assert_int_equal(changes[k](set, fd, 2, PLX_IN), 0);
        kqueue_emulation_refuse(1, EINVAL);
        assert_int_equal(plx_await(set, e, MANY, 0), 1);
        assert_int_equal(gen_of(*e), 2);
        assert_int_equal(e->events, PLX_FAILED | PLX_IN);
        assert_int_equal(e->error, EINVAL);
        kqueue_emulation_refuse(0, 0);
        assert_int_equal(changes[k](set, fd, 3, PLX_IN), 0);
        expect_event(set, fd, 3, PLX_IN);
        plx_close(set);
        close(fd);
    }
}

static void both_filters_refused_are_one_entry(plx_set *set)
{
    int fd = counter(true);
    plx_event e[MANY];
    set = open_kqueue();
    for (int cap = 1; cap <= 3; cap++) {
        add_ok(set, fd, 7, PLX_IN | PLX_OUT);
        close(fd);
        memset(e, 0x55, sizeof e);
        assert_int_equal(plx_await(set, e, cap, -1), 1);
        assert_int_equal(fd_of(*e), fd);
        assert_int_equal(e->events, PLX_FAILED | PLX_IN | PLX_OUT);
        assert_int_equal(e->error, EBADF);
        assert_int_equal(e[1].cookie, 0x5555555555555555);
        remove_ok(set, fd);
        assert_int_equal(counter(true), fd);
    }
    plx_close(set);
    close(fd);
}

/* Whatever the room, all are in force after one await, unless its entries were refusals up to the last. */
static void more_changes_than_room_are_all_made(plx_set *set)
{
    static const int caps[] = { 1, 2, 3, 7, 64, LOTS - 1, LOTS };
    for (size_t k = 0; k < sizeof caps / sizeof *caps; k++) {
        int fds[LOTS], seen[LOTS] = { 0 }, calls;
        plx_event e[2 * LOTS];
        set = open_kqueue();
        add_lots(set, fds, PLX_IN | PLX_OUT);
        calls = kqueue_emulation_calls();
        assert_int_equal(plx_await(set, e, caps[k], -1), caps[k]);
        int most = caps[k] == 1 ? LOTS + 1 : 2 * LOTS / (caps[k] - caps[k] % 2) + 1;
        assert_in_range(kqueue_emulation_calls() - calls, 1, most); /* as many at a time as fit */
        int n = plx_await(set, e, 2 * LOTS, 0);
        assert_int_equal(n, 2 * LOTS);
        for (int i = 0; i < n; i++)
            seen[gen_of(e[i])] |= (int)e[i].events;
        for (int i = 0; i < LOTS; i++)
            assert_int_equal(seen[i], PLX_IN | PLX_OUT);
        plx_close(set);
        close_lots(fds);
    }
}

static void no_refusal_is_lost_where_there_is_little_room(plx_set *set)
{
    static const int caps[] = { 1, 2, 3, 7, 64, LOTS };
    for (size_t k = 0; k < sizeof caps / sizeof *caps; k++) {
        int fds[LOTS], failed[LOTS] = { 0 }, ready[LOTS] = { 0 };
        plx_event e[LOTS + 1];
        set = open_kqueue();
        add_lots(set, fds, PLX_IN);
        for (int i = 0; i < LOTS; i++)
            if (i % 4 != 3)
                close(fds[i]);
        for (int round = 0; round < 3 * LOTS; round++) {
            e[caps[k]].cookie = 4711;
            int n = plx_await(set, e, caps[k], 0);
            assert_in_range(n, 1, caps[k]);
            assert_int_equal(e[caps[k]].cookie, 4711);
            for (int i = 0; i < n; i++) {
                assert_int_equal(fd_of(e[i]), fds[gen_of(e[i])]);
                if (e[i].events & PLX_FAILED)
                    failed[gen_of(e[i])]++;
                else
                    ready[gen_of(e[i])]++;
            }
        }
        for (int i = 0; i < LOTS; i++) {
            assert_int_equal(failed[i], i % 4 != 3);
            assert_int_equal(ready[i] > 0, i % 4 == 3);
        }
        plx_close(set);
        for (int i = 3; i < LOTS; i += 4)
            close(fds[i]);
    }
}

static void a_refusal_among_too_many_changes_does_not_wait(plx_set *set)
{
    static const int64_t waits[] = { SECONDS(30), -1 };
    plx_event e[8];
    for (int k = 0; k < 2; k++) {
        int fds[20];
        int64_t start = now();
        set = open_kqueue();
        for (uint32_t i = 0; i < 20; i++) {
            fds[i] = counter(false);
            add_ok(set, fds[i], i, PLX_IN);
        }
        kqueue_emulation_refuse(1, ENOMEM);
        assert_int_equal(plx_await(set, e, 8, waits[k]), 1);
        assert_true(now() - start < SECONDS(20));
        assert_int_equal(e->events, PLX_FAILED | PLX_IN);
        plx_close(set);
        for (int i = 0; i < 20; i++)
            close(fds[i]);
    }
}

/* Its answer ends kevent at once, without having waited. */
static void removing_what_is_gone_ends_no_wait(plx_set *set)
{
    int fd = counter(true);
    plx_event e[MANY];
    set = open_kqueue();
    add_ok(set, fd, 1, PLX_OUT);
    expect_event(set, fd, 1, PLX_OUT);
    replace(fd, counter(false));
    modify_ok(set, fd, 2, PLX_IN);
    int64_t start = now();
    assert_int_equal(plx_await(set, e, MANY, MILLIS(50)), 0);
    assert_true(now() - start >= MILLIS(50));
    assert_int_equal(eventfd_write(fd, 1), 0);
    expect_event(set, fd, 2, PLX_IN);
    plx_close(set);
    close(fd);
}

static void nothing_to_do(int signal)
{
    (void)signal;
}

static void a_signal_loses_no_kept_change(plx_set *set)
{
    struct sigaction action = { .sa_handler = nothing_to_do }, before;
    int fd = counter(false);
    waiter w;
    set = open_kqueue();
    add_ok(set, fd, 1, PLX_IN);
    sigaction(SIGUSR1, &action, &before);
    waiter_start(&w, set, -1);
    pthread_kill(w.thread, SIGUSR1);
    waiter_join(&w);
    sigaction(SIGUSR1, &before, NULL);
    assert_int_equal(w.result, -EINTR);
    assert_int_equal(eventfd_write(fd, 1), 0);
    kqueue_emulation_refuse(1, ENOMEM); /* it is not made again */
    expect_event(set, fd, 1, PLX_IN);
    kqueue_emulation_refuse(0, 0);
    plx_close(set);
    close(fd);
}

static void without_memory_for_more_events_there_are_fewer(plx_set *set)
{
    int fds[LOTS], seen[LOTS] = { 0 };
    plx_event e[2 * LOTS];
    set = open_kqueue();
    add_lots(set, fds, PLX_IN);
    for (int i = 0; i < 2 * LOTS; i++) {
        fail_allocation(1);
        int n = plx_await(set, e, 2 * LOTS, -1);
        bool failed = allocation_failed();
        fail_allocation(0);
        assert_true(failed);
        assert_in_range(n, 1, 64);
        for (int k = 0; k < n; k++)
            seen[gen_of(e[k])] = 1;
    }
    for (int i = 0; i < LOTS; i++)
        assert_int_equal(seen[i], 1);
    plx_close(set);
    close_lots(fds);
}

static void an_edge_becomes_a_level_and_back(plx_set *set)
{
    int fd = counter(true);
    set = open_kqueue();
    for (uint32_t i = 0; i < 3; i++) {
        assert_int_equal(i == 0 ? add(set, fd, 1, PLX_IN | PLX_EDGE) : modify(set, fd, 1, PLX_IN | PLX_EDGE), 0);
        expect_event(set, fd, 1, PLX_IN);
        expect_nothing(set);
        modify_ok(set, fd, 1, PLX_IN);
        expect_event(set, fd, 1, PLX_IN);
        expect_event(set, fd, 1, PLX_IN);
    }
    plx_close(set);
    close(fd);
}

/* Whatever the room, each of them and each of the others is reported again and again. */
static void broken_pipes_and_others_take_turns(plx_set *set)
{
    static const int caps[] = { 1, 2, 3, 7, 64, LOTS, 2 * LOTS, 2 * LOTS + 1 };
    for (size_t k = 0; k < sizeof caps / sizeof *caps; k++) {
        int fds[LOTS], broken[LOTS], seen[2 * LOTS] = { 0 };
        plx_event e[2 * LOTS + 2];
        set = open_kqueue();
        add_lots(set, fds, PLX_IN);
        for (uint32_t i = 0; i < LOTS; i++) {
            broken[i] = broken_pipe();
            add_ok(set, broken[i], LOTS + i, PLX_OUT);
        }
        int rounds = caps[k] < 64 ? 4 * LOTS : caps[k] < 2 * LOTS ? LOTS + 4 : 4;
        for (int round = 0; round < rounds; round++) {
            e[caps[k]].cookie = 4711;
            int n = plx_await(set, e, caps[k], -1);
            assert_in_range(n, 1, caps[k]);
            assert_int_equal(e[caps[k]].cookie, 4711);
            for (int i = 0; i < n; i++) {
                bool is_broken = gen_of(e[i]) >= LOTS;
                assert_int_equal(fd_of(e[i]), is_broken ? broken[gen_of(e[i]) - LOTS] : fds[gen_of(e[i])]);
                assert_int_equal(e[i].events, is_broken ? PLX_OUT | PLX_ERR : PLX_IN);
                seen[gen_of(e[i])]++;
            }
        }
        for (int i = 0; i < 2 * LOTS; i++)
            assert_in_range(seen[i], 1, 4 * LOTS);
        plx_close(set);
        close_lots(fds);
        close_lots(broken);
    }
}

static void a_broken_pipe_that_was_closed_is_forgotten_and_ends_no_wait(plx_set *set)
{
    int fd = broken_pipe();
    plx_event e[MANY];
    set = open_kqueue();
    for (int i = 0; i < 3; i++) {
        add_ok(set, fd, 1, PLX_OUT);
        expect_event(set, fd, 1, PLX_OUT | PLX_ERR);
        if (i < 2)
            replace(fd, counter(true));
        else
            close(fd);
        int64_t start = now();
        assert_int_equal(plx_await(set, e, i == 1 ? 1 : MANY, MILLIS(50)), 0);
        assert_true(now() - start >= MILLIS(50));
        if (i < 2)
            replace(fd, broken_pipe());
    }
    plx_close(set);
}

/* Linux notes the time of a pipe's creation by its timer, 250 times a second or less. */
static void another_pipe_with_the_number_of_a_broken_one_is_not_reported(plx_set *set)
{
    int fd = broken_pipe(), fds[2];
    set = open_kqueue();
    add_ok(set, fd, 1, PLX_OUT);
    expect_event(set, fd, 1, PLX_OUT | PLX_ERR);
    nap(MILLIS(30));
    pipe_pair(fds);
    replace(fd, fds[1]);
    expect_nothing(set);
    close(fds[0]);
    expect_nothing(set);
    add_ok(set, fd, 2, PLX_OUT);
    expect_event(set, fd, 2, PLX_OUT | PLX_ERR);
    expect_event(set, fd, 2, PLX_OUT | PLX_ERR);
    plx_close(set);
    close(fd);
}

static void a_broken_pipe_is_ready_though_reading_it_is_refused(plx_set *set)
{
    int fd = broken_pipe();
    plx_event e[MANY];
    set = open_kqueue();
    kqueue_emulation_refuse(1, ENOMEM);
    add_ok(set, fd, 1, PLX_IN | PLX_OUT);
    int n = plx_await(set, e, MANY, -1);
    assert_int_equal(e->events, PLX_FAILED | PLX_IN);
    if (n == 1) /* where the kernel takes the pipe it waits its turn */
        n += plx_await(set, e + 1, MANY - 1, -1);
    assert_int_equal(n, 2);
    assert_int_equal(e[1].events, PLX_OUT | PLX_ERR);
    assert_int_equal(modify(set, fd, 2, PLX_IN | PLX_OUT), -ENOMEM); /* at once; what was there stays */
    expect_event(set, fd, 1, PLX_OUT | PLX_ERR);
    kqueue_emulation_refuse(0, 0);
    plx_close(set);
    close(fd);
}

static void interest_in_a_broken_pipe_comes_and_goes(plx_set *set)
{
    int fd = broken_pipe();
    set = open_kqueue();
    for (uint32_t gen = 1; gen < 10; gen++) {
        add_ok(set, fd, gen, PLX_OUT);
        expect_event(set, fd, gen, PLX_OUT | PLX_ERR);
        modify_ok(set, fd, gen, PLX_PRI);
        expect_nothing(set);
        modify_ok(set, fd, gen, PLX_OUT | PLX_PRI);
        expect_event(set, fd, gen, PLX_OUT | PLX_ERR);
        if (gen % 2 == 0)
            remove_ok(set, fd);
    }
    remove_ok(set, fd);
    expect_nothing(set);
    plx_close(set);
    close(fd);
}

static const plx_test kqueue_tests[] = {
    { "kqueue.c: changes go in with the wait, in one call", changes_go_in_with_the_wait, 0 },
    { "kqueue.c: a removal happens at once, in one call", a_removal_happens_at_once_and_in_one_call, 0 },
    { "kqueue.c: a kept change goes with its removal", a_kept_change_goes_with_its_removal, 0 },
    { "kqueue.c: a refusal is an entry beside what is ready", a_refusal_is_an_entry_beside_what_is_ready, 0 },
    { "kqueue.c: what was refused is tried again at once", what_was_refused_is_tried_again_at_once, 0 },
    { "kqueue.c: a refused modification keeps the other filter", a_refused_modification_keeps_the_other_filter, 0 },
    { "kqueue.c: what was there stays in force where its file does",
      what_was_there_stays_in_force_where_its_file_does, 0 },
    { "kqueue.c: what is refused to the next owner of a number is said",
      what_is_refused_to_the_next_owner_of_a_number_is_said, 0 },
    { "kqueue.c: both filters refused are one entry", both_filters_refused_are_one_entry, 0 },
    { "kqueue.c: more kept changes than room are all made", more_changes_than_room_are_all_made, 0 },
    { "kqueue.c: no refusal is lost where there is little room", no_refusal_is_lost_where_there_is_little_room, 0 },
    { "kqueue.c: a refusal among too many changes does not wait", a_refusal_among_too_many_changes_does_not_wait, 0 },
    { "kqueue.c: removing what is gone ends no wait", removing_what_is_gone_ends_no_wait, 0 },
    { "kqueue.c: a signal loses no kept change", a_signal_loses_no_kept_change, 0 },
    { "kqueue.c: without memory for more events there are fewer", without_memory_for_more_events_there_are_fewer, 0 },
    { "kqueue.c: an edge becomes a level, and back", an_edge_becomes_a_level_and_back, 0 },
    { "kqueue.c: broken pipes and others take turns", broken_pipes_and_others_take_turns, 0 },
    { "kqueue.c: a broken pipe that was closed is forgotten, and ends no wait",
      a_broken_pipe_that_was_closed_is_forgotten_and_ends_no_wait, 0 },
    { "kqueue.c: another pipe with the number of a broken one is not reported",
      another_pipe_with_the_number_of_a_broken_one_is_not_reported, 0 },
    { "kqueue.c: a broken pipe is ready though reading it is refused",
      a_broken_pipe_is_ready_though_reading_it_is_refused, 0 },
    { "kqueue.c: interest in a broken pipe comes and goes", interest_in_a_broken_pipe_comes_and_goes, 0 },
};
const plx_suite kqueue_suite = SUITE(kqueue_tests);
