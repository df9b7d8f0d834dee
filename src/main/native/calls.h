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
    void (*function)(void);
    bool in_place; /* whether the JDK calls ours */
} plx_call;

/* How many there are, and the place of SocketDispatcher.write0. */
enum { PLX_CALLS = 17, PLX_CALL_SOCKET_WRITE = 2 };

extern plx_call plx_calls[PLX_CALLS];

/* To be found before the first one is in place. */
typedef struct {
    jfieldID descriptor; /* java.io.FileDescriptor.fd */
    void(JNICALL *throw_by_name)(JNIEnv *, const char *type, const char *message);
    void(JNICALL *throw_last_error)(JNIEnv *, const char *type, const char *otherwise);
} plx_jdk_members;

extern plx_jdk_members plx_jdk;

#endif
