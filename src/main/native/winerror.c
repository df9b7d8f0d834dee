/* SPDX-License-Identifier: Apache-2.0
 *
 * winerror.c: plx_strerror for the codes of Windows, see "System Error Codes" and "Windows Sockets Error Codes". What
 * may come up is written down here, because FormatMessage speaks English only where that language is installed.
 */
#include "pollux.h"
#ifdef _WIN32

#include <winsock2.h>

#include <stdio.h>
#include <string.h>

static const struct {
    int code;
    const char *name, *meaning, *advice;
} known[] = {
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
    { WSAENOBUFS, "WSAENOBUFS", "No buffer space",
      ": the system's non-paged memory or its range of ports is used up" },
    { WSAEINVAL, "WSAEINVAL", "Invalid argument", "" },
    { ERROR_NOT_FOUND, "ERROR_NOT_FOUND", "Not found", "" },
    { ERROR_NOT_SUPPORTED, "ERROR_NOT_SUPPORTED", "Not supported", "" },
    { ERROR_ACCESS_DENIED, "ERROR_ACCESS_DENIED", "Access denied", ": a sandbox may forbid the call" },
};

/* The system's own text, plain ASCII (JNI takes nothing but UTF-8), without the full stop and line end. */
static void describe(int code, char *text, DWORD size)
{
    const DWORD how = FORMAT_MESSAGE_FROM_SYSTEM | FORMAT_MESSAGE_IGNORE_INSERTS | FORMAT_MESSAGE_MAX_WIDTH_MASK;
    const DWORD english = MAKELANGID(LANG_ENGLISH, SUBLANG_ENGLISH_US);
    DWORD n = FormatMessageA(how, NULL, (DWORD)code, english, text, size, NULL);
    if (n == 0)
        n = (DWORD)snprintf(text, size, "error");
    while (n > 0 && strchr(" .\r\n", text[n - 1]) != NULL)
        text[--n] = '\0';
    for (DWORD i = 0; i < n; i++) {
        if ((unsigned char)text[i] > 0x7e)
            text[i] = '?';
    }
}

const char *plx_strerror(int code, char *buf, size_t size)
{
    char text[160];
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        if (known[i].code == code) {
            snprintf(buf, size, "%s (%s)%s", known[i].meaning, known[i].name, known[i].advice);
            return buf;
        }
    }
    describe(code, text, sizeof text);
    snprintf(buf, size, "%s (error %d)", text, code);
    return buf;
}
#endif
