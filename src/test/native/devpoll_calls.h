/* SPDX-License-Identifier: Apache-2.0
 *
 * devpoll_calls.h: the calls of the emulated /dev/poll, for its tests.
 */
#ifndef DEVPOLL_CALLS_H
#define DEVPOLL_CALLS_H

#include "support.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/devpoll.h>
#include <sys/ioctl.h>
#include <unistd.h>

static inline int device(void)
{
    int fd = open("/dev/poll", O_RDWR | O_CLOEXEC);
    assert_true(fd >= 0);
    return fd;
}

static inline void enter(int dp, int fd, int events)
{
    struct pollfd entry = { fd, (short)events, 0 };
    assert_int_equal(write(dp, &entry, sizeof entry), sizeof entry);
}

/* Entries, 0, or -errno. */
static inline int poll_with(int dp, struct pollfd *fds, nfds_t room, int timeout)
{
    struct dvpoll wait = { fds, room, timeout };
    int n = ioctl(dp, DP_POLL, &wait);
    return n < 0 ? -errno : n;
}

/* It has exactly these events of exactly this descriptor to report, or nothing if they are 0. */
#define expect(dp, fd, events) check_report(dp, fd, events, __FILE__, __LINE__)
static inline void check_report(int dp, int fd, int events, const char *file, int line)
{
    struct pollfd fds[MANY];
    _assert_int_equal((uintmax_t)poll_with(dp, fds, MANY, 0), events != 0, file, line);
    if (events != 0) {
        _assert_int_equal((uintmax_t)fds[0].fd, (uintmax_t)fd, file, line);
        _assert_int_equal((uintmax_t)fds[0].revents, (uintmax_t)events, file, line);
    }
}

#endif
