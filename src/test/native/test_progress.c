/* SPDX-License-Identifier: Apache-2.0
 *
 * test_progress.c: plx_tell_progress tells what the application has read and written, and nothing that others do.
 */
#include "support.h"

#include "selector/progress.h"

#include <limits.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { CHUNK = 1 << 16 };

static plx_progress of(int fd)
{
    plx_progress progress;
    assert_int_equal(plx_tell_progress(fd, &progress), 3);
    return progress;
}

static void expect(int fd, int64_t unread, int64_t read, int64_t written)
{
    plx_progress progress = of(fd);
    assert_int_equal(progress.unread, unread);
    assert_int_equal(progress.read, read);
    assert_int_equal(progress.written, written);
}

static void await_input(int fd)
{
    struct pollfd p = { fd, POLLIN, 0 };
    assert_int_equal(poll(&p, 1, 30000), 1);
}

static void what_arrives_is_unread_until_it_is_read(plx_set *set)
{
    int fds[2];
    char got[2];
    (void)set;
    tcp_pair(fds);
    expect(fds[0], 0, 0, 0);
    assert_int_equal(write(fds[1], "abc", 3), 3);
    await_input(fds[0]);
    expect(fds[0], 3, 0, 0);
    expect(fds[1], 0, 0, 3);
    assert_int_equal(read(fds[0], got, 2), 2);
    expect(fds[0], 1, 2, 0);
    close_both(fds);
}

/* The end of the stream is counted once, when it arrives. */
static void the_end_of_the_stream_changes_nothing_once_it_is_there(plx_set *set)
{
    int fds[2];
    char got;
    (void)set;
    tcp_pair(fds);
    shutdown(fds[1], SHUT_WR);
    await_input(fds[0]);
    expect(fds[0], 0, 1, 0);
    assert_int_equal(read(fds[0], &got, 1), 0);
    expect(fds[0], 0, 1, 0);
    close_both(fds);
}

/* Bytes that wait in the sender's buffer count as written before they are sent. What the peer reads changes nothing. */
static void what_a_full_buffer_holds_is_written(plx_set *set)
{
    static char bytes[CHUNK];
    int fds[2];
    int64_t sum = 0;
    ssize_t n;
    (void)set;
    tcp_pair(fds);
    while ((n = send(fds[1], bytes, sizeof bytes, MSG_DONTWAIT)) > 0)
        sum += n;
    expect(fds[1], 0, 0, sum);
    while (of(fds[0]).read < sum) {
        await_input(fds[0]);
        assert_true(read(fds[0], bytes, sizeof bytes) > 0);
        assert_int_equal(of(fds[1]).written, sum);
    }
    close_both(fds);
}

static void of_pipes_only_what_is_unread_is_known(plx_set *set)
{
    int fds[2];
    plx_progress progress;
    (void)set;
    pipe_pair(fds);
    assert_int_equal(write(fds[1], "abc", 3), 3);
    assert_int_equal(plx_tell_progress(fds[0], &progress), 1);
    assert_int_equal(progress.unread, 3);
    assert_int_equal(progress.read, 0);
    assert_int_equal(progress.written, 0);
    close_both(fds);
}

/* It says whether there are counters by the segments of a connection, so an unconnected one has none. */
static void of_what_is_not_connected_nothing_is_told_that_is_not_so(plx_set *set)
{
    plx_progress progress;
    int tcp = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), udp = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    (void)set;
    assert_int_equal(plx_tell_progress(tcp, &progress), 1);
    assert_int_equal(plx_tell_progress(udp, &progress), 1);
    assert_int_equal(listen(tcp, 1), 0);
    assert_int_equal(plx_tell_progress(tcp, &progress), 0);
    assert_int_equal(plx_tell_progress(closed_descriptor(), &progress), 0);
    assert_int_equal(plx_tell_progress(-1, &progress), 0);
    assert_int_equal(plx_tell_progress((intptr_t)INT_MAX, &progress), 0);
    close(tcp);
    close(udp);
}

static const plx_test progress_tests[] = {
    { "what arrives is unread until it is read", what_arrives_is_unread_until_it_is_read, 0 },
    { "the end of a stream changes no counter once it is there",
      the_end_of_the_stream_changes_nothing_once_it_is_there, 0 },
    { "what a full buffer holds counts as written", what_a_full_buffer_holds_is_written, 0 },
    { "of pipes only what is unread is known", of_pipes_only_what_is_unread_is_known, 0 },
    { "of what is not connected nothing wrong is told", of_what_is_not_connected_nothing_is_told_that_is_not_so, 0 },
};
const plx_suite progress_suite = SUITE(progress_tests);
