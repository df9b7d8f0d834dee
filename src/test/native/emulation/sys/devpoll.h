/* SPDX-License-Identifier: Apache-2.0
 *
 * sys/devpoll.h: what illumos and Solaris publish of /dev/poll, poll(7D), stated by ourselves. For the emulation, and
 * for the check that devpoll.c compiles there.
 */
#ifndef SYS_DEVPOLL_H
#define SYS_DEVPOLL_H

#include <poll.h>
#include <stddef.h>

#ifdef __linux__ /* whose value is another one, and without use */
#undef POLLREMOVE
#define POLLREMOVE 0x0800
#endif

#define DPIOC (0xD0 << 8)
#define DP_POLL (DPIOC | 1)
#define DP_ISPOLLED (DPIOC | 2)

/* illumos has a fourth member, dp_setp, which DP_POLL does not look at. */
struct dvpoll {
    struct pollfd *dp_fds;
    nfds_t dp_nfds;
    int dp_timeout;
};

_Static_assert(DP_POLL == 0xD001 && DP_ISPOLLED == 0xD002, "the device's letter is 0xD0");
_Static_assert(POLLIN == 0x01 && POLLPRI == 0x02 && POLLOUT == 0x04 && POLLERR == 0x08 && POLLHUP == 0x10 &&
                   POLLNVAL == 0x20 && POLLREMOVE == 0x0800,
               "the same on every System V");
_Static_assert(sizeof(struct pollfd) == 8 && offsetof(struct pollfd, fd) == 0 && offsetof(struct pollfd, events) == 4 &&
                   offsetof(struct pollfd, revents) == 6,
               "an int and two shorts");
_Static_assert((nfds_t)-1 > 0 && sizeof(nfds_t) == sizeof(unsigned long), "nfds_t is unsigned long");
_Static_assert(offsetof(struct dvpoll, dp_fds) == 0 && offsetof(struct dvpoll, dp_nfds) == sizeof(void *) &&
                   offsetof(struct dvpoll, dp_timeout) == 2 * sizeof(void *) &&
                   sizeof(struct dvpoll) == (sizeof(void *) == 8 ? 24 : 12),
               "24 bytes in a 64-bit program, 12 in one of 32 bits");

#endif
