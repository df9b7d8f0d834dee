/* SPDX-License-Identifier: Apache-2.0
 *
 * test_event.c: what real sockets and pipes report, asked and unasked; edges and one shots.
 */
#include "support.h"

#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

static void only_asked_readiness_is_reported(plx_set *set)
{
    int fds[2];
    stream_pair(fds);
    add_ok(set, fds[0], 1, PLX_IN);
    expect_nothing(set);
    assert_int_equal(write(fds[1], "x", 1), 1);
    expect_event(set, fds[0], 1, PLX_IN);
    modify_ok(set, fds[0], 1, PLX_OUT);
    expect_event(set, fds[0], 1, PLX_OUT);
    modify_ok(set, fds[0], 1, PLX_IN | PLX_OUT);
    expect_event(set, fds[0], 1, PLX_IN | PLX_OUT);
    close_both(fds);
}

static void a_full_socket_is_not_writable(plx_set *set)
{
    static char block[65536];
    int fds[2];
    stream_pair(fds);
    while (write(fds[0], block, sizeof block) > 0)
        continue;
    add_ok(set, fds[0], 1, PLX_OUT);
    expect_nothing(set);
    while (read(fds[1], block, sizeof block) > 0)
        continue;
    expect_event(set, fds[0], 1, PLX_OUT);
    close_both(fds);
}

static void a_connection_to_accept_is_readable(plx_set *set)
{
    int fds[2];
    tcp_pair(fds);
    add_ok(set, fds[1], 1, PLX_IN | PLX_OUT);
    expect_event(set, fds[1], 1, PLX_OUT);
    assert_int_equal(write(fds[0], "x", 1), 1);
    modify_ok(set, fds[1], 1, PLX_IN);
    expect_event(set, fds[1], 1, PLX_IN);
    close_both(fds);
}

static void half_close_is_rdhup(plx_set *set)
{
    int fds[2];
    tcp_pair(fds);
    add_ok(set, fds[0], 1, PLX_RDHUP);
    expect_nothing(set);
    shutdown(fds[1], SHUT_WR);
    if (is(set, "kqueue")) /* only with IN */
        expect_nothing(set);
    else
        expect_event(set, fds[0], 1, PLX_RDHUP);
    modify_ok(set, fds[0], 1, PLX_IN | PLX_RDHUP);
    expect_event(set, fds[0], 1, PLX_IN | PLX_RDHUP);
    modify_ok(set, fds[0], 1, PLX_IN);
    expect_event(set, fds[0], 1, PLX_IN);
    close_both(fds);
}

static void hang_up_comes_unasked(plx_set *set)
{
    int fds[2];
    stream_pair(fds);
    add_ok(set, fds[0], 1, PLX_PRI);
    close(fds[1]);
    if (is(set, "kqueue")) { /* only as readiness of what is asked for */
        expect_nothing(set);
        modify_ok(set, fds[0], 1, PLX_IN | PLX_OUT);
        expect_event(set, fds[0], 1, PLX_IN | PLX_OUT);
    } else
        expect_event(set, fds[0], 1, PLX_HUP);
    close(fds[0]);
}

static void a_pipe_without_writer_hangs_up(plx_set *set)
{
    int fds[2];
    bool kqueue = is(set, "kqueue"); /* the end can be read */
    pipe_pair(fds);
    add_ok(set, fds[0], 1, PLX_IN);
    expect_nothing(set);
    assert_int_equal(write(fds[1], "x", 1), 1);
    close(fds[1]);
    expect_event(set, fds[0], 1, kqueue ? PLX_IN : PLX_IN | PLX_HUP);
    char byte;
    assert_int_equal(read(fds[0], &byte, 1), 1);
    expect_event(set, fds[0], 1, kqueue ? PLX_IN : PLX_HUP);
    close(fds[0]);
}

static void a_pipe_without_reader_is_an_error(plx_set *set)
{
    int fds[2];
    pipe_pair(fds);
    add_ok(set, fds[1], 1, PLX_OUT);
    expect_event(set, fds[1], 1, PLX_OUT);
    close(fds[0]);
    for (int i = 0; i < 3; i++)
        expect_event(set, fds[1], 1, PLX_OUT | PLX_ERR);
    modify_ok(set, fds[1], 1, PLX_HUP);
    if (is(set, "kqueue")) /* only with IN or OUT */
        expect_nothing(set);
    else
        expect_event(set, fds[1], 1, PLX_ERR);
    close(fds[1]);
}

