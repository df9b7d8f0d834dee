/* SPDX-License-Identifier: Apache-2.0
 *
 * waker.h: the descriptor by which plx_wakeup ends a wait: an eventfd(2) on Linux, a pipe(2) elsewhere, and where a
 * sandbox refuses eventfds.
 */
#ifndef PLX_WAKER_H
#define PLX_WAKER_H

#include <stdbool.h>
#include <stdint.h>

typedef struct {
    int read_fd, write_fd; /* the same descriptor where it is an eventfd */
} plx_waker;

/* Opens it close-on-exec and non-blocking: 0 or -errno. */
int plx_waker_open(plx_waker *waker);
/* The same, but always a pipe. */
int plx_waker_open_pipe(plx_waker *waker);
static inline bool plx_waker_is_pipe(const plx_waker *waker)
{
    return waker->write_fd != waker->read_fd;
}
static inline bool plx_waker_owns(const plx_waker *waker, int fd)
{
    return fd == waker->read_fd || fd == waker->write_fd;
}
/* Makes read_fd readable: 0 or -errno. Any thread, async-signal-safe, leaves errno alone. */
int plx_waker_signal(const plx_waker *waker);
/* Makes read_fd unreadable. Only for a thread whose wait has seen it readable and is still to report that: a wakeup
 * that comes meanwhile is drained too, and is part of that report. */
void plx_waker_drain(const plx_waker *waker);
void plx_waker_close(plx_waker *waker);
/* How often an eventfd was written to since it was opened, or read last: what the kernel says of it. -1 if the
 * descriptor is none, or that can't be told: no proc(5), no descriptor left to read it with. */
int64_t plx_waker_count(int fd);

#endif
