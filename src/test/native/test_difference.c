/* SPDX-License-Identifier: Apache-2.0
 *
 * test_difference.c: the table in the head of pollux.h, row by row: what the mechanisms do differently. A row about
 * kernels that are emulated here says what the emulation was made to do.
 */
#include "support.h"

#include <errno.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

/* What is reported now of a descriptor added for these events, which is removed again. */
static uint32_t reported(plx_set *set, int fd, uint32_t want)
{
    plx_event e[MANY];
    add_ok(set, fd, 1, want);
    int n = plx_await(set, e, MANY, 0);
    remove_ok(set, fd);
    return events_of(e, n, fd);
}

static bool is_kqueue(const plx_set *set)
{
    return is(set, "kqueue");
}

static void in_and_out(plx_set *set)
{
    int fd = counter(true);
    assert_int_equal(reported(set, fd, PLX_IN), PLX_IN);
    assert_int_equal(reported(set, fd, PLX_OUT), PLX_OUT);
    close(fd);
}

static void pri(plx_set *set)
{
    int fds[2];
    tcp_pair(fds);
    assert_int_equal(send(fds[1], "!", 1, MSG_OOB), 1);
    assert_int_equal(reported(set, fds[0], PLX_PRI), is_kqueue(set) ? 0 : PLX_PRI);
    close_both(fds);
}

static void rdhup(plx_set *set)
{
    int fds[2];
    tcp_pair(fds);
    shutdown(fds[1], SHUT_WR);
    assert_int_equal(reported(set, fds[0], PLX_RDHUP), is_kqueue(set) ? 0 : PLX_RDHUP);
    assert_int_equal(reported(set, fds[0], PLX_IN | PLX_RDHUP), PLX_IN | PLX_RDHUP);
    close_both(fds);
}

static void err(plx_set *set)
{
    int fd = broken_pipe();
    assert_int_equal(reported(set, fd, 0), is_kqueue(set) ? 0 : PLX_ERR);
    assert_int_equal(reported(set, fd, PLX_OUT), PLX_OUT | PLX_ERR);
    close(fd);
}

static void hup(plx_set *set)
{
    int fds[2];
    stream_pair(fds);
    close(fds[1]);
    assert_int_equal(reported(set, fds[0], 0), is_kqueue(set) ? 0 : PLX_HUP);
    assert_int_equal(reported(set, fds[0], PLX_IN), is_kqueue(set) ? PLX_IN : PLX_IN | PLX_HUP);
    close(fds[0]);
}

static void one_shot_and_edge(plx_set *set)
{
    int fd = counter(true);
    assert_int_equal(plx_add(set, fd, PLX_IN | PLX_ONESHOT, 1), is(set, "epoll") ? 0 : -EOPNOTSUPP);
    assert_int_equal(plx_add(set, fd, PLX_IN | PLX_EDGE, 1), is(set, "epoll") || is_kqueue(set) ? 0 : -EOPNOTSUPP);
    close(fd);
}

static void changes_at_any_time(plx_set *set)
{
    assert_int_equal(plx_caps(set) & PLX_CAP_LIVE, is(set, "epoll") ? PLX_CAP_LIVE : 0);
}

static void a_descriptor_closed_without_removal(plx_set *set)
{
    int fd = counter(true);
    add_ok(set, fd, 1, PLX_IN);
    expect_event(set, fd, 1, PLX_IN);
    close(fd);
    for (int i = 0; i < 3; i++)
        if (is(set, "epoll") || is_kqueue(set))
            expect_nothing(set);
        else
            expect_event(set, fd, 1, PLX_NVAL);
    remove_ok(set, fd);
    expect_nothing(set);
}

static void its_number_reused(plx_set *set)
{
    int fd = counter(true);
    add_ok(set, fd, 1, PLX_IN);
    expect_event(set, fd, 1, PLX_IN);
    close(fd);
    assert_int_equal(counter(false), fd);
    expect_nothing(set);
    assert_int_equal(eventfd_write(fd, 1), 0);
    if (is(set, "epoll") || is_kqueue(set))
        expect_nothing(set);
    else
        expect_event(set, fd, 1, PLX_IN);
    close(fd);
}

static void its_file_open_elsewhere(plx_set *set)
{
    int fd = counter(true), copy = dup(fd);
    assert_true(copy >= 0);
    add_ok(set, fd, 1, PLX_IN);
    expect_event(set, fd, 1, PLX_IN);
    close(fd);
    if (is(set, "epoll"))
        expect_event(set, fd, 1, PLX_IN);
    else if (is_kqueue(set))
        expect_nothing(set);
    else
        expect_event(set, fd, 1, PLX_NVAL);
    close(copy);
    if (is(set, "epoll"))
        expect_nothing(set);
}

static void a_regular_file(plx_set *set)
{
    int fd = regular_file();
    if (is(set, "epoll")) {
        assert_int_equal(add(set, fd, 1, PLX_IN), -EPERM);
    } else {
        assert_int_equal(reported(set, fd, PLX_IN), is_kqueue(set) ? 0 : PLX_IN); /* it is empty */
        assert_int_equal(pwrite(fd, "x", 1, 0), 1);
        assert_int_equal(reported(set, fd, PLX_IN), PLX_IN);
    }
    close(fd);
}

static void its_handle(plx_set *set)
{
    assert_int_equal(plx_handle(set) >= 0, is(set, "epoll") || is_kqueue(set));
}

static const plx_test difference_tests[] = {
    { "the table: PLX_IN, PLX_OUT", in_and_out, 0 },
    { "the table: PLX_PRI", pri, 0 },
    { "the table: PLX_RDHUP", rdhup, 0 },
    { "the table: PLX_ERR", err, 0 },
    { "the table: PLX_HUP", hup, 0 },
    { "the table: PLX_ONESHOT, PLX_EDGE", one_shot_and_edge, 0 },
    { "the table: add, modify, remove", changes_at_any_time, 0 },
    { "the table: a descriptor closed without plx_remove", a_descriptor_closed_without_removal, 0 },
    { "the table: its number reused", its_number_reused, 0 },
    { "the table: its open file under another number", its_file_open_elsewhere, 0 },
    { "the table: a regular file", a_regular_file, 0 },
    { "the table: plx_handle", its_handle, 0 },
};
const plx_suite difference_suite = SUITE(difference_tests);
