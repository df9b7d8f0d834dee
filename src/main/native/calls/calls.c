/* SPDX-License-Identifier: Apache-2.0
 *
 * calls.c: what the JDK's native methods for sockets do, with the return stack covered (rawcall.h). calls_setup.c puts
 * it in their place; docs/calls.md says why that is safe.
 *
 * Results and exceptions are the JDK's: its names and texts, made by its own functions of libjava. Its native methods
 * themselves can't be asked after a failure, since a socket tells an error once: a second read(2) would find the end.
 */
#include "calls/calls.h"
#include "selector/writable.h"
#include "system/rawcall.h"
#ifdef PLX_RAW_CALLS
#include <limits.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/uio.h>

/* The longest datagram (net_util.h), and the most slices of a message (IOV_MAX). */
enum { MAX_PACKET = 65536, MAX_SLICES = 1024 };

plx_jdk_members plx_jdk;

int plx_fd_of(JNIEnv *env, jobject descriptor)
{
    return (*env)->GetIntField(env, descriptor, plx_jdk.descriptor);
}

/* Throws an exception with the error's text, or with `otherwise` if the system has none for it. */
static jint fail(JNIEnv *env, long code, const char *type, const char *otherwise)
{
    errno = (int)-code;
    plx_jdk.throw_last_error(env, type, otherwise);
    return PLX_THROWN;
}

static jint fail_by_name(JNIEnv *env, const char *type, const char *message)
{
    plx_jdk.throw_by_name(env, type, message);
    return PLX_THROWN;
}

/* Turns a failure into a status, or throws. Apart, so that the common case is short. */
static __attribute__((noinline)) jint status_of(JNIEnv *env, long code, const char *otherwise)
{
    if (code == -EAGAIN)
        return PLX_UNAVAILABLE;
    return code == -EINTR ? PLX_INTERRUPTED : fail(env, code, "java/io/IOException", otherwise);
}

static jlong after_read(JNIEnv *env, long result)
{
    if (result > 0)
        return result;
    return result == 0 ? PLX_EOF_STATUS : status_of(env, result, "Read failed");
}

static jlong after_send(JNIEnv *env, long result)
{
    return result >= 0 ? result : status_of(env, result, "Write failed");
}

jlong plx_after_write(JNIEnv *env, int fd, long result, jint length)
{
    plx_note_write(fd, result == length);
    return after_send(env, result);
}

jlong plx_after_writev(JNIEnv *env, int fd, long result, jlong address, jint count)
{
    const struct iovec *slices = (const struct iovec *)(intptr_t)address;
    size_t length = 0;
    for (jint i = 0; i < count; i++)
        length += slices[i].iov_len;
    plx_note_write(fd, result > 0 && (size_t)result == length);
    return after_send(env, result);
}

jlong plx_after_socket_read(JNIEnv *env, long result)
{
    if (result == -ECONNRESET || result == -EPIPE)
        return fail_by_name(env, "sun/net/ConnectionResetException", "Connection reset");
    return after_read(env, result);
}

/* An ICMP message has told that no one listens there. */
static jint unreachable(JNIEnv *env)
{
    return fail_by_name(env, "java/net/PortUnreachableException", NULL);
}

/* The kinds of SocketException that the JDK tells apart. */
static __attribute__((noinline)) jint socket_error(JNIEnv *env, long code)
{
    const char *type = "java/net/SocketException";
    switch (code) {
    case -EINPROGRESS:
        return 0;
    case -EPROTO:
        type = "java/net/ProtocolException";
        break;
    case -ECONNREFUSED:
    case -ETIMEDOUT:
    case -ENOTCONN:
        type = "java/net/ConnectException";
        break;
    case -EHOSTUNREACH:
        type = "java/net/NoRouteToHostException";
        break;
    case -EADDRINUSE:
    case -EADDRNOTAVAIL:
    case -EACCES:
        type = "java/net/BindException";
        break;
    default:
        break;
    }
    return fail(env, code, type, "NioSocketError");
}

/* It is a pipe, or a sandbox knows files alone. */
static bool is_no_socket_call(long result)
{
    return result == -ENOTSOCK || result == -ENOSYS || result == -EPERM;
}

long plx_call_receive(int fd, const struct iovec *slices, int count)
{
    if (count != 1)
        return plx_syscall(SYS_readv, fd, (long)slices, count, 0, 0, 0);
    long result = plx_syscall(SYS_recvfrom, fd, (long)slices->iov_base, (long)slices->iov_len, 0, 0, 0);
    return is_no_socket_call(result) ? plx_syscall(SYS_read, fd, (long)slices->iov_base, (long)slices->iov_len, 0, 0, 0)
                                     : result;
}

