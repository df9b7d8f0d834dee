/* SPDX-License-Identifier: Apache-2.0
 *
 * strerror.c: what a code means and, where there is something to do, what to do. In plain English whatever the
 * locale: strerror_l(3), because the text of others comes in their own encoding, and JNI takes nothing but UTF-8.
 */
#include "pollux.h"
#ifndef _WIN32 /* that has winerror.c */

#include <errno.h>
#include <locale.h>
#include <stdio.h>
#include <string.h>
#if defined(__APPLE__) || defined(__FreeBSD__)
#include <xlocale.h>
#endif

static const struct {
    int code;
    const char *name, *advice;
} known[] = {
    { EMFILE, "EMFILE", ": raise the process's limit of open files (ulimit -n)" },
    { ENFILE, "ENFILE", ": raise the system's limit of open files (fs.file-max)" },
    { ENOSPC, "ENOSPC", ": raise the limit of watched descriptors (fs.epoll.max_user_watches)" },
    { ENOMEM, "ENOMEM", "" },
    { EBADF, "EBADF", ": the descriptor is not open, or was closed outside of its channel" },
    { EPERM, "EPERM", ": the descriptor cannot be polled, or a sandbox forbids the call" },
    { EACCES, "EACCES", ": after a fork /dev/poll must be opened anew; else a permission is missing" },
    { EINVAL, "EINVAL", "" },
    { ELOOP, "ELOOP", "" },
    { ENOENT, "ENOENT", "" },
    { EOPNOTSUPP, "EOPNOTSUPP", ": the mechanism has no such kind of event" },
    { EEXIST, "EEXIST", "" },
    { ENOSYS, "ENOSYS", ": the kernel or a sandbox does not offer the call" },
    { EINTR, "EINTR", "" },
};

static void describe(int code, char *text, size_t size)
{
    locale_t plain = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    snprintf(text, size, "error");
    if (plain == (locale_t)0)
        return;
#ifdef __APPLE__ /* no strerror_l; what strerror_r does not know it calls so, and returns EINVAL */
    locale_t former = uselocale(plain);
    strerror_r(code, text, size);
    uselocale(former);
#else
    snprintf(text, size, "%s", strerror_l(code, plain));
#endif
    freelocale(plain);
}

const char *plx_strerror(int code, char *buf, size_t size)
{
    char meaning[160];
    describe(code, meaning, sizeof meaning);
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        if (known[i].code == code) {
            snprintf(buf, size, "%s (%s)%s", meaning, known[i].name, known[i].advice);
            return buf;
        }
    }
    snprintf(buf, size, "%s (error %d)", meaning, code);
    return buf;
}
#endif
