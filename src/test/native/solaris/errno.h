/* SPDX-License-Identifier: Apache-2.0
 *
 * errno.h: see solaris/README.md
 */
#define EPERM 1
#define ENOENT 2
#define EINTR 4
#define ENXIO 6
#define EBADF 9
#define EAGAIN 11
#define ENOMEM 12
#define EACCES 13
#define ENODEV 19
#define EINVAL 22
#define EPIPE 32
#define ENONET 64
#define EPROTO 71
#define EMSGSIZE 97
#define EOPNOTSUPP 122
#define ENETDOWN 127
#define ENETUNREACH 128
#define ECONNABORTED 130
#define ENOBUFS 132
#define EHOSTDOWN 147
#define EHOSTUNREACH 148
#define EWOULDBLOCK EAGAIN

int *___errno(void);
#define errno (*___errno())
