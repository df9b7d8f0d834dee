/* SPDX-License-Identifier: Apache-2.0
 *
 * strerror.c: what a code means and, where there is something to do, what to do.
 */
#include "pollux.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static const struct {
    int code;
    const char *name, *advice;
} known[] = {
    { EMFILE, "EMFILE", ": raise the process's limit of open files (ulimit -n)" },
    { ENFILE, "ENFILE", ": raise the system's limit of open files (fs.file-max)" },
    { ENOSPC, "ENOSPC", ": raise the limit of watched descriptors (fs.epoll.max_user_watches)" },
    { ENOMEM, "ENOMEM", "" },
    { EBADF, "EBADF", ": the descriptor was closed outside of its channel" },
    { EPERM, "EPERM", ": the descriptor cannot be polled, or a sandbox forbids the call" },
    { EINVAL, "EINVAL", "" },
    { ELOOP, "ELOOP", "" },
    { ENOENT, "ENOENT", "" },
    { EEXIST, "EEXIST", "" },
    { ENOSYS, "ENOSYS", ": the kernel or a sandbox does not offer the call" },
    { EINTR, "EINTR", "" },
};

const char *plx_strerror(int code, char *buf, size_t size)
{
    char text[128];
#if defined(__GLIBC__) && defined(_GNU_SOURCE)
    const char *meaning = strerror_r(code, text, sizeof text);
#else
    const char *meaning = strerror_r(code, text, sizeof text) == 0 ? text : "unknown error";
#endif
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        if (known[i].code == code) {
            snprintf(buf, size, "%s (%s)%s", meaning, known[i].name, known[i].advice);
            return buf;
        }
    }
    snprintf(buf, size, "%s (error %d)", meaning, code);
    return buf;
}
