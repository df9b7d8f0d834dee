/* SPDX-License-Identifier: Apache-2.0
 *
 * test_refusal.c: changes that are refused are reported, and only they are not applied.
 */
#include "support.h"

#include <errno.h>
#include <limits.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

static bool is_epoll(const plx_set *set)
{
    return is(set, "epoll") || is(set, "kqueue"); /* an emulated kqueue is made of epolls */
}

static void a_file_is_refused_or_ready(plx_set *set)
{
    int fd = regular_file();
    assert_int_equal(pwrite(fd, "x", 1, 0), 1);
    if (is(set, "epoll")) {
        assert_int_equal(add_and_await(set, fd, 3, PLX_IN), -EPERM);
        expect_nothing(set);
    } else {
        add_ok(set, fd, 3, PLX_IN | PLX_OUT);
        expect_event(set, fd, 3, PLX_IN | PLX_OUT);
        assert_int_equal(lseek(fd, 0, SEEK_END), 1);
        expect_event(set, fd, 3, is(set, "kqueue") ? PLX_OUT : PLX_IN | PLX_OUT);
        remove_ok(set, fd);
        expect_nothing(set);
    }
    close(fd);
}

static void a_closed_descriptor_is_refused_or_reported_invalid(plx_set *set)
{
    int fd = closed_descriptor(), code = add_and_await(set, fd, 4, PLX_IN);
    if (code == 0) {
        assert_false(is_epoll(set));
        expect_event(set, fd, 4, PLX_NVAL);
        remove_ok(set, fd);
    } else
        assert_int_equal(code, -EBADF);
    expect_nothing(set);
}

static void a_modified_closed_descriptor_is_refused_or_reported_invalid(plx_set *set)
{
    int fd = counter(true);
    add_ok(set, fd, 4, PLX_IN);
    close(fd);
    int code = modify_and_await(set, fd, 5, PLX_OUT);
    if (code < 0)
        assert_int_equal(code, -EBADF);
    if (is_epoll(set)) {
        assert_true(code < 0);
        expect_nothing(set);
    } else {
        expect_event(set, fd, code < 0 ? 4 : 5, PLX_NVAL); /* what was there stays */
        remove_ok(set, fd);
    }
}

/* Not the number that is left of it in an int. */
static void a_number_that_is_no_ints_is_refused(plx_set *set)
{
    int fd = counter(true);
    intptr_t large = (intptr_t)((int64_t)1 << 32) | fd;
    if (sizeof large == sizeof fd)
        skip_this("there are no such numbers here");
    assert_int_equal(plx_add(set, large, PLX_IN, 1), -EBADF);
    add_ok(set, fd, 1, PLX_IN);
    assert_true(plx_modify(set, large, PLX_OUT, 2) < 0);
    assert_int_equal(plx_remove(set, large), 0);
    expect_event(set, fd, 1, PLX_IN);
    close(fd);
}

static void a_negative_descriptor_is_refused(plx_set *set)
{
    assert_int_equal(add(set, -1, 1, PLX_IN), -EBADF);
    assert_int_equal(modify(set, INT_MIN, 1, PLX_OUT), -EBADF);
    expect_nothing(set);
}

static void an_absurd_descriptor_costs_no_absurd_memory(plx_set *set)
{
    largest_allocation();
    assert_true(add(set, INT_MAX, 1, PLX_IN) < 0);
    add(set, INT_MAX - 1, 1, PLX_IN);
    assert_in_range(largest_allocation(), 0, 1 << 24);
}

static void a_refused_change_leaves_the_others(plx_set *set)
{
    int a = counter(true), b = counter(true), closed = closed_descriptor();
    plx_event e[8];
    add_ok(set, a, 11, PLX_IN);
    assert_int_equal(add(set, -2, 12, PLX_OUT), -EBADF);
    assert_in_range(-modify(set, closed, 13, PLX_IN), 1, INT_MAX); /* ENOENT, EBADF */
    add_ok(set, b, 14, PLX_IN);
    assert_int_equal(modify(set, -3, 15, PLX_OUT), -EBADF);
    int n = plx_await(set, e, 8, 0);
    assert_int_equal(n, 2);
    assert_int_equal(events_of(e, n, a), PLX_IN);
    assert_int_equal(events_of(e, n, b), PLX_IN);
    close(a);
    close(b);
}

