/* SPDX-License-Identifier: Apache-2.0
 *
 * test_wakeup.c: plx_wakeup is sticky, coalesced, consumed by being reported; from threads and signal handlers.
 */
#include "support.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/stat.h>
#include <unistd.h>

static void it_is_sticky(plx_set *set)
{
    assert_int_equal(plx_wakeup(set), 0);
    expect_wake(set);
    expect_nothing(set);
}

static void it_is_coalesced(plx_set *set)
{
    for (int i = 0; i < 1000; i++)
        assert_int_equal(plx_wakeup(set), 0);
    expect_wake(set);
    expect_nothing(set);
    assert_int_equal(plx_wakeup(set), 0);
    expect_wake(set);
    expect_nothing(set);
}

/* A pipe takes 65536 bytes, and a wakeup eight of them. */
static void the_waker_never_fills(plx_set *set)
{
    for (int i = 0; i < 10000; i++) {
        assert_int_equal(plx_wakeup(set), 0);
        expect_wake(set);
    }
    expect_nothing(set);
}

/* Those that a set has opened, and of a mechanism that is emulated here those that are not the emulation's. */
static int own_descriptors(const plx_set *set, plx_set **other, int *own)
{
    descriptors before, after;
    struct stat status;
    int count = 0;
    list_descriptors(&before);
    assert_int_equal(plx_open(plx_name(set), other), 0);
    list_descriptors(&after);
    for (int fd = 0; fd < (int)sizeof after.bits * 8; fd++) {
        if (has_descriptor(&before, fd) || !has_descriptor(&after, fd) || fstat(fd, &status) != 0)
            continue;
        if (S_ISFIFO(status.st_mode) || is(set, "epoll") || is(set, "poll"))
            own[count++] = fd;
    }
    return count;
}

/* Not by wakeups that no one has called for, neither alone nor beside what is ready. */
static void expect_no_wakeup(plx_set *set, int room)
{
    plx_event e[2];
    int n = plx_await(set, e, room, 0);
    assert_true(n == -EBADF || (n == 1 && !is_wakeup(*e)));
}

static void a_closed_descriptor_of_its_own_is_said(plx_set *set)
{
    void (*before)(int) = signal(SIGPIPE, SIG_IGN);
    int ready = counter(true), own[MANY], count;
    plx_set *other;
    plx_event e[2];
    for (int k = 0; k < (count = own_descriptors(set, &other, own)); k++) {
        close(own[k]);
        int awaited = plx_await(other, e, 2, 0), woken = plx_wakeup(other);
        assert_true(awaited == -EBADF || (awaited == 0 && woken == -EBADF));
        (void)add(other, ready, 1, PLX_IN);
        for (int room = 1; room <= 2; room++)
            for (int times = 0; times < 3; times++)
                expect_no_wakeup(other, room);
        int again = counter(false); /* for plx_close to close */
        if (again != own[k])
            replace(own[k], again);
        plx_close(other);
    }
    plx_close(other);
    close(ready);
    signal(SIGPIPE, before);
}

/* A number of its own that a program takes for one of its descriptors would else end all wakeups, without a word. */
static void its_own_descriptors_are_neither_watched_nor_removed(plx_set *set)
{
    int own[MANY], count;
    plx_set *other;
    for (int k = 0; k < (count = own_descriptors(set, &other, own)); k++) {
        assert_int_equal(plx_add(other, own[k], PLX_IN, 1), -EINVAL);
        assert_int_equal(plx_modify(other, own[k], PLX_IN, 1), -EINVAL);
        expect_nothing(other);
        remove_ok(other, own[k]);
        for (int times = 0; times < 2; times++) {
            assert_int_equal(plx_wakeup(other), 0);
            expect_wake(other);
        }
        plx_close(other);
    }
    plx_close(other);
}

static void it_survives_changes(plx_set *set)
{
    int fd = counter(false);
    assert_int_equal(plx_wakeup(set), 0);
    add_ok(set, fd, 1, PLX_IN);
    modify_ok(set, fd, 1, PLX_PRI);
    expect_wake(set);
    remove_ok(set, fd);
    expect_nothing(set);
    close(fd);
}

static void it_ends_a_wait(plx_set *set)
{
    for (int i = 0; i < 100; i++) {
        waiter w;
        waiter_start(&w, set, -1);
        assert_int_equal(plx_wakeup(set), 0);
        waiter_join(&w);
        assert_int_equal(w.result, 1);
        assert_true(is_wakeup(w.events[0]));
        expect_nothing(set);
    }
}

