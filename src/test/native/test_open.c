/* SPDX-License-Identifier: Apache-2.0
 *
 * test_open.c: the list of mechanisms, opening and closing sets, what a set says of itself.
 */
#include "support.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/event.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

static void each_name_in_the_list_opens_that_mechanism(plx_set *set)
{
    char names[256];
    char *rest = names;
    snprintf(names, sizeof names, "%s", plx_mechanisms());
    for (char *name; (name = strtok_r(rest, ",", &rest)) != NULL;) {
        assert_int_equal(plx_open(name, &set), 0);
        assert_string_equal(plx_name(set), name);
        plx_close(set);
    }
}

static void null_opens_the_first(plx_set *set)
{
    assert_int_equal(plx_open(NULL, &set), 0);
    assert_string_equal(plx_name(set), "epoll");
    plx_close(set);
}

static void an_unknown_name_is_enodev(plx_set *set)
{
    static const char *const unknown[] = { "",      "epol",   "epolls", "EPOLL",    "epoll,poll",
                                           " poll", "poll\n", "wepoll", "dev/poll", "%s%n" };
    for (size_t i = 0; i < sizeof unknown / sizeof *unknown; i++) {
        set = (plx_set *)&set;
        assert_int_equal(plx_open(unknown[i], &set), -ENODEV);
        assert_null(set);
    }
}

static void an_event_is_sixteen_bytes(plx_set *set)
{
    (void)set;
    assert_int_equal(sizeof(plx_event), 16);
    assert_int_equal(offsetof(plx_event, cookie), 0);
    assert_int_equal(offsetof(plx_event, events), 8);
    assert_int_equal(offsetof(plx_event, error), 12);
}

static void the_version_is_the_headers(plx_set *set)
{
    (void)set;
    assert_int_equal(plx_version(), PLX_VERSION);
    assert_int_equal(PLX_VERSION, PLX_VERSION_MAJOR * 65536 + PLX_VERSION_MINOR * 256 + PLX_VERSION_PATCH);
    assert_true(PLX_VERSION > 0);
}

static void open_descriptors_are_open(plx_set *set)
{
    static const intptr_t none[] = { -1, INT_MIN, INTPTR_MIN, INT_MAX, 19999, INTPTR_MAX };
    int fd = counter(false), file = regular_file(), closed = closed_descriptor();
    (void)set;
    assert_int_equal(plx_is_open(fd), 1);
    assert_int_equal(plx_is_open(file), 1);
    assert_int_equal(plx_is_open(closed), 0);
    if (sizeof(intptr_t) > sizeof fd) /* not the number that is left of it in an int */
        assert_int_equal(plx_is_open((intptr_t)((int64_t)1 << 32) | fd), 0);
    for (size_t i = 0; i < sizeof none / sizeof *none; i++)
        assert_int_equal(plx_is_open(none[i]), 0);
    close(fd);
    assert_int_equal(plx_is_open(fd), 0);
    close(file);
}

static void closing_no_set_is_fine(plx_set *set)
{
    (void)set;
    plx_close(NULL);
}

static void it_is_what_was_asked_for(plx_set *set)
{
    assert_non_null(strstr(plx_mechanisms(), plx_name(set)));
}

static void what_it_says_outlives_it(plx_set *set)
{
    plx_set *other;
    assert_int_equal(plx_open(plx_name(set), &other), 0);
    const char *said[] = { plx_name(other), plx_features(other), plx_change_call(other), plx_await_call(other) };
    plx_close(other);
    assert_string_equal(said[0], plx_name(set));
    assert_string_equal(said[1], plx_features(set));
    assert_string_equal(said[2], plx_change_call(set));
    assert_string_equal(said[3], plx_await_call(set));
}

static void its_calls_are_named(plx_set *set)
{
    static const char *const calls[][3] = { { "epoll", "epoll_ctl", "epoll_wait" },
                                            { "kqueue", "kevent", "kevent" },
                                            { "/dev/poll", "write to /dev/poll", "ioctl(DP_POLL)" },
                                            { "poll", "poll", "poll" } };
    assert_true(*plx_change_call(set) != '\0' && *plx_await_call(set) != '\0');
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
        if (is(set, calls[i][0])) {
            assert_string_equal(plx_change_call(set), calls[i][1]);
            assert_string_equal(plx_await_call(set), calls[i][2]);
        }
    }
}

static void capabilities_are_those_promised(plx_set *set)
{
    unsigned promised = PLX_CAP_MERGED;
    if (is(set, "epoll"))
        promised |= PLX_CAP_POLLABLE | PLX_CAP_EDGE | PLX_CAP_ONESHOT | PLX_CAP_LIVE;
    if (is(set, "kqueue"))
        promised = PLX_CAP_POLLABLE | PLX_CAP_EDGE;
    assert_int_equal(plx_caps(set), promised);
}

