/* SPDX-License-Identifier: Apache-2.0
 *
 * waker.c: see eventfd(2), pipe(7). An eventfd that nobody reads holds a counter that would take 2^64 wakeups to
 * fill; a full pipe is as good as a readable one.
 */
#include "waker.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/eventfd.h>
#endif

int plx_waker_open(plx_waker *waker)
{
#ifdef __linux__
    int fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (fd < 0)
        return -errno;
    waker->read_fd = waker->write_fd = fd;
#else
    int fds[2];
    if (pipe2(fds, O_CLOEXEC | O_NONBLOCK) < 0)
        return -errno;
    waker->read_fd = fds[0];
    waker->write_fd = fds[1];
#endif
    return 0;
}

int plx_waker_signal(const plx_waker *waker)
{
    const uint64_t one = 1; /* eight bytes, as eventfd(2) wants them */
    int saved = errno, code = 0;
    while (write(waker->write_fd, &one, sizeof one) < 0) {
        if (errno == EINTR)
            continue;
        if (errno != EAGAIN)
            code = -errno;
        break;
    }
    errno = saved;
    return code;
}

void plx_waker_drain(const plx_waker *waker)
{
    uint64_t sink[64];
    ssize_t n;
    do {
        n = read(waker->read_fd, sink, sizeof sink);
    } while (n == (ssize_t)sizeof sink || (n < 0 && errno == EINTR));
}

void plx_waker_close(plx_waker *waker)
{
    if (waker->write_fd != waker->read_fd)
        close(waker->write_fd);
    close(waker->read_fd);
}