static void a_pipe_whose_reader_was_gone_before_is_an_error_too(plx_set *set)
{
    int fd = broken_pipe(), other = counter(true);
    plx_event e[MANY];
    add_ok(set, fd, 1, PLX_OUT);
    assert_int_equal(plx_await(set, e, MANY, -1), 1);
    assert_int_equal(e->events, PLX_OUT | PLX_ERR);
    for (int i = 0; i < 3; i++)
        expect_event(set, fd, 1, PLX_OUT | PLX_ERR);
    add_ok(set, other, 2, PLX_IN);
    for (int i = 0; i < 3; i++) {
        int n = plx_await(set, e, MANY, -1);
        assert_int_equal(events_of(e, n, fd), PLX_OUT | PLX_ERR);
        assert_int_equal(events_of(e, n, other), PLX_IN);
    }
    remove_ok(set, other);
    modify_ok(set, fd, 3, PLX_OUT);
    expect_event(set, fd, 3, PLX_OUT | PLX_ERR);
    remove_ok(set, fd);
    expect_nothing(set);
    add_ok(set, fd, 4, PLX_OUT);
    expect_event(set, fd, 4, PLX_OUT | PLX_ERR);
    remove_ok(set, fd);
    close(fd);
    expect_nothing(set);
    close(other);
}

static void a_broken_pipe_is_an_edge_once(plx_set *set)
{
    int fd = broken_pipe();
    add_ok(set, fd, 1, PLX_OUT | PLX_EDGE);
    expect_event(set, fd, 1, PLX_OUT | PLX_ERR);
    expect_nothing(set);
    modify_ok(set, fd, 1, PLX_OUT);
    expect_event(set, fd, 1, PLX_OUT | PLX_ERR);
    expect_event(set, fd, 1, PLX_OUT | PLX_ERR);
    close(fd);
}

static void a_terminal_is_watched(plx_set *set)
{
    int other, fd = terminal(&other);
    for (uint32_t edge = 0; edge <= (plx_caps(set) & PLX_CAP_EDGE ? PLX_EDGE : 0); edge += PLX_EDGE) {
        add_ok(set, fd, 1, PLX_IN | PLX_OUT | edge);
        expect_event(set, fd, 1, PLX_OUT);
        assert_int_equal(write(other, "x", 1), 1); /* what is more may arrive in two pieces */
        expect_event(set, fd, 1, edge && is(set, "kqueue") ? PLX_IN : PLX_IN | PLX_OUT);
        char bytes[8];
        assert_int_equal(read(fd, bytes, sizeof bytes), 1);
        modify_ok(set, fd, 1, PLX_OUT | edge);
        modify_ok(set, fd, 2, PLX_OUT | edge);
        expect_event(set, fd, 2, PLX_OUT);
        remove_ok(set, fd);
    }
    expect_nothing(set);
    close(other);
    close(fd);
}