/* What was there stays, if anything was. */
static void expect_refused(plx_set *set, uint32_t want, uint64_t any, int code)
{
    int fd = counter(true);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(plx_add(set, fd, want, any), -code);
        expect_nothing(set);
        assert_int_equal(modify(set, fd, 1, PLX_IN), -ENOENT);
    }
    add_ok(set, fd, 2, PLX_OUT);
    assert_int_equal(plx_add(set, fd, want, any), -code);
    expect_event(set, fd, 2, PLX_OUT);
    assert_int_equal(plx_modify(set, fd, want, any), -code);
    expect_event(set, fd, 2, PLX_OUT);
    remove_ok(set, fd);
    expect_nothing(set);
    close(fd);
}

static void unknown_bits_are_refused(plx_set *set)
{
    uint32_t known = PLX_IN | PLX_PRI | PLX_OUT | PLX_ERR | PLX_HUP | PLX_NVAL | PLX_RDHUP | PLX_ONESHOT | PLX_EDGE;
    for (int bit = 0; bit < 32; bit++)
        if (!(known >> bit & 1))
            expect_refused(set, PLX_IN | UINT32_C(1) << bit, 1, EINVAL);
    expect_refused(set, PLX_WAKEUP, 1, EINVAL);
    expect_refused(set, UINT32_MAX, 1, EINVAL);
}

static void what_is_reported_unasked_may_be_asked_for(plx_set *set)
{
    int fd = counter(true);
    add_ok(set, fd, 1, PLX_ERR | PLX_HUP | PLX_NVAL);
    expect_nothing(set);
    modify_ok(set, fd, 2, PLX_IN | PLX_ERR | PLX_HUP | PLX_NVAL);
    expect_event(set, fd, 2, PLX_IN);
    close(fd);
}

static void no_cookie_is_refused(plx_set *set)
{
    expect_refused(set, PLX_IN, PLX_NO_COOKIE, EINVAL);
    expect_refused(set, 0, UINT64_MAX, EINVAL);
}

static void flags_that_are_missing_are_refused(plx_set *set)
{
    if (!(plx_caps(set) & PLX_CAP_EDGE))
        expect_refused(set, PLX_IN | PLX_EDGE, 1, EOPNOTSUPP);
    if (!(plx_caps(set) & PLX_CAP_ONESHOT))
        expect_refused(set, PLX_IN | PLX_ONESHOT, 1, EOPNOTSUPP);
    if (!(plx_caps(set) & (PLX_CAP_EDGE | PLX_CAP_ONESHOT)))
        expect_refused(set, PLX_EDGE | PLX_ONESHOT, 1, EOPNOTSUPP);
}

static int registered;

static int add_registered(plx_set *set)
{
    return add_and_await(set, registered, 21, PLX_IN);
}

static int remove_registered(plx_set *set)
{
    return plx_remove(set, registered);
}

static void the_kernels_reason_is_reported(plx_set *set)
{
    registered = counter(true);
    int code = with_denied(SYS_epoll_ctl, ENOSPC, add_registered, set);
    assert_int_equal(code, is_epoll(set) ? -ENOSPC : 0);
    if (code < 0)
        expect_nothing(set);
    assert_int_equal(add(set, registered, 21, PLX_IN), 0);
    expect_event(set, registered, 21, PLX_IN);
    code = with_denied(SYS_epoll_ctl, ENOMEM, remove_registered, set);
    assert_int_equal(code, is(set, "epoll") ? -ENOMEM : 0); /* a kqueue has no such error */
    assert_int_equal(remove_registered(set), 0);
    expect_nothing(set);
    close(registered);
}

/* Whichever of an add's allocations fails: what was there stays, and the same add works later. */
static void an_add_without_memory_is_refused_and_can_be_repeated(plx_set *set)
{
    int fds[300], refused = 0;
    plx_event e[300];
    for (uint32_t i = 0; i < 300; i++) {
        fds[i] = counter(true);
        for (int nth = 1; nth <= 3; nth++) {
            fail_allocation(nth);
            int code = add(set, fds[i], i, PLX_IN);
            bool failed = allocation_failed();
            fail_allocation(0);
            assert_int_equal(code, failed ? -ENOMEM : 0);
            if (!failed)
                break;
            refused++;
            assert_int_equal(plx_await(set, e, 300, 0), i);
        }
        add_ok(set, fds[i], i, PLX_IN);
    }
    if (!is(set, "epoll"))
        assert_in_range(refused, 1, 50);
    int n = plx_await(set, e, 300, 0);
    for (int i = 0; i < 300; i++) {
        assert_int_equal(events_of(e, n, fds[i]), PLX_IN);
        close(fds[i]);
    }
}

static void a_set_does_not_watch_itself(plx_set *set)
{
    plx_set *other;
    assert_int_equal(plx_open(plx_name(set), &other), 0);
    int own = (int)plx_handle(set), others = (int)plx_handle(other);
    assert_int_equal(add_and_await(set, own, 1, PLX_IN), -EINVAL);
    add_ok(set, others, 1, PLX_IN);
    expect_nothing(set);
    assert_int_equal(add_and_await(other, own, 1, PLX_IN), -ELOOP);
    plx_close(other);
    expect_nothing(set);
}