static void it_comes_beside_events(plx_set *set)
{
    plx_event e[MANY];
    int a = counter(true), b = counter(true);
    add_ok(set, a, 1, PLX_IN);
    add_ok(set, b, 2, PLX_IN);
    assert_int_equal(plx_wakeup(set), 0);
    int n = plx_await(set, e, MANY, -1);
    assert_int_equal(n, 3);
    assert_int_equal(events_of(e, n, a), PLX_IN);
    assert_int_equal(events_of(e, n, b), PLX_IN);
    assert_int_equal(wakeups_in(e, n), 1);
    n = plx_await(set, e, MANY, -1);
    assert_int_equal(n, 2);
    assert_int_equal(wakeups_in(e, n), 0);
    close(a);
    close(b);
}

typedef struct {
    plx_set *set;
    atomic_int *seen;
    int rounds;
} waking;

static void *wake_and_wait_for_the_answer(void *argument)
{
    waking *w = argument;
    for (int i = 0; i < w->rounds; i++) {
        plx_wakeup(w->set);
        while (*w->seen <= i)
            sched_yield();
    }
    return NULL;
}

static void none_is_lost(plx_set *set)
{
    atomic_int seen = 0;
    waking w = { set, &seen, 3000 };
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, wake_and_wait_for_the_answer, &w), 0);
    for (int i = 0; i < w.rounds; i++) {
        expect_wake(set);
        seen++;
    }
    pthread_join(thread, NULL);
    expect_nothing(set);
}

typedef struct {
    plx_set *set;
    atomic_int *acknowledged; /* the last round that every waker's number was seen of */
    int rounds, number;       /* plain: nothing but plx_wakeup and plx_await orders it */
} writing;

static void *write_and_wake(void *argument)
{
    writing *w = argument;
    for (int i = 1; i <= w->rounds; i++) {
        w->number = i;
        plx_wakeup(w->set);
        while (*w->acknowledged < i)
            sched_yield();
    }
    return NULL;
}

/* An order that is missing shows as an old number, if at all: on some processors. (The thread sanitizer is no help: it
 * does not see system calls that are made in line.) */
static void what_was_written_before_is_seen(plx_set *set)
{
    atomic_int acknowledged = 0;
    writing w = { set, &acknowledged, 5000, 0 };
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, write_and_wake, &w), 0);
    for (int i = 1; i <= w.rounds; i++) {
        expect_wake(set);
        int seen = w.number;
        acknowledged = i;
        assert_int_equal(seen, i);
    }
    pthread_join(thread, NULL);
    expect_nothing(set);
}

static void *wake_and_count(void *argument)
{
    waking *w = argument;
    for (int i = 0; i < w->rounds; i++)
        plx_wakeup(w->set);
    ++*w->seen;
    return NULL;
}

static void many_threads_coalesce_into_at_least_one(plx_set *set)
{
    enum { THREADS = 8 };
    atomic_int done = 0;
    waking w = { set, &done, 2000 };
    pthread_t threads[THREADS];
    int wakes = 0;
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, wake_and_count, &w), 0);
    while (done < THREADS) {
        plx_event e[MANY];
        int n = plx_await(set, e, MANY, MILLIS(1));
        assert_in_range(n, 0, 1);
        wakes += n;
    }
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    plx_event e[MANY];
    wakes += plx_await(set, e, MANY, 0);
    assert_in_range(wakes, 1, THREADS * w.rounds);
    expect_nothing(set);
}

static plx_set *volatile signalled;
static volatile int handler_result;

static void wake_the_set(int signal)
{
    (void)signal;
    handler_result = plx_wakeup(signalled);
}

static struct sigaction handle(plx_set *set)
{
    struct sigaction action = { .sa_handler = wake_the_set, .sa_flags = SA_RESTART }, before;
    signalled = set;
    handler_result = 1;
    sigaction(SIGUSR2, &action, &before);
    return before;
}

static void it_works_in_a_signal_handler(plx_set *set)
{
    struct sigaction before = handle(set);
    errno = 4711;
    raise(SIGUSR2);
    assert_int_equal(errno, 4711);
    assert_int_equal(handler_result, 0);
    expect_wake(set);
    expect_nothing(set);
    sigaction(SIGUSR2, &before, NULL);
}

