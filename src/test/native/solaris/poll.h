/* SPDX-License-Identifier: Apache-2.0
 *
 * poll.h: see solaris/README.md
 */
#ifndef SOLARIS_POLL_H
#define SOLARIS_POLL_H

struct pollfd {
    int fd;
    short events, revents;
};
typedef unsigned long nfds_t;

#define POLLIN 0x0001
#define POLLPRI 0x0002
#define POLLOUT 0x0004
#define POLLERR 0x0008
#define POLLHUP 0x0010
#define POLLNVAL 0x0020
#define POLLREMOVE 0x0800
#ifndef SOLARIS_10 /* illumos alone has it */
#define POLLRDHUP 0x4000
#endif

int poll(struct pollfd *fds, nfds_t count, int timeout);

#endif
