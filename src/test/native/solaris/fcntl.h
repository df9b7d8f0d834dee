/* SPDX-License-Identifier: Apache-2.0
 *
 * fcntl.h: see solaris/README.md
 */
#define O_RDWR 2
#define O_NONBLOCK 0x80
#ifndef SOLARIS_10
#define O_CLOEXEC 0x800000
#endif
#define F_DUPFD 0
#define F_GETFD 1
#define F_SETFD 2
#define F_GETFL 3
#define F_SETFL 4
#ifndef SOLARIS_10
#define F_DUPFD_CLOEXEC 37
#endif
#define FD_CLOEXEC 1

int open(const char *path, int flags, ...);
int fcntl(int fd, int command, ...);
