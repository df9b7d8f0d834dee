/* SPDX-License-Identifier: Apache-2.0
 *
 * waker.c: see eventfd(2), pipe(7). An eventfd that nobody reads holds a counter that would take 2^64 wakeups to
 * fill; a full pipe is as good as a readable one.
 */
#include "waker.h"
#ifndef _WIN32

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <unistd.h>
#ifdef __linux__
#include "rawcall.h"

#include <sys/eventfd.h>
#endif

int plx_waker_open(plx_waker *waker)
{
#ifdef __linux__
    int fd = (int)plx_syscall(SYS_eventfd2, 0, EFD_CLOEXEC | EFD_NONBLOCK, 0, 0, 0, 0);
    if (fd < 0)
        return fd;
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

/* The number of bytes, or -errno; errno stays as it was. */
static long write_bytes(int fd, const void *bytes, size_t n)
{
#ifdef __linux__
    return plx_syscall(SYS_write, fd, (long)bytes, (long)n, 0, 0, 0);
#else
    int saved = errno;
    long written = write(fd, bytes, n);
    if (written < 0) {
        written = -errno;
        errno = saved;
    }
    return written;
#endif
}

int plx_waker_signal(const plx_waker *waker)
{
    const uint64_t one = 1; /* eight bytes, as eventfd(2) wants them */
    long code;
    do {
        code = write_bytes(waker->write_fd, &one, sizeof one);
    } while (code == -EINTR);
    return code >= 0 || code == -EAGAIN ? 0 : (int)code;
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
#ifdef __linux__
    plx_syscall(SYS_close, waker->read_fd, 0, 0, 0, 0, 0);
#else
    close(waker->write_fd);
    close(waker->read_fd);
#endif
}
#endif