long plx_call_send(int fd, const struct iovec *slices, int count)
{
    if (count != 1)
        return plx_syscall(SYS_writev, fd, (long)slices, count, 0, 0, 0);
    long result = plx_syscall(SYS_sendto, fd, (long)slices->iov_base, (long)slices->iov_len, MSG_NOSIGNAL, 0, 0);
    return is_no_socket_call(result)
               ? plx_syscall(SYS_write, fd, (long)slices->iov_base, (long)slices->iov_len, 0, 0, 0)
               : result;
}

static struct iovec slice_of(jlong address, jint length)
{
    return (struct iovec){ (void *)(intptr_t)address, (size_t)length };
}

static jint JNICALL socket_read(JNIEnv *env, jclass type, jobject descriptor, jlong address, jint length)
{
    struct iovec slice = slice_of(address, length);
    return (jint)plx_after_socket_read(env, plx_call_receive(plx_fd_of(env, descriptor), &slice, 1));
}

static jlong JNICALL socket_readv(JNIEnv *env, jclass type, jobject descriptor, jlong address, jint slices)
{
    const struct iovec *all = (const struct iovec *)(intptr_t)address;
    return plx_after_socket_read(env, plx_call_receive(plx_fd_of(env, descriptor), all, slices));
}

static jint JNICALL socket_write(JNIEnv *env, jclass type, jobject descriptor, jlong address, jint length)
{
    int fd = plx_fd_of(env, descriptor);
    struct iovec slice = slice_of(address, length);
    return (jint)plx_after_write(env, fd, plx_call_send(fd, &slice, 1), length);
}

static jint JNICALL file_read(JNIEnv *env, jclass type, jobject descriptor, jlong address, jint length)
{
    return (jint)after_read(env, plx_syscall(SYS_read, plx_fd_of(env, descriptor), address, length, 0, 0, 0));
}

static jlong JNICALL file_readv(JNIEnv *env, jclass type, jobject descriptor, jlong address, jint slices)
{
    return after_read(env, plx_syscall(SYS_readv, plx_fd_of(env, descriptor), address, slices, 0, 0, 0));
}

static jint JNICALL any_write(JNIEnv *env, jclass type, jobject descriptor, jlong address, jint length)
{
    int fd = plx_fd_of(env, descriptor);
    return (jint)plx_after_write(env, fd, plx_syscall(SYS_write, fd, address, length, 0, 0, 0), length);
}

static jlong JNICALL any_writev(JNIEnv *env, jclass type, jobject descriptor, jlong address, jint slices)
{
    int fd = plx_fd_of(env, descriptor);
    return plx_after_writev(env, fd, plx_syscall(SYS_writev, fd, address, slices, 0, 0, 0), address, slices);
}

static struct msghdr message_of(jlong address, jint slices)
{
    struct msghdr message = { .msg_iov = (struct iovec *)(intptr_t)address };
    message.msg_iovlen = (uint16_t)(slices > MAX_SLICES ? MAX_SLICES : slices); /* an int on musl */
    return message;
}

static jint JNICALL datagram_read(JNIEnv *env, jclass type, jobject descriptor, jlong address, jint length)
{
    long result = plx_syscall(SYS_recvfrom, plx_fd_of(env, descriptor), address, length, 0, 0, 0);
    return result == -ECONNREFUSED ? unreachable(env) : (jint)after_read(env, result);
}

static jlong JNICALL datagram_readv(JNIEnv *env, jclass type, jobject descriptor, jlong address, jint slices)
{
    struct msghdr message = message_of(address, slices);
    long result = plx_syscall(SYS_recvmsg, plx_fd_of(env, descriptor), (long)&message, 0, 0, 0, 0);
    return result == -ECONNREFUSED ? unreachable(env) : after_read(env, result);
}

static jint JNICALL datagram_write(JNIEnv *env, jclass type, jobject descriptor, jlong address, jint length)
{
    long result = plx_syscall(SYS_sendto, plx_fd_of(env, descriptor), address, length, 0, 0, 0);
    return result == -ECONNREFUSED ? unreachable(env) : (jint)after_send(env, result);
}

static jlong JNICALL datagram_writev(JNIEnv *env, jclass type, jobject descriptor, jlong address, jint slices)
{
    struct msghdr message = message_of(address, slices);
    long result = plx_syscall(SYS_sendmsg, plx_fd_of(env, descriptor), (long)&message, 0, 0, 0, 0);
    return result == -ECONNREFUSED ? unreachable(env) : after_send(env, result);
}

static jint after_datagram(JNIEnv *env, long result)
{
    if (result == -ECONNREFUSED)
        return unreachable(env);
    if (result >= 0)
        return (jint)result;
    return result == -EAGAIN || result == -EINTR ? status_of(env, result, NULL) : socket_error(env, result);
}

