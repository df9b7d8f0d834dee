/* SPDX-License-Identifier: Apache-2.0
 *
 * test_progress.c: plx_tell_progress tells what the application has read and written, and nothing that others do.
 */
#include "support.h"

#include "selector/progress.h"

#include <limits.h>
#include <netinet/in.h>
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

static void expect_reads_are_seen(int near, int far)
{
    char got[4];
    assert_int_equal(plx_watch_queue(near), PLX_QUEUE_BYTES);
    assert_true(plx_look_at_queue(near, PLX_QUEUE_BYTES) < 0);
    assert_int_equal(write(far, "abc", 3), 3);
    await_input(near);
    int64_t before = plx_look_at_queue(near, PLX_QUEUE_BYTES);
    assert_true(before > 0);
    assert_int_equal(write(far, "def", 3), 3);
    assert_int_equal(plx_look_at_queue(near, PLX_QUEUE_BYTES), before);
    assert_int_equal(read(near, got, 3), 3);
    await_input(near);
    assert_int_equal(plx_look_at_queue(near, PLX_QUEUE_BYTES), before - 3);
    assert_int_equal(plx_look_at_queue(near, PLX_QUEUE_BYTES), before - 3);
    int offset = 7;
    socklen_t length = sizeof offset;
    assert_int_equal(setsockopt(near, SOL_SOCKET, SO_PEEK_OFF, &offset, length), 0);
    assert_int_equal(plx_look_at_queue(near, PLX_QUEUE_BYTES), INT_MAX);
    plx_unwatch_queue(near, PLX_QUEUE_BYTES);
    assert_int_equal(getsockopt(near, SOL_SOCKET, SO_PEEK_OFF, &offset, &length), 0);
    assert_int_equal(offset, -1);
    assert_true(plx_look_at_queue(near, PLX_QUEUE_BYTES) < 0);
}

static void reads_of_sockets_that_count_nothing_are_seen(plx_set *set)
{
    int fds[2];
    (void)set;
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds), 0);
    expect_reads_are_seen(fds[0], fds[1]);
    close_both(fds);
    struct sockaddr_in to = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
    socklen_t length = sizeof to;
    fds[0] = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    fds[1] = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    assert_int_equal(bind(fds[0], (struct sockaddr *)&to, length), 0);
    assert_int_equal(getsockname(fds[0], (struct sockaddr *)&to, &length), 0);
    assert_int_equal(connect(fds[1], (struct sockaddr *)&to, length), 0);
    expect_reads_are_seen(fds[0], fds[1]);
    close_both(fds);
}

/* An offset that the application has set for itself is left alone. */
static void who_peeks_is_not_disturbed(plx_set *set)
{
    int fds[2], offset = 5;
    (void)set;
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds), 0);
    assert_int_equal(setsockopt(fds[0], SOL_SOCKET, SO_PEEK_OFF, &offset, sizeof offset), 0);
    assert_int_equal(plx_watch_queue(fds[0]), PLX_QUEUE_UNKNOWN);
    close_both(fds);
    tcp_pair(fds);
    assert_int_equal(plx_watch_queue(fds[0]), PLX_QUEUE_UNKNOWN);
    close_both(fds);
    pipe_pair(fds);
    assert_int_equal(plx_watch_queue(fds[0]), PLX_QUEUE_UNKNOWN);
    close_both(fds);
    assert_int_equal(plx_watch_queue(-1), PLX_QUEUE_UNKNOWN);
    assert_int_equal(plx_watch_queue(closed_descriptor()), PLX_QUEUE_UNKNOWN);
}

static void connections_that_wait_are_counted_unless_they_are_too_many(plx_set *set)
{
    int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), clients[2];
    struct sockaddr_in at = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
    socklen_t length = sizeof at;
    (void)set;
    assert_int_equal(bind(listener, (struct sockaddr *)&at, length), 0);
    assert_int_equal(listen(listener, 2), 0);
    assert_int_equal(getsockname(listener, (struct sockaddr *)&at, &length), 0);
    assert_int_equal(plx_watch_queue(listener), PLX_QUEUE_CONNECTIONS);
    assert_true(plx_look_at_queue(listener, PLX_QUEUE_CONNECTIONS) < 0);
    for (int i = 0; i < 2; i++) {
        clients[i] = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
        assert_int_equal(connect(clients[i], (struct sockaddr *)&at, length), 0);
        await_input(listener);
        assert_int_equal(plx_look_at_queue(listener, PLX_QUEUE_CONNECTIONS), i == 0 ? 1 : -1);
    }
    assert_true(plx_has_descriptor_left(listener));
    plx_unwatch_queue(listener, PLX_QUEUE_CONNECTIONS);
    close_both(clients);
    close(listener);
}

static const plx_test progress_tests[] = {
    { "what arrives is unread until it is read", what_arrives_is_unread_until_it_is_read, 0 },
    { "the end of a stream changes no counter once it is there", the_end_of_the_stream_changes_nothing_once_it_is_there,
      0 },
    { "what a full buffer holds counts as written", what_a_full_buffer_holds_is_written, 0 },
    { "of pipes only what is unread is known", of_pipes_only_what_is_unread_is_known, 0 },
    { "reads of sockets that count nothing are seen", reads_of_sockets_that_count_nothing_are_seen, 0 },
    { "who peeks is not disturbed", who_peeks_is_not_disturbed, 0 },
    { "waiting connections are counted unless they are too many",
      connections_that_wait_are_counted_unless_they_are_too_many, 0 },
    { "of what is not connected nothing wrong is told", of_what_is_not_connected_nothing_is_told_that_is_not_so, 0 },
};
const plx_suite progress_suite = SUITE(progress_tests);
