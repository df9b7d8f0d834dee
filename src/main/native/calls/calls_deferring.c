/* SPDX-License-Identifier: Apache-2.0
 *
 * calls_deferring.c: what the JDK's native methods for sockets do when writes are deferred (batch.h). Those that are
 * not reads or writes send what is deferred for their descriptor, and then call the JDK's own.
 *
 * A thread is told by its JNIEnv.
 */
#include <stddef.h> /* elsewhere this file would be empty, which C does not allow */
#ifdef __linux__
#include "batch/batch.h"
#include "calls/calls.h"

#ifdef PLX_HAVE_BATCH
#include <sys/socket.h>

enum { JDK_SHUT_RD = 0, JDK_SHUT_WR = 1 };

static long read_slices(JNIEnv *env, int fd, const struct iovec *slices, int count)
{
    plx_stream *stream = plx_stream_of(fd);
    long result = stream == NULL ? PLX_NOT_DEFERRED : plx_stream_read(stream, env, slices, count);
    if (result != PLX_NOT_DEFERRED)
        return result;
    result = count == 1 ? plx_syscall(SYS_read, fd, (long)slices->iov_base, (long)slices->iov_len, 0, 0, 0)
                        : plx_syscall(SYS_readv, fd, (long)slices, count, 0, 0, 0);
    return result > 0 || stream == NULL ? result : plx_stream_on_empty_read(stream, env, result);
}

jint JNICALL plx_deferring_read(JNIEnv *env, jclass type, jobject descriptor, jlong address, jint length)
{
    (void)type;
    struct iovec slice = { (void *)(intptr_t)address, (size_t)length };
    return (jint)plx_after_socket_read(env, read_slices(env, plx_fd_of(env, descriptor), &slice, 1));
}

jlong JNICALL plx_deferring_readv(JNIEnv *env, jclass type, jobject descriptor, jlong address, jint slices)
{
    (void)type;
    const struct iovec *all = (const struct iovec *)(intptr_t)address;
    return plx_after_socket_read(env, read_slices(env, plx_fd_of(env, descriptor), all, slices));
}

static long write_slices(JNIEnv *env, int fd, const struct iovec *slices, int count)
{
    plx_stream *stream = plx_stream_of(fd);
    return stream == NULL ? PLX_NOT_DEFERRED : plx_stream_write(stream, fd, env, slices, count);
}

jint JNICALL plx_deferring_write(JNIEnv *env, jclass type, jobject descriptor, jlong address, jint length)
{
    (void)type;
    int fd = plx_fd_of(env, descriptor);
    struct iovec slice = { (void *)(intptr_t)address, (size_t)length };
    long result = write_slices(env, fd, &slice, 1);
    if (result == PLX_NOT_DEFERRED)
        result = plx_syscall(SYS_write, fd, address, length, 0, 0, 0);
    return (jint)plx_after_write(env, fd, result, length);
}

jlong JNICALL plx_deferring_writev(JNIEnv *env, jclass type, jobject descriptor, jlong address, jint slices)
{
    (void)type;
    int fd = plx_fd_of(env, descriptor);
    long result = write_slices(env, fd, (const struct iovec *)(intptr_t)address, slices);
    if (result == PLX_NOT_DEFERRED)
        result = plx_syscall(SYS_writev, fd, address, slices, 0, 0, 0);
    return plx_after_writev(env, fd, result, address, slices);
}

void JNICALL plx_deferring_shutdown(JNIEnv *env, jclass type, jobject descriptor, jint how)
{
    typedef void(JNICALL * original)(JNIEnv *, jclass, jobject, jint);
    original shut = (original)plx_calls[PLX_CALL_SHUTDOWN].original;
    int fd = plx_fd_of(env, descriptor);
    plx_stream *stream = plx_stream_of(fd);
    if (how == JDK_SHUT_RD || stream == NULL || !plx_stream_shuts_output(stream, fd))
        shut(env, type, descriptor, how);
    else if (how != JDK_SHUT_WR)
        shut(env, type, descriptor, JDK_SHUT_RD);
}

