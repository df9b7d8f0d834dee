/* SPDX-License-Identifier: Apache-2.0
 *
 * unixerror.c: the codes of errno. strerror_l(3) says them in English whatever the program's locale is.
 */
#include "mechanism/strerror.h"
#ifndef _WIN32 /* that has winerror.c */

#include <errno.h>
#include <locale.h>
#include <stdio.h>
#include <string.h>
#if defined(__APPLE__) || defined(__FreeBSD__)
#include <xlocale.h>
#endif

const plx_known_code plx_known_codes[] = {
    { EMFILE, "EMFILE", NULL, ": raise the process's limit of open files (ulimit -n)" },
    { ENFILE, "ENFILE", NULL, ": raise the system's limit of open files (fs.file-max)" },
    { ENOSPC, "ENOSPC", NULL, ": raise the limit of watched descriptors (fs.epoll.max_user_watches)" },
#ifdef __linux__
    { ENOMEM, "ENOMEM", NULL, ": of io_uring, raise the limit of locked memory (ulimit -l)" },
#else
    { ENOMEM, "ENOMEM", NULL, "" },
#endif
    { EBADF, "EBADF", NULL, ": the descriptor is not open, or was closed outside of its channel" },
    { EPERM, "EPERM", NULL, ": the descriptor cannot be polled, or a sandbox forbids the call" },
    { EACCES, "EACCES", NULL, ": after a fork /dev/poll must be opened anew; else a permission is missing" },
    { EINVAL, "EINVAL", NULL, "" },
    { ELOOP, "ELOOP", NULL, "" },
    { ENOENT, "ENOENT", NULL, "" },
    { ENODEV, "ENODEV", NULL, PLX_NO_MECHANISM },
    { EOPNOTSUPP, "EOPNOTSUPP", NULL, ": the mechanism has no such kind of event" },
    { EEXIST, "EEXIST", NULL, "" },
    { ENOSYS, "ENOSYS", NULL, ": the kernel or a sandbox does not offer the call" },
    { EINTR, "EINTR", NULL, "" },
};
const size_t plx_known_code_count = sizeof plx_known_codes / sizeof *plx_known_codes;

void plx_describe(int code, char *text, size_t size)
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
#endif
