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
        assert_int_equal(change_and_await(set, fd, 3, 0, PLX_IN), -EPERM);
        expect_nothing(set);
    } else {
        change_ok(set, fd, 3, 0, PLX_IN | PLX_OUT);
        expect_event(set, fd, 3, PLX_IN | PLX_OUT);
        assert_int_equal(lseek(fd, 0, SEEK_END), 1);
        expect_event(set, fd, 3, is(set, "kqueue") ? PLX_OUT : PLX_IN | PLX_OUT);
        change_ok(set, fd, 3, PLX_IN | PLX_OUT, 0);
        expect_nothing(set);
    }
    close(fd);
}

static void a_closed_descriptor_is_refused_or_reported_invalid(plx_set *set)
{
    int fd = closed_descriptor(), code = change_and_await(set, fd, 4, 0, PLX_IN);
    if (code == 0) {
        assert_false(is_epoll(set));
        expect_event(set, fd, 4, PLX_NVAL);
        change_ok(set, fd, 4, PLX_IN, 0);
    } else
        assert_int_equal(code, -EBADF);
    expect_nothing(set);
}

static void a_modified_closed_descriptor_is_refused_or_reported_invalid(plx_set *set)
{
    int fd = counter(true);
    change_ok(set, fd, 4, 0, PLX_IN);
    close(fd);
    int code = change_and_await(set, fd, 5, PLX_IN, PLX_OUT);
    if (code == 0) {
        assert_false(is_epoll(set));
        expect_event(set, fd, 5, PLX_NVAL);
    } else {
        assert_int_equal(code, -EBADF);
        expect_nothing(set);
    }
}

static void a_negative_descriptor_is_refused(plx_set *set)
{
    assert_int_equal(change(set, -1, 1, 0, PLX_IN), -EBADF);
    assert_int_equal(change(set, INT_MIN, 1, PLX_IN, PLX_OUT), -EBADF);
    expect_nothing(set);
}

static void an_absurd_descriptor_costs_no_absurd_memory(plx_set *set)
{
    largest_allocation();
    assert_true(change(set, INT_MAX, 1, 0, PLX_IN) < 0);
    change(set, INT_MAX - 1, 1, 0, PLX_IN);
    assert_in_range(largest_allocation(), 0, 1 << 24);
}

static void the_others_are_applied(plx_set *set)
{
    int a = counter(true), b = counter(true), c = counter(true);
    const plx_change changes[] = {
        { -1, 10, 0, PLX_IN }, { a, 11, 0, PLX_IN },       { -2, 12, 0, PLX_OUT }, { b, 13, 0, PLX_IN },
        { -3, 14, 0, 0 },      { -4, 15, PLX_IN, PLX_OUT }, { c, 16, 0, PLX_IN },
    };
    plx_event failed[7], e[8];
    memset(failed, 0x55, sizeof failed);
    assert_int_equal(plx_update(set, changes, 7, failed), 3);
    for (int i = 0; i < 3; i++) {
        const plx_change *refused = &changes[i == 0 ? 0 : i == 1 ? 2 : 5];
        assert_int_equal(failed[i].fd, refused->fd);
        assert_int_equal(failed[i].gen, refused->gen);
        assert_int_equal(failed[i].events, PLX_FAILED);
        assert_int_equal(failed[i].error, EBADF);
    }
    assert_int_equal(failed[3].fd, 0x55555555);
    int n = plx_await(set, e, 8, 0);
    assert_int_equal(events_of(e, n, a), PLX_IN);
    assert_int_equal(events_of(e, n, b), PLX_IN);
    assert_int_equal(events_of(e, n, c), PLX_IN);
    close(a);
    close(b);
    close(c);
}

static int registered;

static int add_registered(plx_set *set)
{
    return change_and_await(set, registered, 21, 0, PLX_IN);
}

static int remove_registered(plx_set *set)
{
    plx_change c = { registered, 21, PLX_IN, 0 };
    plx_event failed;
    return plx_update(set, &c, 1, &failed) == 0 ? 0 : -failed.error;
}

static void the_kernels_reason_is_reported(plx_set *set)
{
    registered = counter(true);
    int code = with_denied(SYS_epoll_ctl, ENOSPC, add_registered, set);
    assert_int_equal(code, is_epoll(set) ? -ENOSPC : 0);
    if (code < 0)
        expect_nothing(set);
    assert_int_equal(change(set, registered, 21, 0, PLX_IN), 0);
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
            int code = change(set, fds[i], i, 0, PLX_IN);
            bool failed = allocation_failed();
            fail_allocation(0);
            assert_int_equal(code, failed ? -ENOMEM : 0);
            if (!failed)
                break;
            refused++;
            assert_int_equal(plx_await(set, e, 300, 0), i);
        }
        change_ok(set, fds[i], i, 0, PLX_IN);
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
    assert_int_equal(change_and_await(set, own, 1, 0, PLX_IN), -EINVAL);
    change_ok(set, others, 1, 0, PLX_IN);
    expect_nothing(set);
    assert_int_equal(change_and_await(other, own, 1, 0, PLX_IN), -ELOOP);
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
        change_ok(set, fds[i], 1, 0, PLX_IN);
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
    plx_event e = { 5, 5, 5, 5 };
    assert_int_equal(plx_wakeup(set), 0);
    assert_int_equal(plx_await(set, &e, 0, 0), -EINVAL);
    assert_int_equal(plx_await(set, &e, -1, -1), -EINVAL);
    assert_int_equal(e.fd, 5);
    expect_wake(set);
}

static const plx_test refusal_tests[] = {
    { "a regular file is refused, or is ready", a_file_is_refused_or_ready, 0 },
    { "adding a closed descriptor is refused, or it is reported invalid",
      a_closed_descriptor_is_refused_or_reported_invalid, 0 },
    { "modifying a closed descriptor is refused, or it is reported invalid",
      a_modified_closed_descriptor_is_refused_or_reported_invalid, 0 },
    { "adding a negative descriptor is refused", a_negative_descriptor_is_refused, 0 },
    { "an absurd descriptor costs no absurd memory", an_absurd_descriptor_costs_no_absurd_memory, 0 },
    { "changes beside a refused one are applied, in one call", the_others_are_applied, 0 },
    { "the kernel's own reason is reported", the_kernels_reason_is_reported, 0 },
    { "an add without memory is refused and can be repeated", an_add_without_memory_is_refused_and_can_be_repeated, 0 },
    { "a set does not watch itself, nor two each other", a_set_does_not_watch_itself, PLX_CAP_POLLABLE },
    { "more descriptors than the limit of open files are an error or work",
      more_descriptors_than_the_limit_are_an_error_or_work, 0 },
    { "awaiting into no room is refused and consumes nothing", awaiting_into_nothing_is_refused, 0 },
};
const plx_suite refusal_suite = SUITE(refusal_tests);