static void features_tell_the_truth(plx_set *set)
{
    struct epoll_event event;
    const int64_t zero[2] = { 0, 0 };
    int epfd = epoll_create1(EPOLL_CLOEXEC);
    long n = syscall(SYS_epoll_pwait2, epfd, &event, 1, zero, NULL, 0);
    int waker = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
    char expected[64];
    close(epfd);
    close(waker);
    if (is(set, "kqueue"))
        assert_string_equal(plx_features(set),
                            kqueue_emulation_is()->has_user ? "kevent, EVFILT_USER" : "kevent, pipe");
    else if (is(set, "/dev/poll"))
        assert_string_equal(plx_features(set), "pipe, DP_POLL");
    else if (is(set, "epoll") || is(set, "poll")) {
        snprintf(expected, sizeof expected, "%s, %s", waker >= 0 ? "eventfd" : "pipe",
                 !is(set, "epoll") ? "p" : n == 0 ? "epoll_pwait2" : "no epoll_pwait2");
        assert_memory_equal(plx_features(set), expected, strlen(expected)); /* "poll" or "ppoll" */
    }
}

static void the_handle_is_pollable_or_absent(plx_set *set)
{
    int handle = (int)plx_handle(set);
    if (plx_caps(set) & PLX_CAP_POLLABLE)
        assert_true(fcntl(handle, F_GETFD) >= 0);
    else
        assert_int_equal(handle, -1);
}

static void the_handle_is_readable_when_await_would_return(plx_set *set)
{
    struct pollfd p = { (int)plx_handle(set), POLLIN, 0 };
    int fd = counter(false);
    add_ok(set, fd, 1, PLX_IN);
    assert_int_equal(poll(&p, 1, 0), 0);
    expect_nothing(set); /* takes what was kept */
    assert_int_equal(poll(&p, 1, 0), 0);
    assert_int_equal(eventfd_write(fd, 1), 0);
    assert_int_equal(poll(&p, 1, 0), 1);
    assert_int_equal(p.revents, POLLIN);
    expect_event(set, fd, 1, PLX_IN);
    assert_int_equal(poll(&p, 1, 0), 1);
    remove_ok(set, fd);
    expect_nothing(set);
    assert_int_equal(poll(&p, 1, 0), 0);
    assert_int_equal(plx_wakeup(set), 0);
    assert_int_equal(poll(&p, 1, 0), 1);
    expect_wake(set);
    expect_nothing(set); /* until then it may stay readable */
    assert_int_equal(poll(&p, 1, 0), 0);
    close(fd);
}

static void descriptors_are_close_on_exec_and_non_blocking(plx_set *set)
{
    descriptors before, after;
    plx_set *other;
    int made = 0;
    list_descriptors(&before);
    assert_int_equal(plx_open(plx_name(set), &other), 0);
    list_descriptors(&after);
    for (int fd = 0; fd < (int)sizeof after.bits * 8; fd++) {
        if (has_descriptor(&before, fd) || !has_descriptor(&after, fd))
            continue;
        made++;
        assert_int_equal(fcntl(fd, F_GETFD) & FD_CLOEXEC, FD_CLOEXEC);
        if (fd != plx_handle(other)) /* nobody reads that of an epoll or a kqueue */
            assert_int_equal(fcntl(fd, F_GETFL) & O_NONBLOCK, O_NONBLOCK);
    }
    assert_in_range(made, 1, is(set, "kqueue") ? 6 : 3); /* an emulated kqueue has three more */
    plx_close(other);
}

static void many_sets_are_independent(plx_set *set)
{
    plx_set *sets[50];
    int fd = counter(true);
    for (uint32_t i = 0; i < 50; i++) {
        assert_int_equal(plx_open(plx_name(set), &sets[i]), 0);
        add_ok(sets[i], fd, i, PLX_IN);
    }
    assert_int_equal(plx_wakeup(set), 0);
    for (uint32_t i = 0; i < 50; i++)
        expect_event(sets[i], fd, i, PLX_IN);
    for (uint32_t i = 0; i < 50; i += 2)
        plx_close(sets[i]);
    for (uint32_t i = 1; i < 50; i += 2) {
        expect_event(sets[i], fd, i, PLX_IN);
        plx_close(sets[i]);
    }
    expect_wake(set);
    close(fd);
}

/* 0 if everything went as in a process of one thread. A cmocka assertion would end the wrong thread. */
static void *use_own_sets(void *name)
{
    intptr_t wrong = 0;
    int fd = counter(true);
    for (uint32_t i = 0; i < 100; i++) {
        plx_set *own;
        plx_event e[2];
        if (plx_open(name, &own) < 0)
            return (void *)1;
        wrong |= plx_await(own, e, 2, 1) != 0;
        wrong |= plx_wakeup(own) != 0 || plx_await(own, e, 2, -1) != 1 || !is_wakeup(e[0]);
        wrong |= add(own, fd, i, PLX_IN) != 0 || plx_await(own, e, 2, -1) != 1 || e[0].cookie != cookie(fd, i);
        plx_close(own);
    }
    close(fd);
    return (void *)wrong;
}

static void sets_of_many_threads_are_independent(plx_set *set)
{
    pthread_t threads[4];
    char name[32];
    snprintf(name, sizeof name, "%s", plx_name(set));
    for (int i = 0; i < 4; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, use_own_sets, name), 0);
    for (int i = 0; i < 4; i++) {
        void *wrong;
        assert_int_equal(pthread_join(threads[i], &wrong), 0);
        assert_null(wrong);
    }
    expect_nothing(set);
}

