/* SPDX-License-Identifier: Apache-2.0
 *
 * calls_deferring.c: what the JDK's native methods for sockets do when writes are deferred (batch.h). Those that are
 * not reads or writes send what is deferred for their descriptor, and then call the JDK's own.
 *
 * A thread is told by its JNIEnv.
 */
#include "batch/batch.h"
#include "calls/calls.h"
#ifdef PLX_HAVE_BATCH
#include <dlfcn.h>
#include <stdio.h>

enum { JDK_SHUT_RD = 0, JDK_SHUT_WR = 1 };

/* The places in plx_deferring_calls of those whose originals are called. */
enum { SHUTDOWN = 6, SEND_URGENT, CONFIGURE_BLOCKING, TRANSFER_17, TRANSFER, PRE_CLOSE_17, CLOSE_17, PRE_CLOSE, CLOSE };

/* The JDK's own; NULL if it has no such method. */
static void (*originals[PLX_DEFERRING_CALLS])(void);

static long read_slices(JNIEnv *env, int fd, const struct iovec *slices, int count)
{
    long result = plx_call_receive(fd, slices, count);
    plx_stream *stream = result > 0 ? NULL : plx_stream_of(fd);
    return stream == NULL ? result : plx_stream_on_empty_read(stream, env, result);
}

static jint JNICALL deferring_read(JNIEnv *env, jclass type, jobject descriptor, jlong address, jint length)
{
    struct iovec slice = { (void *)(intptr_t)address, (size_t)length };
    return (jint)plx_after_socket_read(env, read_slices(env, plx_fd_of(env, descriptor), &slice, 1));
}

static jlong JNICALL deferring_readv(JNIEnv *env, jclass type, jobject descriptor, jlong address, jint slices)
{
    const struct iovec *all = (const struct iovec *)(intptr_t)address;
    return plx_after_socket_read(env, read_slices(env, plx_fd_of(env, descriptor), all, slices));
}

/* PLX_NOT_DEFERRED: a file has the number, or a socket of which nothing is known. */
static long write_slices(JNIEnv *env, int fd, const struct iovec *slices, int count)
{
    plx_stream *stream = plx_stream_of(fd);
    long result = stream == NULL ? PLX_NOT_DEFERRED : plx_stream_write(stream, fd, env, slices, count);
    return stream != NULL && result == PLX_NOT_DEFERRED ? plx_call_send(fd, slices, count) : result;
}

static jint JNICALL deferring_write(JNIEnv *env, jclass type, jobject descriptor, jlong address, jint length)
{
    int fd = plx_fd_of(env, descriptor);
    struct iovec slice = { (void *)(intptr_t)address, (size_t)length };
    long result = write_slices(env, fd, &slice, 1);
    if (result == PLX_NOT_DEFERRED)
        result = plx_syscall(SYS_write, fd, address, length, 0, 0, 0);
    return (jint)plx_after_write(env, fd, result, length);
}

static jlong JNICALL deferring_writev(JNIEnv *env, jclass type, jobject descriptor, jlong address, jint slices)
{
    int fd = plx_fd_of(env, descriptor);
    long result = write_slices(env, fd, (const struct iovec *)(intptr_t)address, slices);
    if (result == PLX_NOT_DEFERRED)
        result = plx_syscall(SYS_writev, fd, address, slices, 0, 0, 0);
    return plx_after_writev(env, fd, result, address, slices);
}

