/* SPDX-License-Identifier: Apache-2.0
 *
 * strerror.c: what a code means and, where there is something to do, what to do. strerror_l(3) says those of errno in
 * English whatever the program's locale is. Those of Windows that may come up ("System Error Codes" and "Windows
 * Sockets Error Codes") have their words here, because FormatMessage speaks English only where that is installed.
 */
#include "mechanism/mechanism.h"

#include <stdio.h>
#include <string.h>
#ifndef _WIN32
#include <locale.h>
#if defined(__APPLE__) || defined(__FreeBSD__)
#include <xlocale.h>
#endif
#endif

/* A code that calls of pollux.h return. */
typedef struct {
    int code;
    const char *name;
    const char *meaning; /* NULL: the system's words */
    const char *advice;  /* what the user can do, after a colon; may be empty */
} known_code;

/* The advice for a mechanism that this build has not. */
#ifdef __linux__
#define MORE_MECHANISMS "io_uring for arenas, "
#else
#define MORE_MECHANISMS ""
#endif
#define NAME_AND_COMMA(variable, name) name ", "
#define NO_MECHANISM ": no such mechanism; there are " PLX_MECHANISMS(NAME_AND_COMMA) MORE_MECHANISMS "and no others"

/* Each system's describe writes what it says of a code, in English and in ASCII (JNI takes nothing but UTF-8), cut to
 * size. */
#ifdef _WIN32
static const known_code known_codes[] = {
    { ERROR_NOT_ENOUGH_MEMORY, "ERROR_NOT_ENOUGH_MEMORY", "Not enough memory", "" },
    { ERROR_NO_SYSTEM_RESOURCES, "ERROR_NO_SYSTEM_RESOURCES", "Insufficient system resources",
      ": the system's non-paged memory is used up, close sockets or give it more" },
    { ERROR_INVALID_HANDLE, "ERROR_INVALID_HANDLE", "The handle is invalid",
      ": the socket was closed outside of its channel" },
    { WSAENOTSOCK, "WSAENOTSOCK", "Not a socket", ": the socket was closed outside of its channel" },
    { WSAEOPNOTSUPP, "WSAEOPNOTSUPP", "Operation not supported",
      ": the mechanism has no such kind of event, or the socket's provider (a layered one, of a firewall or virus "
      "scanner?) cannot be polled" },
    { WSAEMFILE, "WSAEMFILE", "Too many open sockets", "" },
    { WSAENOBUFS, "WSAENOBUFS", "No buffer space", ": the system's non-paged memory or its range of ports is used up" },
    { WSAEINVAL, "WSAEINVAL", "Invalid argument", "" },
    { WSAEMSGSIZE, "WSAEMSGSIZE", "Message too long",
      ": more bytes than a connection may have waiting, 2 GiB at most" },
    { ERROR_NOT_FOUND, "ERROR_NOT_FOUND", "Not found", "" },
    { ERROR_NOT_SUPPORTED, "ERROR_NOT_SUPPORTED", "Not supported", NO_MECHANISM },
    { ERROR_ACCESS_DENIED, "ERROR_ACCESS_DENIED", "Access denied", ": a sandbox may forbid the call" },
};

/* Without the full stop and line end that FormatMessage adds. */
static void describe(int code, char *text, size_t size)
{
    const DWORD how = FORMAT_MESSAGE_FROM_SYSTEM | FORMAT_MESSAGE_IGNORE_INSERTS | FORMAT_MESSAGE_MAX_WIDTH_MASK;
    const DWORD english = MAKELANGID(LANG_ENGLISH, SUBLANG_ENGLISH_US);
    DWORD n = FormatMessageA(how, NULL, (DWORD)code, english, text, (DWORD)size, NULL);
    if (n == 0)
        n = (DWORD)snprintf(text, size, "error");
    while (n > 0 && strchr(" .\r\n", text[n - 1]) != NULL)
        text[--n] = '\0';
    for (DWORD i = 0; i < n; i++) {
        if ((unsigned char)text[i] > 0x7e)
            text[i] = '?';
    }
}
#else
static const known_code known_codes[] = {
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
    { EACCES, "EACCES", NULL, ": after a fork /dev/poll must be opened again; else a permission is missing" },
    { EINVAL, "EINVAL", NULL, "" },
    { EMSGSIZE, "EMSGSIZE", NULL, ": more bytes than a connection may have waiting, 2 GiB at most" },
    { ELOOP, "ELOOP", NULL, "" },
    { ENOENT, "ENOENT", NULL, "" },
    { ENODEV, "ENODEV", NULL, NO_MECHANISM },
    { EOPNOTSUPP, "EOPNOTSUPP", NULL, ": the mechanism has no such kind of event" },
    { EEXIST, "EEXIST", NULL, "" },
    { ENOSYS, "ENOSYS", NULL, ": the kernel or a sandbox does not offer the call" },
    { EINTR, "EINTR", NULL, "" },
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
#endif

static const known_code *find(int code)
{
    for (size_t i = 0; i < sizeof known_codes / sizeof *known_codes; i++) {
        if (known_codes[i].code == code)
            return &known_codes[i];
    }
    return NULL;
}

const char *plx_strerror(int code, char *buf, size_t size)
{
    const known_code *known = find(code);
    char text[160];
    if (known == NULL || known->meaning == NULL)
        describe(code, text, sizeof text);
    if (known == NULL)
        snprintf(buf, size, "%s (error %d)", text, code);
    else
        snprintf(buf, size, "%s (%s)%s", known->meaning != NULL ? known->meaning : text, known->name, known->advice);
    return buf;
}
