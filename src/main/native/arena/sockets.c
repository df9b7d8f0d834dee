/* SPDX-License-Identifier: Apache-2.0
 *
 * sockets.c: see socket(7), and Winsock's functions of the same names. With MSG_DONTWAIT a socket's own mode does not
 * matter, so that what is released is as blocking as it was. Winsock has no such flag: there sockets of an arena are
 * non-blocking, and listening ones are everywhere, as accept(2) has no flag either.
 *
 * On Linux, receives and sends of one piece go past the C library where that is cheaper (rawcall.h): they are what a
 * server does all day, and the C library's are cancellation points.
 */
#include "arena/sockets.h"

#include "system/rawcall.h"

#ifdef _WIN32
#include <ws2tcpip.h>

enum { SHUT_WR = SD_SEND, SHUT_RDWR = SD_BOTH };

static int last_error(void)
{
    return -WSAGetLastError();
}
#else
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stddef.h>
#ifndef __sun
#include <sys/ioctl.h>
#endif
#include <sys/socket.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

#ifndef MSG_NOSIGNAL
#define MSG_NOSIGNAL 0 /* macOS has SO_NOSIGPIPE; on an old Solaris the program has to ignore the signal */
#endif

static int last_error(void)
{
    return -errno;
}
#endif

/* macOS may not tell who listens. */
int plx_socket_check(intptr_t socket, bool listens)
{
    int type = 0, is_listening = 0;
    socklen_t length = sizeof type;
    if (!plx_is_descriptor(socket))
        return -PLX_NOT_OPEN;
    if (getsockopt((plx_descriptor)socket, SOL_SOCKET, SO_TYPE, (void *)&type, &length) != 0)
        return last_error();
    if (type != SOCK_STREAM)
        return -PLX_UNSUPPORTED;
    bool is_known = getsockopt((plx_descriptor)socket, SOL_SOCKET, SO_ACCEPTCONN, (void *)&is_listening, &length) == 0;
    return is_known && (is_listening != 0) != listens ? -PLX_BAD_ARGUMENT : 0;
}

void plx_socket_no_delay(intptr_t socket)
{
    int on = 1;
    (void)setsockopt((plx_descriptor)socket, IPPROTO_TCP, TCP_NODELAY, (const void *)&on, sizeof on);
}

int plx_socket_family(intptr_t socket)
{
    struct sockaddr_storage name = { .ss_family = 0 };
    socklen_t length = sizeof name;
    return getsockname((plx_descriptor)socket, (struct sockaddr *)&name, &length) == 0 ? name.ss_family : last_error();
}

/* One that was never to be connected, or has lost its connection since, has no error that waits. */
int plx_socket_connected(intptr_t socket)
{
    struct sockaddr_storage peer;
    int code = 0;
    socklen_t length = sizeof code;
    if (getsockopt((plx_descriptor)socket, SOL_SOCKET, SO_ERROR, (void *)&code, &length) != 0)
        return last_error();
    if (code != 0)
        return -code;
    length = sizeof peer;
    return getpeername((plx_descriptor)socket, (struct sockaddr *)&peer, &length) == 0 ? 0 : last_error();
}

void plx_socket_shutdown(intptr_t socket, bool both)
{
    shutdown((plx_descriptor)socket, both ? SHUT_RDWR : SHUT_WR);
}

bool plx_socket_reset(intptr_t socket)
{
    struct linger at_once = { .l_onoff = 1 };
    (void)setsockopt((plx_descriptor)socket, SOL_SOCKET, SO_LINGER, (const void *)&at_once, sizeof at_once);
#ifdef __linux__
    struct sockaddr none = { .sa_family = AF_UNSPEC }; /* ends what waits for the connection too (connect(2)) */
    return connect((int)socket, &none, sizeof none) == 0;
#else
    return false;
#endif
}

void plx_socket_quiet(intptr_t socket)
{
#ifdef __APPLE__
    int on = 1;
    (void)setsockopt((int)socket, SOL_SOCKET, SO_NOSIGPIPE, &on, sizeof on);
#else
    (void)socket;
#endif
}

int64_t plx_socket_unsent(intptr_t socket)
{
    int bytes = 0;
#if defined(__linux__)
    bool is_known = ioctl((int)socket, TIOCOUTQ, &bytes) == 0; /* SIOCOUTQ of tcp(7) and unix(7) */
#elif defined(FIONWRITE)
    bool is_known = ioctl((int)socket, FIONWRITE, &bytes) == 0;
#elif defined(SO_NWRITE)
    socklen_t length = sizeof bytes;
    bool is_known = getsockopt((int)socket, SOL_SOCKET, SO_NWRITE, &bytes, &length) == 0;
#else
    bool is_known = socket < 0; /* never */
#endif
    return is_known ? bytes : 0;
}

#ifdef _WIN32
int plx_socket_set_blocking(intptr_t socket, bool blocking)
{
    u_long non_blocking = !blocking;
    return ioctlsocket((SOCKET)socket, (long)FIONBIO, &non_blocking) == 0 ? 0 : last_error();
}

intptr_t plx_socket_duplicate(intptr_t socket)
{
    WSAPROTOCOL_INFOW info;
    if (WSADuplicateSocketW((SOCKET)socket, GetCurrentProcessId(), &info) != 0)
        return last_error();
    SOCKET s = WSASocketW(FROM_PROTOCOL_INFO, FROM_PROTOCOL_INFO, FROM_PROTOCOL_INFO, &info, 0,
                          WSA_FLAG_OVERLAPPED | WSA_FLAG_NO_HANDLE_INHERIT);
    return s != INVALID_SOCKET ? (intptr_t)s : last_error();
}

