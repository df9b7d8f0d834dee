/* SPDX-License-Identifier: Apache-2.0
 *
 * sys/uio.h: see solaris/README.md
 */
#ifndef SOLARIS_UIO_H
#define SOLARIS_UIO_H

/* As it is for a program that names no standard. */
struct iovec {
    char *iov_base;
    long iov_len;
};

#endif
