/* SPDX-License-Identifier: Apache-2.0
 *
 * test_out_of_band.c: plx_discard_out_of_band takes out-of-band bytes and nothing else.
 */
#include "support.h"

#include <arpa/inet.h>
#include <errno.h>
#include <limits.h>
#include <netinet/in.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static void await_readiness(int fd, short events)
{
    struct pollfd p = { fd, events, 0 };
    assert_int_equal(poll(&p, 1, 30000), 1);
}

/* A read ends at the mark: several make up the text. */
static void expect_text(int fd, const char *text)
{
    char got[64];
    size_t have = 0, want = strlen(text);
    while (have < want) {
        await_readiness(fd, POLLIN);
        ssize_t n = recv(fd, got + have, sizeof got - have, 0);
        assert_true(n > 0);
        have += (size_t)n;
    }
    assert_int_equal(have, want);
    assert_memory_equal(got, text, want);
    assert_int_equal(recv(fd, got, 1, 0), -1);
    assert_int_equal(errno, EAGAIN);
}

static void one_byte_is_dropped_once(plx_set *set)
{
    int fds[2];
    (void)set;
    tcp_pair(fds);
    assert_int_equal(send(fds[1], "!", 1, MSG_OOB), 1);
    await_readiness(fds[0], POLLPRI);
    assert_int_equal(plx_discard_out_of_band(fds[0]), 1);
    assert_int_equal(plx_discard_out_of_band(fds[0]), 0);
    assert_int_equal(send(fds[1], "?", 1, MSG_OOB), 1);
    await_readiness(fds[0], POLLPRI);
    assert_int_equal(plx_discard_out_of_band(fds[0]), 1);
    struct pollfd p = { fds[0], POLLPRI, 0 };
    assert_int_equal(poll(&p, 1, 0), 0);
    close_both(fds);
}

static void data_around_an_out_of_band_byte_stays(plx_set *set)
{
    int fds[2];
    (void)set;
    tcp_pair(fds);
    assert_int_equal(send(fds[1], "abc", 3, 0), 3);
    assert_int_equal(send(fds[1], "!", 1, MSG_OOB), 1);
    assert_int_equal(send(fds[1], "def", 3, 0), 3);
    await_readiness(fds[0], POLLPRI);
    assert_int_equal(plx_discard_out_of_band(fds[0]), 1);
    expect_text(fds[0], "abcdef");
    close_both(fds);
}

static void data_without_an_out_of_band_byte_stays(plx_set *set)
{
    int fds[2];
    (void)set;
    tcp_pair(fds);
    assert_int_equal(plx_discard_out_of_band(fds[0]), 0);
    assert_int_equal(send(fds[1], "abc", 3, 0), 3);
    await_readiness(fds[0], POLLIN);
    assert_int_equal(plx_discard_out_of_band(fds[0]), 0);
    expect_text(fds[0], "abc");
    close_both(fds);
}

static void an_inline_byte_is_data(plx_set *set)
{
    int fds[2], yes = 1;
    (void)set;
    tcp_pair(fds);
    assert_int_equal(setsockopt(fds[0], SOL_SOCKET, SO_OOBINLINE, &yes, sizeof yes), 0);
    assert_int_equal(send(fds[1], "a", 1, 0), 1);
    assert_int_equal(send(fds[1], "!", 1, MSG_OOB), 1);
    await_readiness(fds[0], POLLPRI);
    assert_int_equal(plx_discard_out_of_band(fds[0]), 0);
    expect_text(fds[0], "a!");
    close_both(fds);
}

/* udp(7) does not look at MSG_OOB: recv(2) with it takes a datagram. */
static void datagrams_stay(plx_set *set)
{
    struct sockaddr_in address = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
    socklen_t length = sizeof address;
    int fd = socket(AF_INET, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    (void)set;
    assert_int_equal(bind(fd, (struct sockaddr *)&address, length), 0);
    assert_int_equal(getsockname(fd, (struct sockaddr *)&address, &length), 0);
    assert_int_equal(sendto(fd, "abc", 3, 0, (struct sockaddr *)&address, length), 3);
    await_readiness(fd, POLLIN);
    assert_int_equal(plx_discard_out_of_band(fd), 0);
    expect_text(fd, "abc");
    close(fd);
}

static void what_is_no_connected_socket_has_none(plx_set *set)
{
    int fds[2], file = regular_file(), counts = counter(true);
    int fresh = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0); /* blocking: it must not matter */
    char byte;
    (void)set;
    pipe_pair(fds);
    assert_int_equal(write(fds[1], "x", 1), 1);
    assert_int_equal(plx_discard_out_of_band(fds[0]), 0);
    assert_int_equal(read(fds[0], &byte, 1), 1);
    assert_int_equal(plx_discard_out_of_band(file), 0);
    assert_int_equal(plx_discard_out_of_band(counts), 0);
    assert_int_equal(plx_discard_out_of_band(fresh), 0);
    assert_int_equal(plx_discard_out_of_band(closed_descriptor()), 0);
    assert_int_equal(plx_discard_out_of_band(-1), 0);
    assert_int_equal(plx_discard_out_of_band(INT_MAX), 0);
    close_both(fds);
    close(file);
    close(counts);
    close(fresh);
}

static const plx_test out_of_band_tests[] = {
    { "one out-of-band byte is dropped once", one_byte_is_dropped_once, 0 },
    { "data around an out-of-band byte stays", data_around_an_out_of_band_byte_stays, 0 },
    { "data without an out-of-band byte stays", data_without_an_out_of_band_byte_stays, 0 },
    { "an out-of-band byte that is received inline is data", an_inline_byte_is_data, 0 },
    { "datagrams are not dropped", datagrams_stay, 0 },
    { "a descriptor that is no connected socket has no out-of-band data", what_is_no_connected_socket_has_none, 0 },
};
const plx_suite out_of_band_suite = SUITE(out_of_band_tests);
