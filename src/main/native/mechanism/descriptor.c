/* SPDX-License-Identifier: Apache-2.0
 *
 * descriptor.c: what is asked of one descriptor, without a set: fcntl(2); recv(2) with MSG_OOB.
 *
 * Of several out-of-band bytes TCP keeps the last one; reading it clears the mark, and the next read says that there
 * is none. UDP does not look at MSG_OOB: such a read takes a datagram, so streams only. Winsock has no MSG_DONTWAIT,
 * and a Poller watches blocking sockets too: there select says whether there is something to read.
 */
#include "mechanism/mechanism.h"

#ifdef _WIN32
#include <ws2tcpip.h>

enum { MSG_DONTWAIT = 0 };

static int would_wait(SOCKET socket)
{
    struct timeval at_once = { 0, 0 };
    fd_set exceptional;
    FD_ZERO(&exceptional);
    FD_SET(socket, &exceptional);
    return select(0, NULL, NULL, &exceptional, &at_once) <= 0;
}
#else
#include <fcntl.h>
#include <sys/socket.h>
#include <sys/types.h>

static int would_wait(int socket)
{
    (void)socket;
    return 0; /* MSG_DONTWAIT */
}
#endif

/* SOCK_STREAM and the like, or -1 if it is no socket. */
static int socket_type(intptr_t fd)
{
    int type = -1;
    socklen_t length = sizeof type;
    if (!plx_is_descriptor(fd) || getsockopt((plx_descriptor)fd, SOL_SOCKET, SO_TYPE, (void *)&type, &length) != 0)
        return -1;
    return type;
}

int plx_is_open(intptr_t fd)
{
#ifdef _WIN32
    return socket_type(fd) >= 0;
#else
    return plx_is_descriptor(fd) && fcntl((int)fd, F_GETFD) >= 0;
#endif
}

int plx_discard_out_of_band(intptr_t socket)
{
    char byte;
    int dropped = 0;
    plx_descriptor fd = (plx_descriptor)socket;
    if (socket_type(socket) != SOCK_STREAM)
        return 0;
    while (!would_wait(fd) && recv(fd, &byte, 1, MSG_OOB | MSG_DONTWAIT) == 1)
        dropped++;
    return dropped;
}