static void a_reset_is_error_and_hang_up(plx_set *set)
{
    int fds[2];
    struct linger at_once = { 1, 0 };
    tcp_pair(fds);
    add_ok(set, fds[0], 1, PLX_IN | PLX_OUT | PLX_RDHUP);
    setsockopt(fds[1], SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
    close(fds[1]);
    expect_event(set, fds[0], 1, PLX_IN | PLX_OUT | PLX_RDHUP | PLX_ERR | (is(set, "kqueue") ? 0 : PLX_HUP));
    close(fds[0]);
}

static void out_of_band_data_is_pri(plx_set *set)
{
    int fds[2];
    tcp_pair(fds);
    if (is(set, "kqueue")) { /* unasked, with IN only, or not at all */
        add_ok(set, fds[0], 1, PLX_IN);
        assert_int_equal(send(fds[1], "!", 1, MSG_OOB), 1);
        expect_event(set, fds[0], 1, PLX_PRI);
        assert_int_equal(plx_discard_out_of_band(fds[0]), 1);
        expect_nothing(set);
        assert_int_equal(send(fds[1], "ab", 2, 0), 2);
        assert_int_equal(send(fds[1], "!", 1, MSG_OOB), 1);
        expect_event(set, fds[0], 1, PLX_IN | PLX_PRI);
        char bytes[8];
        assert_int_equal(recv(fds[0], bytes, sizeof bytes, 0), 2);
        expect_event(set, fds[0], 1, PLX_PRI);
        shutdown(fds[1], SHUT_WR);
        expect_event(set, fds[0], 1, PLX_IN | PLX_PRI);
        close_both(fds);
        return;
    }
    add_ok(set, fds[0], 1, PLX_PRI);
    assert_int_equal(send(fds[1], "!", 1, MSG_OOB), 1);
    expect_event(set, fds[0], 1, PLX_PRI);
    modify_ok(set, fds[0], 1, PLX_IN);
    expect_nothing(set);
    close_both(fds);
}

static void a_closed_descriptor_is_invalid_or_gone(plx_set *set)
{
    int fd = counter(true);
    add_ok(set, fd, 1, PLX_IN);
    expect_event(set, fd, 1, PLX_IN);
    close(fd);
    if (is(set, "epoll") || is(set, "kqueue"))
        expect_nothing(set);
    else
        expect_event(set, fd, 1, PLX_NVAL);
}

static void a_datagram_is_readable(plx_set *set)
{
    int fds[2];
    assert_int_equal(socketpair(AF_UNIX, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, fds), 0);
    add_ok(set, fds[0], 1, PLX_IN);
    assert_int_equal(send(fds[1], "", 0, 0), 0);
    expect_event(set, fds[0], 1, PLX_IN);
    close_both(fds);
}

static void one_shot_is_reported_once_until_modified(plx_set *set)
{
    int fds[2];
    stream_pair(fds);
    add_ok(set, fds[0], 1, PLX_OUT | PLX_ONESHOT);
    expect_event(set, fds[0], 1, PLX_OUT);
    expect_nothing(set);
    close(fds[1]);
    expect_nothing(set);
    modify_ok(set, fds[0], 2, PLX_IN | PLX_ONESHOT);
    expect_event(set, fds[0], 2, PLX_IN | PLX_HUP);
    expect_nothing(set);
    close(fds[0]);
}

static void one_shot_is_armed_again_by_the_same_interest(plx_set *set)
{
    int fd = counter(true);
    add_ok(set, fd, 1, PLX_IN | PLX_ONESHOT);
    for (uint32_t gen = 2; gen < 10; gen++) {
        expect_event(set, fd, gen - 1, PLX_IN);
        expect_nothing(set);
        modify_ok(set, fd, gen, PLX_IN | PLX_ONESHOT);
    }
    close(fd);
}

static void one_shot_disarms_what_was_not_ready_too(plx_set *set)
{
    int fd = counter(false);
    add_ok(set, fd, 1, PLX_IN | PLX_OUT | PLX_ONESHOT);
    expect_event(set, fd, 1, PLX_OUT);
    assert_int_equal(eventfd_write(fd, 1), 0);
    expect_nothing(set);
    modify_ok(set, fd, 1, PLX_IN | PLX_OUT | PLX_ONESHOT);
    expect_event(set, fd, 1, PLX_IN | PLX_OUT);
    modify_ok(set, fd, 1, PLX_IN);
    expect_event(set, fd, 1, PLX_IN); /* a level again */
    expect_event(set, fd, 1, PLX_IN);
    close(fd);
}

static void an_edge_is_reported_once_per_change(plx_set *set)
{
    int fd = counter(true);
    add_ok(set, fd, 1, PLX_IN | PLX_EDGE);
    expect_event(set, fd, 1, PLX_IN);
    expect_nothing(set);
    assert_int_equal(eventfd_write(fd, 1), 0);
    expect_event(set, fd, 1, PLX_IN);
    expect_nothing(set);
    modify_ok(set, fd, 2, PLX_IN);
    expect_event(set, fd, 2, PLX_IN);
    expect_event(set, fd, 2, PLX_IN);
    close(fd);
}

static void a_set_watches_another_set(plx_set *set)
{
    plx_set *inner;
    assert_int_equal(plx_open(plx_name(set), &inner), 0);
    add_ok(set, (int)plx_handle(inner), 1, PLX_IN);
    expect_nothing(set);
    assert_int_equal(plx_wakeup(inner), 0);
    expect_event(set, (int)plx_handle(inner), 1, PLX_IN);
    expect_wake(inner);
    expect_nothing(inner);
    expect_nothing(set);
    plx_close(inner);
}

static const plx_test event_tests[] = {
    { "only readiness that was asked for is reported", only_asked_readiness_is_reported, 0 },
    { "a full socket is writable only when it has been emptied", a_full_socket_is_not_writable, 0 },
    { "a TCP connection is writable, then readable", a_connection_to_accept_is_readable, 0 },
    { "a half-closed connection is RDHUP, if asked for", half_close_is_rdhup, 0 },
    { "hang-up comes unasked", hang_up_comes_unasked, 0 },
    { "a pipe whose writer is gone hangs up after its data", a_pipe_without_writer_hangs_up, 0 },
    { "a pipe whose reader is gone is an error", a_pipe_without_reader_is_an_error, 0 },
    { "a pipe whose reader was gone before is an error, until it is removed",
      a_pipe_whose_reader_was_gone_before_is_an_error_too, 0 },
    { "a pipe without reader is reported once as an edge", a_broken_pipe_is_an_edge_once, PLX_CAP_EDGE },
    { "a terminal is watched like anything else", a_terminal_is_watched, 0 },
    { "a reset connection is error and hang-up", a_reset_is_error_and_hang_up, 0 },
    { "out-of-band data is PRI and nothing else", out_of_band_data_is_pri, 0 },
    { "a descriptor closed without removal is invalid or gone", a_closed_descriptor_is_invalid_or_gone, 0 },
    { "an empty datagram is readable", a_datagram_is_readable, 0 },
    { "a one-shot is reported once, hang-up included, until modified", one_shot_is_reported_once_until_modified,
      PLX_CAP_ONESHOT },
    { "a one-shot is armed again by the same interest", one_shot_is_armed_again_by_the_same_interest, PLX_CAP_ONESHOT },
    { "a one-shot disarms what was not ready too", one_shot_disarms_what_was_not_ready_too, PLX_CAP_ONESHOT },
    { "an edge is reported once per change", an_edge_is_reported_once_per_change, PLX_CAP_EDGE },
    { "a set can watch another set", a_set_watches_another_set, PLX_CAP_POLLABLE },
};
const plx_suite event_suite = SUITE(event_tests);