static void JNICALL deferring_shutdown(JNIEnv *env, jclass type, jobject descriptor, jint how)
{
    typedef void(JNICALL * original)(JNIEnv *, jclass, jobject, jint);
    original shut = (original)originals[SHUTDOWN];
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

static jint JNICALL deferring_send_urgent(JNIEnv *env, jclass type, jobject descriptor, jbyte byte)
{
    typedef jint(JNICALL * original)(JNIEnv *, jclass, jobject, jbyte);
    jint status = before_call(env, descriptor);
    return status < 0 ? status : ((original)originals[SEND_URGENT])(env, type, descriptor, byte);
}

static jlong JNICALL deferring_transfer_17(JNIEnv *env, jobject self, jobject source, jlong position, jlong count,
                                           jobject target)
{
    typedef jlong(JNICALL * original)(JNIEnv *, jobject, jobject, jlong, jlong, jobject);
    jint status = before_call(env, target);
    return status < 0 ? status : ((original)originals[TRANSFER_17])(env, self, source, position, count, target);
}

static jlong JNICALL deferring_transfer(JNIEnv *env, jclass type, jobject source, jlong position, jlong count,
                                        jobject target, jboolean append)
{
    typedef jlong(JNICALL * original)(JNIEnv *, jclass, jobject, jlong, jlong, jobject, jboolean);
    jint status = before_call(env, target);
    return status < 0 ? status : ((original)originals[TRANSFER])(env, type, source, position, count, target, append);
}

typedef void(JNICALL *close_original)(JNIEnv *, jclass, jobject);

static close_original original_of(size_t newer, size_t older)
{
    return (close_original)(originals[newer] != NULL ? originals[newer] : originals[older]);
}

static bool leaves_rest(JNIEnv *env, jobject descriptor, plx_end how)
{
    int fd = plx_fd_of(env, descriptor);
    plx_stream *stream = plx_stream_of(fd);
    return stream != NULL && plx_stream_before_end(stream, fd, how);
}

static void JNICALL deferring_pre_close(JNIEnv *env, jclass type, jobject descriptor)
{
    leaves_rest(env, descriptor, PLX_REPLACED);
    original_of(PRE_CLOSE, PRE_CLOSE_17)(env, type, descriptor);
}

static void JNICALL deferring_close(JNIEnv *env, jclass type, jobject descriptor)
{
    if (!leaves_rest(env, descriptor, PLX_CLOSED))
        original_of(CLOSE, CLOSE_17)(env, type, descriptor);
}

static void JNICALL deferring_configure_blocking(JNIEnv *env, jclass type, jobject descriptor, jboolean blocking)
{
    typedef void(JNICALL * original)(JNIEnv *, jclass, jobject, jboolean);
    int fd = plx_fd_of(env, descriptor);
    plx_stream *stream = plx_stream_of(fd);
    if (stream != NULL && blocking)
        plx_stream_before_blocking(stream, fd);
    ((original)originals[CONFIGURE_BLOCKING])(env, type, descriptor, blocking);
}

#define FD "Ljava/io/FileDescriptor;"

plx_call plx_deferring_calls[PLX_DEFERRING_CALLS] = {
    { "SocketDispatcher", "read0", "(" FD "JI)I", PLX_CALL(deferring_read) },
    { "SocketDispatcher", "readv0", "(" FD "JI)J", PLX_CALL(deferring_readv) },
    { "SocketDispatcher", "write0", "(" FD "JI)I", PLX_CALL(deferring_write) },     /* JDK 25 */
    { "SocketDispatcher", "writev0", "(" FD "JI)J", PLX_CALL(deferring_writev) },   /* JDK 25 */
    { "FileDispatcherImpl", "write0", "(" FD "JI)I", PLX_CALL(deferring_write) },   /* JDK 17: sockets as well */
    { "FileDispatcherImpl", "writev0", "(" FD "JI)J", PLX_CALL(deferring_writev) }, /* JDK 17 */
    [SHUTDOWN] = { "Net", "shutdown", "(" FD "I)V", PLX_CALL(deferring_shutdown) },
    [SEND_URGENT] = { "Net", "sendOOB", "(" FD "B)I", PLX_CALL(deferring_send_urgent) },
    [CONFIGURE_BLOCKING] = { "IOUtil", "configureBlocking", "(" FD "Z)V", PLX_CALL(deferring_configure_blocking) },
    [TRANSFER_17] = { "FileChannelImpl", "transferTo0", "(" FD "JJ" FD ")J", PLX_CALL(deferring_transfer_17) },
    [TRANSFER] = { "FileDispatcherImpl", "transferTo0", "(" FD "JJ" FD "Z)J", PLX_CALL(deferring_transfer) },
    [PRE_CLOSE_17] = { "FileDispatcherImpl", "preClose0", "(" FD ")V", PLX_CALL(deferring_pre_close) },
    [CLOSE_17] = { "FileDispatcherImpl", "close0", "(" FD ")V", PLX_CALL(deferring_close) },
    [PRE_CLOSE] = { "UnixDispatcher", "preClose0", "(" FD ")V", PLX_CALL(deferring_pre_close) },
    [CLOSE] = { "UnixDispatcher", "close0", "(" FD ")V", PLX_CALL(deferring_close) },
};

bool plx_find_originals(void *libnio)
{
    for (size_t i = 0; i < PLX_DEFERRING_CALLS; i++) {
        char name[96];
        snprintf(name, sizeof name, "Java_sun_nio_ch_%s_%s", plx_deferring_calls[i].owner, plx_deferring_calls[i].name);
        *(void **)&originals[i] = libnio == NULL ? NULL : dlsym(libnio, name);
        if (i >= SHUTDOWN && originals[i] == NULL)
            plx_deferring_calls[i].function = NULL;
    }
#define HAS(call) (originals[call] != NULL)
    return HAS(SHUTDOWN) && HAS(SEND_URGENT) && HAS(CONFIGURE_BLOCKING) && HAS(TRANSFER_17) != HAS(TRANSFER) &&
           HAS(CLOSE_17) != HAS(CLOSE) && HAS(PRE_CLOSE_17) != HAS(PRE_CLOSE);
#undef HAS
}
#endif
