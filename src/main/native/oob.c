/* SPDX-License-Identifier: Apache-2.0
 *
 * oob.c: urgent data, recv(2) with MSG_OOB. Of several urgent bytes TCP keeps the last one out of band; reading it
 * clears the mark, and the next read says that there is none. UDP does not look at MSG_OOB: such a read takes a
 * datagram, hence streams only. Winsock has no MSG_DONTWAIT, and a Poller watches blocking sockets too: there select says
 * whether there is something to read.
 */
#include "pollux.h"

#ifdef _WIN32
#include <winsock2.h>
#include <ws2tcpip.h>

typedef SOCKET descriptor;
enum { MSG_DONTWAIT = 0 };

static int would_wait(SOCKET socket)
{
    struct timeval at_once = { 0, 0 };
    fd_set urgent;
    FD_ZERO(&urgent);
    FD_SET(socket, &urgent);
    return select(0, NULL, NULL, &urgent, &at_once) <= 0;
}
#else
#include <sys/socket.h>
#include <sys/types.h>

typedef int descriptor;

static int would_wait(int socket)
{
    (void)socket;
    return 0; /* MSG_DONTWAIT */
}
#endif

int plx_discard_oob(intptr_t socket)
{
    char byte;
    int dropped = 0, type = 0;
    socklen_t length = sizeof type;
    if (getsockopt((descriptor)socket, SOL_SOCKET, SO_TYPE, (void *)&type, &length) < 0 || type != SOCK_STREAM)
        return 0;
    while (!would_wait((descriptor)socket) && recv((descriptor)socket, &byte, 1, MSG_OOB | MSG_DONTWAIT) == 1)
        dropped++;
    return dropped;
}