/* 0, or what the method is to return instead of making its call. */
static jint before_call(JNIEnv *env, jobject descriptor)
{
    int fd = plx_fd_of(env, descriptor);
    plx_stream *stream = plx_stream_of(fd);
    long result = stream == NULL ? 0 : plx_stream_before_call(stream, fd);
    return result == 0 ? 0 : (jint)plx_after_write(env, fd, result, 1);
}

jint JNICALL plx_deferring_send_urgent(JNIEnv *env, jclass type, jobject descriptor, jbyte byte)
{
    typedef jint(JNICALL * original)(JNIEnv *, jclass, jobject, jbyte);
    jint status = before_call(env, descriptor);
    return status < 0 ? status : ((original)plx_calls[PLX_CALL_SEND_URGENT].original)(env, type, descriptor, byte);
}

jlong JNICALL plx_deferring_transfer_17(JNIEnv *env, jobject self, jobject source, jlong position, jlong count,
                                        jobject target)
{
    typedef jlong(JNICALL * original)(JNIEnv *, jobject, jobject, jlong, jlong, jobject);
    jint status = before_call(env, target);
    return status < 0
               ? status
               : ((original)plx_calls[PLX_CALL_TRANSFER_17].original)(env, self, source, position, count, target);
}

jlong JNICALL plx_deferring_transfer(JNIEnv *env, jclass type, jobject source, jlong position, jlong count,
                                     jobject target, jboolean append)
{
    typedef jlong(JNICALL * original)(JNIEnv *, jclass, jobject, jlong, jlong, jobject, jboolean);
    jint status = before_call(env, target);
    return status < 0
               ? status
               : ((original)plx_calls[PLX_CALL_TRANSFER].original)(env, type, source, position, count, target, append);
}

/* FIONREAD knows nothing of what was received already. */
jint JNICALL plx_deferring_available(JNIEnv *env, jclass type, jobject descriptor)
{
    typedef jint(JNICALL * original)(JNIEnv *, jclass, jobject);
    jint unread = ((original)plx_calls[PLX_CALL_AVAILABLE].original)(env, type, descriptor);
    return unread < 0 ? unread : unread + (jint)plx_stream_unread(plx_fd_of(env, descriptor));
}

typedef void(JNICALL *close_original)(JNIEnv *, jclass, jobject);

static close_original original_of(size_t newer, size_t older)
{
    return (close_original)(plx_calls[newer].original != NULL ? plx_calls[newer].original : plx_calls[older].original);
}

static void before_close(JNIEnv *env, jobject descriptor)
{
    int fd = plx_fd_of(env, descriptor);
    plx_stream *stream = plx_stream_of(fd);
    if (stream != NULL)
        plx_stream_before_close(stream, fd);
}

void JNICALL plx_deferring_pre_close(JNIEnv *env, jclass type, jobject descriptor)
{
    before_close(env, descriptor);
    original_of(PLX_CALL_PRE_CLOSE, PLX_CALL_PRE_CLOSE_17)(env, type, descriptor);
}

void JNICALL plx_deferring_close(JNIEnv *env, jclass type, jobject descriptor)
{
    before_close(env, descriptor);
    original_of(PLX_CALL_CLOSE, PLX_CALL_CLOSE_17)(env, type, descriptor);
}

void JNICALL plx_deferring_configure_blocking(JNIEnv *env, jclass type, jobject descriptor, jboolean blocking)
{
    typedef void(JNICALL * original)(JNIEnv *, jclass, jobject, jboolean);
    int fd = plx_fd_of(env, descriptor);
    plx_stream *stream = plx_stream_of(fd);
    if (stream != NULL && blocking)
        plx_stream_before_blocking(stream, fd);
    ((original)plx_calls[PLX_CALL_CONFIGURE_BLOCKING].original)(env, type, descriptor, blocking);
}
#endif
#endif