/* poll(2) refuses more entries than descriptors are allowed, /dev/poll room for as many; epoll has no such limit. */
static void more_descriptors_than_the_limit_are_an_error_or_work(plx_set *set)
{
    struct rlimit limit, lower;
    int fds[100];
    plx_event e[100];
    for (int i = 0; i < 100; i++) {
        fds[i] = counter(true);
        add_ok(set, fds[i], 1, PLX_IN);
    }
    getrlimit(RLIMIT_NOFILE, &limit);
    lower = limit;
    lower.rlim_cur = 50;
    setrlimit(RLIMIT_NOFILE, &lower);
    int n = plx_await(set, e, 100, 0);
    setrlimit(RLIMIT_NOFILE, &limit);
    assert_int_equal(n, is_epoll(set) ? 100 : is(set, "/dev/poll") ? 49 : -EINVAL);
    assert_int_equal(plx_await(set, e, 100, 0), 100);
    for (int i = 0; i < 100; i++)
        close(fds[i]);
}

static void awaiting_into_nothing_is_refused(plx_set *set)
{
    plx_event e = { 5, 5, 5 };
    assert_int_equal(plx_wakeup(set), 0);
    assert_int_equal(plx_await(set, &e, 0, 0), -EINVAL);
    assert_int_equal(plx_await(set, &e, -1, -1), -EINVAL);
    assert_int_equal(e.cookie, 5);
    expect_wake(set);
}

static void absurd_room_is_room(plx_set *set)
{
    static plx_event e[MANY];
    int fd = counter(true);
    add_ok(set, fd, 1, PLX_IN);
    assert_int_equal(plx_wakeup(set), 0);
    assert_int_equal(plx_await(set, e, INT_MAX, -1), 2);
    assert_int_equal(events_of(e, 2, fd), PLX_IN);
    assert_int_equal(plx_await(set, e, INT_MAX - 1, 0), 1);
    remove_ok(set, fd);
    assert_int_equal(plx_await(set, e, INT_MAX, 0), 0);
    close(fd);
}

static void what_it_cannot_hold_is_removed_with_success(plx_set *set)
{
    remove_ok(set, plx_handle(set));
    remove_ok(set, -1);
    remove_ok(set, closed_descriptor());
    expect_nothing(set);
    assert_int_equal(plx_wakeup(set), 0);
    expect_wake(set);
}

static const plx_test refusal_tests[] = {
    { "absurd room is room", absurd_room_is_room, 0 },
    { "what a set cannot hold is removed with success, its own handle too",
      what_it_cannot_hold_is_removed_with_success, 0 },
    { "a regular file is refused, or is ready", a_file_is_refused_or_ready, 0 },
    { "adding a closed descriptor is refused, or it is reported invalid",
      a_closed_descriptor_is_refused_or_reported_invalid, 0 },
    { "modifying a closed descriptor is refused, or it is reported invalid",
      a_modified_closed_descriptor_is_refused_or_reported_invalid, 0 },
    { "adding a negative descriptor is refused", a_negative_descriptor_is_refused, 0 },
    { "a number beyond those of descriptors is refused", a_number_that_is_no_ints_is_refused, 0 },
    { "an absurd descriptor costs no absurd memory", an_absurd_descriptor_costs_no_absurd_memory, 0 },
    { "a refused change leaves the others alone", a_refused_change_leaves_the_others, 0 },
    { "unknown bits are refused, and nothing is watched", unknown_bits_are_refused, 0 },
    { "what is reported unasked may be asked for, without effect", what_is_reported_unasked_may_be_asked_for, 0 },
    { "the one value that is no cookie is refused", no_cookie_is_refused, 0 },
    { "flags that the mechanism lacks are refused, and nothing is watched", flags_that_are_missing_are_refused, 0 },
    { "the kernel's own reason is reported", the_kernels_reason_is_reported, 0 },
    { "an add without memory is refused and can be repeated", an_add_without_memory_is_refused_and_can_be_repeated, 0 },
    { "a set does not watch itself, nor two each other", a_set_does_not_watch_itself, PLX_CAP_POLLABLE },
    { "more descriptors than the limit of open files are an error or work",
      more_descriptors_than_the_limit_are_an_error_or_work, 0 },
    { "awaiting into no room is refused and consumes nothing", awaiting_into_nothing_is_refused, 0 },
};
const plx_suite refusal_suite = SUITE(refusal_tests);
