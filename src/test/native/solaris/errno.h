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
#define EOPNOTSUPP 122

int *___errno(void);
#define errno (*___errno())
