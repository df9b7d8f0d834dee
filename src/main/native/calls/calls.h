/* SPDX-License-Identifier: Apache-2.0
 *
 * calls.h: the table of the JDK's native methods that calls.c can replace. What the replacements need of the JDK.
 */
#ifndef PLX_CALLS_H
#define PLX_CALLS_H

#include <jni.h>
#include <stdbool.h>

typedef struct {
    const char *owner; /* a class of sun.nio.ch */
    const char *name;
    const char *signature;
    void (*function)(void);  /* NULL if it is of use to the batch alone */
    void (*deferring)(void); /* with the batch */
    void (*original)(void);  /* the JDK's own; found if `function` is NULL */
    bool in_place;           /* whether the JDK calls ours */
} plx_call;

/* How many there are, and the places of some. */
enum {
    PLX_CALLS = 27,
    PLX_CALL_SOCKET_WRITE = 2,
    PLX_CALL_SHUTDOWN = 17,
    PLX_CALL_SEND_URGENT,
    PLX_CALL_CONFIGURE_BLOCKING,
    PLX_CALL_TRANSFER_17,
    PLX_CALL_TRANSFER,
    PLX_CALL_PRE_CLOSE_17,
    PLX_CALL_CLOSE_17,
    PLX_CALL_PRE_CLOSE,
    PLX_CALL_CLOSE,
    PLX_CALL_AVAILABLE
};

extern plx_call plx_calls[PLX_CALLS];

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
/* The result of a system call as the JDK's methods return it, or throw it. */
jlong plx_after_write(JNIEnv *env, int fd, long result, jint length);
jlong plx_after_writev(JNIEnv *env, int fd, long result, jlong address, jint count);
jlong plx_after_socket_read(JNIEnv *env, long result);

/* calls_deferring.c: those of the batch. */
jint JNICALL plx_deferring_read(JNIEnv *env, jclass type, jobject descriptor, jlong address, jint length);
jlong JNICALL plx_deferring_readv(JNIEnv *env, jclass type, jobject descriptor, jlong address, jint slices);
jint JNICALL plx_deferring_write(JNIEnv *env, jclass type, jobject descriptor, jlong address, jint length);
jlong JNICALL plx_deferring_writev(JNIEnv *env, jclass type, jobject descriptor, jlong address, jint slices);
void JNICALL plx_deferring_shutdown(JNIEnv *env, jclass type, jobject descriptor, jint how);
jint JNICALL plx_deferring_send_urgent(JNIEnv *env, jclass type, jobject descriptor, jbyte byte);
void JNICALL plx_deferring_configure_blocking(JNIEnv *env, jclass type, jobject descriptor, jboolean blocking);
jlong JNICALL plx_deferring_transfer_17(JNIEnv *env, jobject self, jobject source, jlong position, jlong count,
                                        jobject target);
jlong JNICALL plx_deferring_transfer(JNIEnv *env, jclass type, jobject source, jlong position, jlong count,
                                     jobject target, jboolean append);
jint JNICALL plx_deferring_available(JNIEnv *env, jclass type, jobject descriptor);
void JNICALL plx_deferring_pre_close(JNIEnv *env, jclass type, jobject descriptor);
void JNICALL plx_deferring_close(JNIEnv *env, jclass type, jobject descriptor);

#endif