static void closing_leaves_the_callers_descriptors(plx_set *set)
{
    plx_set *other;
    int fd = counter(true);
    assert_int_equal(plx_open(plx_name(set), &other), 0);
    add_ok(other, fd, 1, PLX_IN);
    plx_close(other);
    assert_true(fcntl(fd, F_GETFD) >= 0);
    close(fd);
}

/* Leaves room for 0, 1, 2, ... descriptors until it works. */
static void emfile_leaks_nothing(plx_set *set)
{
    struct rlimit limit, lower;
    descriptors before, after;
    int failures = 0, code;
    plx_set *other;
    list_descriptors(&before);
    getrlimit(RLIMIT_NOFILE, &limit);
    lower = limit;
    lower.rlim_cur = (rlim_t)closed_descriptor();
    for (;; lower.rlim_cur++, failures++) {
        setrlimit(RLIMIT_NOFILE, &lower);
        code = plx_open(plx_name(set), &other);
        setrlimit(RLIMIT_NOFILE, &limit);
        if (code == 0)
            break;
        assert_int_equal(code, -EMFILE);
        assert_null(other);
        list_descriptors(&after);
        assert_memory_equal(&before, &after, sizeof before);
    }
    plx_close(other);
    assert_in_range(failures, 1, 100);
}

static void enomem_leaks_nothing(plx_set *set)
{
    int nth = 1;
    for (;; nth++) {
        plx_set *other;
        fail_allocation(nth);
        int code = plx_open(plx_name(set), &other);
        bool failed = allocation_failed();
        fail_allocation(0);
        if (code == 0) {
            assert_false(failed);
            plx_close(other);
            break;
        }
        assert_int_equal(code, -ENOMEM);
        assert_null(other);
    }
    assert_in_range(nth, 2, 10);
}

static int open_another(plx_set *set)
{
    plx_set *other;
    int code = plx_open(plx_name(set), &other);
    plx_close(other);
    return code;
}

static void each_refused_system_call_is_reported_and_leaks_nothing(plx_set *set)
{
    bool epoll = is(set, "epoll") || is(set, "kqueue"); /* an emulated kqueue is made of epolls */
    if (strstr(plx_features(set), "pipe") == NULL) {
        assert_int_equal(with_denied(SYS_eventfd2, ENFILE, open_another, set), -ENFILE);
        assert_int_equal(with_denied(SYS_eventfd2, ENOMEM, open_another, set), -ENOMEM);
    } else {
        assert_int_equal(with_denied(SYS_pipe2, ENFILE, open_another, set), -ENFILE);
    }
    assert_int_equal(with_denied(SYS_epoll_create1, ENFILE, open_another, set), epoll ? -ENFILE : 0);
    assert_int_equal(with_denied(SYS_epoll_ctl, ENOSPC, open_another, set), epoll ? -ENOSPC : 0);
}

static const plx_test library_tests[] = {
    { "each name in the list opens that mechanism", each_name_in_the_list_opens_that_mechanism, 0 },
    { "opening without a name opens the best mechanism", null_opens_the_first, 0 },
    { "an unknown mechanism is ENODEV and gives no set", an_unknown_name_is_enodev, 0 },
    { "an event is sixteen bytes everywhere", an_event_is_sixteen_bytes, 0 },
    { "the library's version is the header's", the_version_is_the_headers, 0 },
    { "open descriptors are told from other numbers", open_descriptors_are_open, 0 },
    { "closing no set is fine", closing_no_set_is_fine, 0 },
};
const plx_suite library_suite = SUITE(library_tests);

static const plx_test open_tests[] = {
    { "a set is of the mechanism asked for", it_is_what_was_asked_for, 0 },
    { "a set names the system calls behind it", its_calls_are_named, 0 },
    { "what a set says of itself outlives it", what_it_says_outlives_it, 0 },
    { "capabilities are those promised", capabilities_are_those_promised, 0 },
    { "features tell the truth", features_tell_the_truth, 0 },
    { "the handle is a descriptor, or -1 without the capability", the_handle_is_pollable_or_absent, 0 },
    { "after an await that found nothing the handle is readable when await would return",
      the_handle_is_readable_when_await_would_return,
      PLX_CAP_POLLABLE },
    { "every descriptor is close-on-exec and non-blocking", descriptors_are_close_on_exec_and_non_blocking, 0 },
    { "fifty sets watch one descriptor independently", many_sets_are_independent, 0 },
    { "sets of many threads are independent", sets_of_many_threads_are_independent, 0 },
    { "closing a set leaves the caller's descriptors open", closing_leaves_the_callers_descriptors, 0 },
    { "EMFILE at any point of opening leaks nothing", emfile_leaks_nothing, 0 },
    { "ENOMEM at any point of opening leaks nothing", enomem_leaks_nothing, 0 },
    { "each refused system call of opening is reported and leaks nothing",
      each_refused_system_call_is_reported_and_leaks_nothing, 0 },
};
const plx_suite open_suite = SUITE(open_tests);
