/* SPDX-License-Identifier: Apache-2.0
 *
 * winerror.c: the codes of Windows, see "System Error Codes" and "Windows Sockets Error Codes". The
 * codes that may come up have their words here, because FormatMessage speaks English only where that is installed.
 */
#include "mechanism/strerror.h"
#ifdef _WIN32

#include <winsock2.h>

#include <stdio.h>
#include <string.h>

const plx_known_code plx_known_codes[] = {
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
    { ERROR_NOT_FOUND, "ERROR_NOT_FOUND", "Not found", "" },
    { ERROR_NOT_SUPPORTED, "ERROR_NOT_SUPPORTED", "Not supported", PLX_NO_MECHANISM },
    { ERROR_ACCESS_DENIED, "ERROR_ACCESS_DENIED", "Access denied", ": a sandbox may forbid the call" },
};
const size_t plx_known_code_count = sizeof plx_known_codes / sizeof *plx_known_codes;

/* Without the full stop and line end that FormatMessage adds. */
void plx_describe(int code, char *text, size_t size)
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
#endif
