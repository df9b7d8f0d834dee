/* SPDX-License-Identifier: Apache-2.0
 *
 * test_cookie.c: what is given to plx_add and plx_modify comes back, whole, in each event, also in those that tell of
 * an error.
 */
#include "support.h"

#include <errno.h>
#include <unistd.h>

static void every_cookie_comes_back(plx_set *set)
{
    const uint64_t cookies[] = { 0,
                                 1,
                                 (uintptr_t)set,
                                 (uint64_t)(uintptr_t)&errno << 1 | 1,
                                 INT32_MAX,
                                 UINT32_MAX,
                                 (uint64_t)UINT32_MAX + 1,
                                 INT64_MAX,
                                 (uint64_t)1 << 63,
                                 UINT64_C(0xfedcba9876543210),
                                 UINT64_MAX - UINT32_MAX,
                                 UINT64_MAX - 2,
                                 UINT64_MAX - 1 };
    int fd = counter(true);
    for (size_t i = 0; i < sizeof cookies / sizeof *cookies; i++) {
        assert_int_equal(plx_add(set, fd, PLX_IN, cookies[i]), 0);
        expect_cookie(set, cookies[i], PLX_IN);
        expect_cookie(set, cookies[i], PLX_IN);
        if (i % 2 == 0)
            remove_ok(set, fd);
    }
    assert_int_equal(plx_add(set, fd, PLX_OUT, 7), 0);
    for (size_t i = 0; i < sizeof cookies / sizeof *cookies; i++) {
        assert_int_equal(plx_modify(set, fd, PLX_IN, cookies[i]), 0);
        expect_cookie(set, cookies[i], PLX_IN);
        expect_cookie(set, cookies[i], PLX_IN);
    }
    close(fd);
}

/* Reading and writing are two events on some mechanisms. */
static void both_filters_have_it(plx_set *set)
{
    int fd = counter(true);
    for (uint64_t cookie = 1; cookie < 5; cookie++) {
        assert_int_equal(plx_add(set, fd, PLX_IN | PLX_OUT, cookie << 40), 0);
        expect_cookie(set, cookie << 40, PLX_IN | PLX_OUT);
        assert_int_equal(plx_modify(set, fd, PLX_OUT, cookie << 50), 0);
        expect_cookie(set, cookie << 50, PLX_OUT);
        assert_int_equal(plx_modify(set, fd, PLX_IN | PLX_OUT, cookie << 60), 0);
        expect_cookie(set, cookie << 60, PLX_IN | PLX_OUT);
    }
    close(fd);
}

static void many_may_have_the_same(plx_set *set)
{
    enum { COUNT = 20 };
    int fds[COUNT];
    plx_event e[MANY];
    for (int i = 0; i < COUNT; i++) {
        fds[i] = counter(true);
        assert_int_equal(plx_add(set, fds[i], PLX_IN, 5), 0);
    }
    assert_int_equal(plx_await(set, e, MANY, -1), COUNT);
    for (int i = 0; i < COUNT; i++)
        assert_int_equal(e[i].cookie, 5);
    for (int i = 0; i < COUNT; i++)
        close(fds[i]);
}

static void that_of_a_wakeup_may_be_a_descriptors_too(plx_set *set)
{
    int fd = counter(true);
    plx_event e[MANY];
    assert_int_equal(plx_add(set, fd, PLX_IN, 0), 0);
    assert_int_equal(plx_wakeup(set), 0);
    assert_int_equal(plx_await(set, e, MANY, -1), 2);
    assert_int_equal(e[0].cookie, 0);
    assert_int_equal(e[1].cookie, 0);
    assert_int_equal(e[0].events | e[1].events, PLX_IN | PLX_WAKEUP);
    expect_cookie(set, 0, PLX_IN);
    close(fd);
}

static void a_late_error_has_it(plx_set *set)
{
    static const uint64_t cookies[] = { 0, UINT64_C(0x8000000000000001), UINT64_MAX - 1 };
    for (size_t i = 0; i < sizeof cookies / sizeof *cookies; i++) {
        int fd = counter(true);
        plx_event e[MANY];
        assert_int_equal(plx_add(set, fd, PLX_IN | PLX_OUT, cookies[i]), 0);
        close(fd);
        int n = plx_await(set, e, MANY, 0);
        if (n > 0) {
            assert_int_equal(n, 1);
            assert_int_equal(e->cookie, cookies[i]);
            assert_int_equal(e->events, is(set, "kqueue") ? PLX_FAILED | PLX_IN | PLX_OUT : PLX_NVAL);
            assert_int_equal(e->error, EBADF);
        } else {
            assert_true(is(set, "epoll"));
        }
        remove_ok(set, fd);
    }
}

static const plx_test cookie_tests[] = {
    { "every cookie comes back", every_cookie_comes_back, 0 },
    { "an event for reading and one for writing have one cookie", both_filters_have_it, 0 },
    { "many descriptors may have the same cookie", many_may_have_the_same, 0 },
    { "a descriptor may have the cookie of wakeups", that_of_a_wakeup_may_be_a_descriptors_too, 0 },
    { "an error that is found out late has the cookie", a_late_error_has_it, 0 },
};
const plx_suite cookie_suite = SUITE(cookie_tests);