/* The sender's address goes to where the JDK has room for a sockaddr of either family. */
static jint JNICALL datagram_receive(JNIEnv *env, jclass type, jobject descriptor, jlong address, jint length,
                                     jlong sender, jboolean connected)
{
    int fd = plx_fd_of(env, descriptor);
    socklen_t sender_length = sizeof(struct sockaddr_in6);
    long result;
    do {
        result = plx_syscall(SYS_recvfrom, fd, address, length > MAX_PACKET ? MAX_PACKET : length, 0, sender,
                             (long)&sender_length);
    } while (result == -ECONNREFUSED && !connected); /* the error of an earlier datagram to someone else */
    return after_datagram(env, result);
}

static jint JNICALL datagram_send(JNIEnv *env, jclass type, jobject descriptor, jlong address, jint length,
                                  jlong target, jint target_length)
{
    return after_datagram(env, plx_syscall(SYS_sendto, plx_fd_of(env, descriptor), address,
                                           length > MAX_PACKET ? MAX_PACKET : length, 0, target, target_length));
}

static jint JNICALL net_poll(JNIEnv *env, jclass type, jobject descriptor, jint events, jlong millis)
{
    struct pollfd polled = { .fd = plx_fd_of(env, descriptor), .events = (short)events };
    long timeout = millis < -1 ? -1 : millis > INT_MAX ? INT_MAX : millis;
    long result = plx_syscall(SYS_poll, (long)&polled, 1, timeout, 0, 0, 0);
    if (result >= 0)
        return polled.revents;
    if (result == -EINTR)
        return 0;
    socket_error(env, result);
    return PLX_THROWN; /* the JDK's, even for the error that throws nothing */
}

static jint JNICALL epoll_await(JNIEnv *env, jclass type, jint epoll, jlong events, jint max_events, jint timeout)
{
    long result = plx_syscall(SYS_epoll_wait, epoll, events, max_events, timeout, 0, 0);
    if (result >= 0)
        return (jint)result;
    return result == -EINTR ? PLX_INTERRUPTED : fail(env, result, "java/io/IOException", "epoll_wait failed");
}

static jint JNICALL epoll_change(JNIEnv *env, jclass type, jint epoll, jint operation, jint fd, jint events)
{
    struct epoll_event event = { .events = (uint32_t)events, .data.fd = fd };
    return (jint)-plx_syscall(SYS_epoll_ctl, epoll, operation, fd, (long)&event, 0, 0);
}

#define FD "Ljava/io/FileDescriptor;"
#define TRANSFER "(" FD "JI)I"
#define TRANSFERV "(" FD "JI)J"

/* Which method each one stands for. Older JDKs write to sockets as to files. */
const plx_call plx_calls[PLX_CALLS] = {
    { "SocketDispatcher", "read0", TRANSFER, PLX_CALL(socket_read) },
    { "SocketDispatcher", "readv0", TRANSFERV, PLX_CALL(socket_readv) },
    { "SocketDispatcher", "write0", TRANSFER, PLX_CALL(socket_write) },  /* JDK 25 */
    { "SocketDispatcher", "writev0", TRANSFERV, PLX_CALL(any_writev) },  /* JDK 25 */
    { "FileDispatcherImpl", "read0", TRANSFER, PLX_CALL(file_read) },    /* JDK 17: pipes, and files too */
    { "FileDispatcherImpl", "readv0", TRANSFERV, PLX_CALL(file_readv) }, /* JDK 17 */
    { "FileDispatcherImpl", "write0", TRANSFER, PLX_CALL(any_write) },   /* JDK 17: sockets as well */
    { "FileDispatcherImpl", "writev0", TRANSFERV, PLX_CALL(any_writev) },
    { "DatagramDispatcher", "read0", TRANSFER, PLX_CALL(datagram_read) },
    { "DatagramDispatcher", "readv0", TRANSFERV, PLX_CALL(datagram_readv) },
    { "DatagramDispatcher", "write0", TRANSFER, PLX_CALL(datagram_write) },
    { "DatagramDispatcher", "writev0", TRANSFERV, PLX_CALL(datagram_writev) },
    { "DatagramChannelImpl", "receive0", "(" FD "JIJZ)I", PLX_CALL(datagram_receive) },
    { "DatagramChannelImpl", "send0", "(" FD "JIJI)I", PLX_CALL(datagram_send) },
    { "Net", "poll", "(" FD "IJ)I", PLX_CALL(net_poll) },
    { "EPoll", "wait", "(IJII)I", PLX_CALL(epoll_await) }, /* what virtual threads are woken by */
    { "EPoll", "ctl", "(IIII)I", PLX_CALL(epoll_change) },
};
#endif