intptr_t plx_socket_accept(intptr_t listener)
{
    SOCKET s = accept((SOCKET)listener, NULL, NULL);
    if (s == INVALID_SOCKET)
        return last_error();
    SetHandleInformation((HANDLE)s, HANDLE_FLAG_INHERIT, 0);
    return (intptr_t)s;
}

int64_t plx_socket_receive(intptr_t socket, void *to, size_t room)
{
    int n = recv((SOCKET)socket, to, (int)room, 0);
    return n >= 0 ? n : last_error();
}

int64_t plx_socket_send(intptr_t socket, const plx_slice *slices, uint32_t count)
{
    int64_t sent = 0;
    for (uint32_t done = 0; done < count;) {
        WSABUF buffers[16];
        DWORD some = 0, n;
        int64_t wanted = 0;
        for (; some < 16 && done < count; some++, done++) {
            buffers[some] = (WSABUF){ (ULONG)slices[done].length, (char *)slices[done].at };
            wanted += (int64_t)slices[done].length;
        }
        if (WSASend((SOCKET)socket, buffers, some, &n, 0, NULL, NULL) != 0)
            return sent > 0 ? sent : last_error();
        sent += n;
        if (n < wanted)
            break;
    }
    return sent;
}

void plx_socket_close(intptr_t socket)
{
    closesocket((SOCKET)socket);
}

bool plx_socket_would_block(int64_t result)
{
    return result == -WSAEWOULDBLOCK || result == -WSAEINTR;
}

bool plx_socket_accept_again(int64_t result)
{
    return plx_socket_would_block(result) || result == -WSAECONNRESET || result == -WSAENETDOWN;
}
#else
_Static_assert(sizeof(plx_slice) == sizeof(struct iovec) && offsetof(plx_slice, at) == offsetof(struct iovec, iov_base),
               "a slice is an iovec");

int plx_socket_set_blocking(intptr_t socket, bool blocking)
{
    int flags = fcntl((int)socket, F_GETFL);
    int wanted = blocking ? flags & ~O_NONBLOCK : flags | O_NONBLOCK;
    if (flags < 0 || (flags != wanted && fcntl((int)socket, F_SETFL, wanted) < 0))
        return -errno;
    return 0;
}

intptr_t plx_socket_duplicate(intptr_t socket)
{
#ifdef F_DUPFD_CLOEXEC
    int fd = fcntl((int)socket, F_DUPFD_CLOEXEC, 0);
#else /* Solaris 10 */
    int fd = fcntl((int)socket, F_DUPFD, 0);
    if (fd >= 0)
        (void)fcntl(fd, F_SETFD, FD_CLOEXEC);
#endif
    return fd >= 0 ? fd : -errno;
}

intptr_t plx_socket_accept(intptr_t listener)
{
#ifdef PLX_RAW_CALLS
    return plx_syscall(SYS_accept4, listener, 0, 0, SOCK_CLOEXEC, 0, 0);
#else
#if defined(__APPLE__) || defined(__sun)
    int fd = accept((int)listener, NULL, NULL);
    if (fd >= 0)
        (void)fcntl(fd, F_SETFD, FD_CLOEXEC);
#else
    int fd = accept4((int)listener, NULL, NULL, SOCK_CLOEXEC);
#endif
    return fd >= 0 ? fd : -errno;
#endif
}

int64_t plx_socket_receive(intptr_t socket, void *to, size_t room)
{
#ifdef PLX_RAW_CALLS
    return plx_syscall(SYS_recvfrom, socket, (long)to, (long)room, MSG_DONTWAIT, 0, 0);
#else
    ssize_t n = recv((int)socket, to, room, MSG_DONTWAIT);
    return n >= 0 ? n : -errno;
#endif
}

static int64_t send_one(intptr_t socket, const plx_slice *slice)
{
#ifdef PLX_RAW_CALLS
    return plx_syscall(SYS_sendto, socket, (long)slice->at, (long)slice->length, MSG_DONTWAIT | MSG_NOSIGNAL, 0, 0);
#else
    ssize_t n = send((int)socket, slice->at, slice->length, MSG_DONTWAIT | MSG_NOSIGNAL);
    return n >= 0 ? n : -errno;
#endif
}

int64_t plx_socket_send(intptr_t socket, const plx_slice *slices, uint32_t count)
{
    struct msghdr message = { .msg_iov = (struct iovec *)(void *)(uintptr_t)slices };
    if (count == 1)
        return send_one(socket, slices);
    message.msg_iovlen = (uint16_t)count; /* an int on some systems; never more than PLX_MAX_SLICES */
#ifdef PLX_RAW_CALLS
    return plx_syscall(SYS_sendmsg, socket, (long)&message, MSG_DONTWAIT | MSG_NOSIGNAL, 0, 0, 0);
#else
    ssize_t n = sendmsg((int)socket, &message, MSG_DONTWAIT | MSG_NOSIGNAL);
    return n >= 0 ? n : -errno;
#endif
}

void plx_socket_close(intptr_t socket)
{
    close((int)socket);
}

bool plx_socket_would_block(int64_t result)
{
    return result == -EAGAIN || result == -EWOULDBLOCK || result == -EINTR;
}

bool plx_socket_accept_again(int64_t result)
{
    switch (-result) {
    case ECONNABORTED:
    case EPROTO:
    case EPERM: /* a firewall */
    case ENETDOWN:
    case ENETUNREACH:
    case EHOSTDOWN:
    case EHOSTUNREACH:
#ifdef ENONET
    case ENONET:
#endif
        return true;
    default:
        return plx_socket_would_block(result);
    }
}
#endif
