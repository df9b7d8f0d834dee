/* SPDX-License-Identifier: Apache-2.0
 *
 * calls.h: the tables of the JDK's native methods that can be replaced. What the replacements need of the JDK.
 */
#ifndef PLX_CALLS_H
#define PLX_CALLS_H

#include <jni.h>
#include <stdbool.h>
#include <stddef.h>

/* Java prescribes the parameters, and few methods need them all. */
#pragma GCC diagnostic ignored "-Wunused-parameter"

typedef struct {
    const char *owner; /* a class of sun.nio.ch */
    const char *name;
    const char *signature;
    void (*function)(void);
} plx_call;

#define PLX_CALL(function) ((void (*)(void))(function))

/* How many there are, and the place of one. */
enum { PLX_CALLS = 17, PLX_SOCKET_WRITE = 2, PLX_DEFERRING_CALLS = 15 };

extern const plx_call plx_calls[PLX_CALLS];
/* Those of the batch: some stand for a method of plx_calls too. */
extern plx_call plx_deferring_calls[PLX_DEFERRING_CALLS];

/* Finds the JDK's own for those that call them, in its libnio. False if it lacks some. A function is NULL if this JDK
 * has the other one of a pair. */
bool plx_find_originals(void *libnio);

/* What a native method of sun.nio.ch returns instead of a count: sun.nio.ch.IOStatus. */
enum { PLX_EOF_STATUS = -1, PLX_UNAVAILABLE = -2, PLX_INTERRUPTED = -3, PLX_THROWN = -5 };

/* To be found before the first one is in place. */
typedef struct {
    jfieldID descriptor; /* java.io.FileDescriptor.fd */
    void(JNICALL *throw_by_name)(JNIEnv *, const char *type, const char *message);
    void(JNICALL *throw_last_error)(JNIEnv *, const char *type, const char *otherwise);
} plx_jdk_members;

extern plx_jdk_members plx_jdk;

int plx_fd_of(JNIEnv *env, jobject descriptor);
struct iovec;
/* What read(2), readv(2), write(2) and writev(2) do, for what most likely is a socket: recv(2), send(2) cost less. */
long plx_call_receive(int fd, const struct iovec *slices, int count);
long plx_call_send(int fd, const struct iovec *slices, int count);
/* The result of a system call as the JDK's methods return it, or throw it. */
jlong plx_after_write(JNIEnv *env, int fd, long result, jint length);
jlong plx_after_writev(JNIEnv *env, int fd, long result, jlong address, jint count);
jlong plx_after_socket_read(JNIEnv *env, long result);

#endif