static void a_handler_ends_the_wait_it_interrupts(plx_set *set)
{
    struct sigaction before = handle(set);
    for (int i = 0; i < 100; i++) {
        waiter w;
        waiter_start(&w, set, -1);
        pthread_kill(w.thread, SIGUSR2);
        waiter_join(&w);
        if (w.result == -EINTR)
            expect_wake(set);
        else
            assert_int_equal(wakeups_in(w.events, w.result), 1);
        expect_nothing(set);
    }
    sigaction(SIGUSR2, &before, NULL);
}

static void skip_without_waker(const plx_set *set)
{
    if (strstr(plx_features(set), "EVFILT_USER") != NULL)
        skip_this("it is woken without a descriptor");
}

/* What plx_wakeup writes to is found among the descriptors that opening a set makes: the end of a pipe that is for
 * writing, else the only one that can be written to. */
static int waker_of(const descriptors *before, const plx_set *set)
{
    descriptors after;
    int found = -1;
    list_descriptors(&after);
    for (int fd = 0; fd < (int)sizeof after.bits * 8; fd++)
        if (!has_descriptor(before, fd) && has_descriptor(&after, fd) && fd != plx_handle(set)) {
            if ((fcntl(fd, F_GETFL) & O_ACCMODE) == O_WRONLY)
                return fd;
            if (eventfd_write(fd, 0) == 0)
                found = fd;
        }
    assert_true(found >= 0);
    return found;
}

static void a_full_waker_is_a_wakeup_and_leaves_errno_alone(plx_set *set)
{
    descriptors before;
    plx_set *other;
    const uint64_t most = UINT64_MAX - 1; /* of which an eventfd takes one, a pipe many */
    skip_without_waker(set);
    list_descriptors(&before);
    assert_int_equal(plx_open(plx_name(set), &other), 0);
    int fd = waker_of(&before, other);
    while (write(fd, &most, sizeof most) == (ssize_t)sizeof most)
        continue;
    assert_int_equal(errno, EAGAIN);
    errno = 4711;
    assert_int_equal(plx_wakeup(other), 0);
    assert_int_equal(errno, 4711);
    expect_wake(other);
    expect_nothing(other);
    plx_close(other);
}

static void a_broken_waker_is_reported(plx_set *set)
{
    descriptors before;
    plx_set *other;
    int fds[2];
    skip_without_waker(set);
    list_descriptors(&before);
    assert_int_equal(plx_open(plx_name(set), &other), 0);
    int fd = waker_of(&before, other);
    pipe_pair(fds);
    assert_int_equal(dup2(fds[0], fd), fd); /* not writable */
    errno = 4711;
    assert_int_equal(plx_wakeup(other), -EBADF);
    assert_int_equal(errno, 4711);
    close_both(fds);
    plx_close(other);
}

static const plx_test wakeup_tests[] = {
    { "a closed descriptor of its own is said", a_closed_descriptor_of_its_own_is_said, 0 },
    { "descriptors of its own are neither watched nor removed",
      its_own_descriptors_are_neither_watched_nor_removed, 0 },
    { "a wakeup is kept for the next await, which consumes it", it_is_sticky, 0 },
    { "a thousand wakeups are one", it_is_coalesced, 0 },
    { "the ten thousandth wakeup is like the first", the_waker_never_fills, 0 },
    { "a wakeup survives changes of the set", it_survives_changes, 0 },
    { "a wakeup from another thread ends the wait", it_ends_a_wait, 0 },
    { "a wakeup is reported once, beside events", it_comes_beside_events, 0 },
    { "no wakeup is lost between two waits", none_is_lost, 0 },
    { "what was written before a wakeup is seen by whom it is reported to", what_was_written_before_is_seen, 0 },
    { "wakeups of many threads coalesce into at least one", many_threads_coalesce_into_at_least_one, 0 },
    { "a wakeup works in a signal handler", it_works_in_a_signal_handler, 0 },
    { "a handler's wakeup ends the wait that it interrupts", a_handler_ends_the_wait_it_interrupts, 0 },
    { "a wakeup that finds the waker full leaves errno alone", a_full_waker_is_a_wakeup_and_leaves_errno_alone, 0 },
    { "a wakeup that fails says so and leaves errno alone", a_broken_waker_is_reported, 0 },
};
const plx_suite wakeup_suite = SUITE(wakeup_tests);
