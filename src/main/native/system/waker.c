/* SPDX-License-Identifier: Apache-2.0
 *
 * waker.c: see eventfd(2), pipe(7). An eventfd that is never read holds a counter that would take 2^64 wakeups to
 * fill; a full pipe is as good as a readable one, but must be drained: what finds it full makes no new edge.
 */
#include "system/waker.h"

#include "system/rawcall.h"
#ifndef _WIN32

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/eventfd.h>
#endif

int plx_waker_open_pipe(plx_waker *waker)
{
    int fds[2];
#if defined(O_CLOEXEC) && !defined(__APPLE__)
    if (pipe2(fds, O_CLOEXEC | O_NONBLOCK) < 0)
        return -errno;
#else /* macOS, Solaris 10: a child that is made at the wrong moment inherits them */
    if (pipe(fds) < 0)
        return -errno;
    for (int i = 0; i < 2; i++) {
        if (fcntl(fds[i], F_SETFD, FD_CLOEXEC) < 0 || fcntl(fds[i], F_SETFL, O_NONBLOCK) < 0) {
            int code = -errno;
            close(fds[0]);
            close(fds[1]);
            return code;
        }
    }
#endif
    *waker = (plx_waker){ .read_fd = fds[0], .write_fd = fds[1] };
    return 0;
}

int plx_waker_open(plx_waker *waker)
{
#ifdef __linux__
    int fd = (int)plx_syscall(SYS_eventfd2, 0, EFD_CLOEXEC | EFD_NONBLOCK, 0, 0, 0, 0);
    if (fd >= 0) {
        *waker = (plx_waker){ .read_fd = fd, .write_fd = fd };
        return 0;
    }
    if (fd != -ENOSYS && fd != -EPERM) /* an old kernel and a sandbox: there is no eventfd, and never will be */
        return fd;
#endif
    return plx_waker_open_pipe(waker);
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

/* As many as are there, or -errno. */
static long read_bytes(int fd, void *bytes, size_t n)
{
#ifdef __linux__
    return plx_syscall(SYS_read, fd, (long)bytes, (long)n, 0, 0, 0);
#else
    ssize_t count = read(fd, bytes, n);
    return count < 0 ? -errno : count;
#endif
}

int plx_waker_signal(const plx_waker *waker)
{
    const uint64_t one = 1; /* eight bytes, as eventfd(2) wants them */
    long code;
    do {
        code = write_bytes(waker->write_fd, &one, sizeof one);
    } while (code == -EINTR);
    if (code == -EPIPE) /* the end that is read was closed */
        return -EBADF;
    return code >= 0 || code == -EAGAIN ? 0 : (int)code;
}

void plx_waker_drain(const plx_waker *waker)
{
    uint64_t sink[64];
    long n;
    do {
        n = read_bytes(waker->read_fd, sink, sizeof sink);
    } while (n == (long)sizeof sink || n == -EINTR);
}

void plx_waker_close(plx_waker *waker)
{
    if (plx_waker_is_pipe(waker))
        close(waker->write_fd);
    close(waker->read_fd);
}
#endif

#ifdef __linux__
/* proc(5), fdinfo: "eventfd-count:" and a number in base 16. */
int64_t plx_waker_count(int fd)
{
    static const char key[] = "eventfd-count:";
    char text[512] = "/proc/self/fdinfo/";
    snprintf(text + strlen(text), sizeof text - strlen(text), "%d", fd);
    int info = (int)plx_syscall(SYS_openat, AT_FDCWD, (long)text, O_RDONLY | O_CLOEXEC, 0, 0, 0);
    if (info < 0)
        return -1;
    long n = read_bytes(info, text, sizeof text - 1);
    plx_syscall(SYS_close, info, 0, 0, 0, 0, 0);
    text[n < 0 ? 0 : n] = '\0';
    const char *count = strstr(text, key);
    return count == NULL ? -1 : (int64_t)strtoull(count + sizeof key - 1, NULL, 16);
}
#else
int64_t plx_waker_count(int fd)
{
    (void)fd;
    return -1;
}
#endif
