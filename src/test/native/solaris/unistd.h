/* SPDX-License-Identifier: Apache-2.0
 *
 * unistd.h: see solaris/README.md
 */
#include <stddef.h>

#ifdef _LP64
typedef long ssize_t;
#else
typedef int ssize_t;
#endif

ssize_t read(int fd, void *bytes, size_t n);
ssize_t write(int fd, const void *bytes, size_t n);
int close(int fd);
int ioctl(int fd, int request, ...);
int pipe(int fds[2]);
#ifndef SOLARIS_10
int pipe2(int fds[2], int flags);
#endif
