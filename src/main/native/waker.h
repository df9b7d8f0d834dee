/* SPDX-License-Identifier: Apache-2.0
 *
 * waker.h: the descriptor by which plx_wakeup ends a wait; eventfd(2) on Linux, a pipe(2) elsewhere.
 */
#ifndef PLX_WAKER_H
#define PLX_WAKER_H

typedef struct {
    int read_fd, write_fd; /* the same descriptor where it is an eventfd */
} plx_waker;

/* Opens it close-on-exec and non-blocking: 0 or -errno. */
int plx_waker_open(plx_waker *waker);
/* The same, but a pipe wherever it is; on Linux only where PLX_WAKER_PIPE is defined, for emulated mechanisms. */
int plx_waker_open_pipe(plx_waker *waker);
/* Makes read_fd readable: 0 or -errno. Any thread, async-signal-safe, leaves errno alone. */
int plx_waker_signal(const plx_waker *waker);
/* Makes read_fd unreadable, for mechanisms without edges. */
void plx_waker_drain(const plx_waker *waker);
void plx_waker_close(plx_waker *waker);

#endif
