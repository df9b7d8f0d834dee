/* SPDX-License-Identifier: Apache-2.0
 *
 * arena_jni.c: the native methods of dev.pollux.internal.jni.ArenaNatives.
 */
#include "arena.h"

#include "arena/transport.h"
#include "arena/sockets.h"
#include "jni/adapters.h"
#include "system/pin.h"

#include <errno.h>
#include <stdlib.h>
#ifdef _WIN32
#include <ws2tcpip.h>
#else
#include <netinet/in.h>
#include <sys/socket.h>
#endif

#define NATIVE(type, name) JNIEXPORT type JNICALL Java_dev_pollux_internal_jni_ArenaNatives_##name

static plx_arena *arena_of(jlong handle)
{
    return (plx_arena *)(intptr_t)handle;
}

NATIVE(jstring, mechanisms)(JNIEnv *env, jclass natives)
{
    return (*env)->NewStringUTF(env, plx_arena_mechanisms());
}

NATIVE(jlong, open)
(JNIEnv *env, jclass natives, jstring mechanism, jint connections, jint buffers, jint buffer_size, jint request_limit,
 jint pending_limit, jint space)
{
    const plx_arena_sizes sizes = { .connections = (uint32_t)connections,
                                    .buffers = (uint32_t)buffers,
                                    .buffer_size = (uint32_t)buffer_size,
                                    .request_limit = (uint32_t)request_limit,
                                    .pending_limit = (uint32_t)pending_limit,
                                    .space = (uint32_t)space };
    plx_arena *arena;
    const char *name;
    if (!plx_get_chars(env, mechanism, &name))
        return -ENOMEM;
    int code = plx_arena_open(name, &sizes, &arena);
    plx_release_chars(env, mechanism, name);
    return plx_opened(code, arena);
}

NATIVE(jstring, name)(JNIEnv *env, jclass natives, jlong arena)
{
    return (*env)->NewStringUTF(env, plx_arena_name(arena_of(arena)));
}

NATIVE(jstring, features)(JNIEnv *env, jclass natives, jlong arena)
{
    return (*env)->NewStringUTF(env, plx_arena_features(arena_of(arena)));
}

static jlong offset_of(const plx_arena_view *view, const void *place)
{
    return (jlong)((uintptr_t)place - (uintptr_t)view->memory);
}

/* From the room for replies on, all is bytes of connections. */
NATIVE(jobject, memory)(JNIEnv *env, jclass natives, jlong arena)
{
    plx_arena_view view;
    plx_arena_map(arena_of(arena), &view);
    jlong size = (jlong)view.memory_size - offset_of(&view, view.space);
    return size > INT32_MAX ? NULL : (*env)->NewDirectByteBuffer(env, view.space, size);
}

/* And before it, all is what steers the arena. */
NATIVE(jobject, control)(JNIEnv *env, jclass natives, jlong arena)
{
    plx_arena_view view;
    plx_arena_map(arena_of(arena), &view);
    jlong size = offset_of(&view, view.space);
    return size > INT32_MAX ? NULL : (*env)->NewDirectByteBuffer(env, view.memory, size);
}

/* In the order of ArenaNatives.PLACES. */
NATIVE(void, places)(JNIEnv *env, jclass natives, jlong arena, jlongArray places)
{
    plx_arena_view view;
    plx_arena_map(arena_of(arena), &view);
    const jlong values[] = { (jlong)(uintptr_t)view.space,  view.space_size, offset_of(&view, view.arrivals),
                             offset_of(&view, view.orders), view.max_orders, offset_of(&view, view.counts) };
    (*env)->SetLongArrayRegion(env, places, 0, (jsize)(sizeof values / sizeof *values), values);
}

NATIVE(jlong, state)(JNIEnv *env, jclass natives, jlong arena)
{
    int64_t ns;
    return plx_arena_is_waiting(arena_of(arena), &ns) ? ns : -1 - ns;
}

NATIVE(jstring, strerror)(JNIEnv *env, jclass natives, jstring mechanism, jint code)
{
    char text[256];
    const char *name;
    if (!plx_get_chars(env, mechanism, &name))
        return NULL;
    const char *words = plx_arena_strerror(name, code, text, sizeof text);
    plx_release_chars(env, mechanism, name);
    return (*env)->NewStringUTF(env, words);
}

NATIVE(jlong, unsent)(JNIEnv *env, jclass natives, jlong arena, jlong connection)
{
    return plx_arena_unsent(arena_of(arena), (uint64_t)connection);
}

NATIVE(jint, descriptor)(JNIEnv *env, jclass natives, jlong arena, jlong connection)
{
    return (jint)plx_arena_descriptor(arena_of(arena), (uint64_t)connection);
}

/* Also of a connection that was reset. getpeername(2) fails then, but Linux knows the name still: SO_PEERNAME tells it
 * to who asks for no more bytes than it has. */
static int peer_name(plx_descriptor socket, struct sockaddr *name, socklen_t *size)
{
    int code = getpeername(socket, name, size);
#ifdef SO_PEERNAME
    *size = code == 0 ? *size : sizeof(struct sockaddr_in6);
    if (code != 0)
        code = getsockopt(socket, SOL_SOCKET, SO_PEERNAME, name, size);
    *size = code == 0 ? *size : sizeof(struct sockaddr_in);
    if (code != 0)
        code = getsockopt(socket, SOL_SOCKET, SO_PEERNAME, name, size);
#endif
    return code;
}

NATIVE(jlong, address)(JNIEnv *env, jclass natives, jint descriptor, jboolean is_local, jbyteArray address)
{
    union {
        struct sockaddr any;
        struct sockaddr_in v4;
        struct sockaddr_in6 v6;
    } name;
    socklen_t size = sizeof name;
    plx_descriptor socket = (plx_descriptor)descriptor;
    if ((is_local ? getsockname(socket, &name.any, &size) : peer_name(socket, &name.any, &size)) != 0)
        return -1;
    bool is_v4 = name.any.sa_family == AF_INET;
    if (!is_v4 && name.any.sa_family != AF_INET6)
        return 0;
    jsize length = is_v4 ? sizeof name.v4.sin_addr : sizeof name.v6.sin6_addr;
    const void *bytes = is_v4 ? (const void *)&name.v4.sin_addr : (const void *)&name.v6.sin6_addr;
    (*env)->SetByteArrayRegion(env, address, 0, length, bytes);
    return (jlong)length << 16 | ntohs(is_v4 ? name.v4.sin_port : name.v6.sin6_port);
}

NATIVE(jlong, listen)(JNIEnv *env, jclass natives, jlong arena, jint descriptor)
{
    return plx_arena_listen(arena_of(arena), descriptor);
}

NATIVE(jint, reserve)(JNIEnv *env, jclass natives, jlong arena)
{
    return plx_arena_reserve(arena_of(arena));
}

NATIVE(void, unreserve)(JNIEnv *env, jclass natives, jlong arena)
{
    plx_arena_unreserve(arena_of(arena));
}

NATIVE(jlong, adopt)
(JNIEnv *env, jclass natives, jlong arena, jint descriptor, jbyteArray bytes, jint length, jboolean is_reserved)
{
    plx_arena *to = arena_of(arena);
    jbyte *elements = length > 0 ? (*env)->GetByteArrayElements(env, bytes, NULL) : NULL;
    if (length > 0 && elements == NULL) {
        (*env)->ExceptionClear(env); /* an OutOfMemoryError perhaps: the caller has a descriptor to close */
        if (is_reserved)
            plx_arena_unreserve(to);
        return -ENOMEM;
    }
    jlong name = is_reserved ? plx_arena_adopt_reserved(to, descriptor, elements, (size_t)length)
                             : plx_arena_adopt(to, descriptor, elements, (size_t)length);
    if (elements != NULL)
        (*env)->ReleaseByteArrayElements(env, bytes, elements, JNI_ABORT);
    return name;
}

NATIVE(jlong, connect)(JNIEnv *env, jclass natives, jlong arena, jint descriptor)
{
    return plx_arena_connect(arena_of(arena), descriptor);
}

NATIVE(jint, duplicate)(JNIEnv *env, jclass natives, jint descriptor)
{
    return (jint)plx_socket_duplicate(descriptor);
}

NATIVE(jint, family)(JNIEnv *env, jclass natives, jint descriptor)
{
    int family = plx_socket_family(descriptor);
    return family == AF_INET ? 4 : family == AF_INET6 ? 6 : 0;
}

NATIVE(void, dispose)(JNIEnv *env, jclass natives, jint descriptor)
{
    plx_socket_close(descriptor);
}

NATIVE(jint, turn)(JNIEnv *env, jclass natives, jlong arena, jint orders, jlong ns)
{
    return plx_arena_turn(arena_of(arena), orders, ns);
}

NATIVE(jint, trySend)(JNIEnv *env, jclass natives, jlong arena, jlong connection, jlong address, jint length)
{
    return (jint)plx_arena_try_send(arena_of(arena), (uint64_t)connection, (const void *)(intptr_t)address,
                                    (uint32_t)length);
}

NATIVE(jint, pin)(JNIEnv *env, jclass natives, jint index)
{
    return plx_pin_thread((uint32_t)index);
}

NATIVE(void, copy)(JNIEnv *env, jclass natives, jlong address, jbyteArray bytes)
{
    jsize length = (*env)->GetArrayLength(env, bytes);
    (*env)->SetByteArrayRegion(env, bytes, 0, length, (const jbyte *)(intptr_t)address);
}

NATIVE(jint, wakeup)(JNIEnv *env, jclass natives, jlong arena)
{
    return plx_arena_wakeup(arena_of(arena));
}

NATIVE(jlong, close)(JNIEnv *env, jclass natives, jlong arena)
{
    return (jlong)(intptr_t)plx_arena_close_but_block(arena_of(arena));
}

NATIVE(void, free)(JNIEnv *env, jclass natives, jlong block)
{
    free((void *)(intptr_t)block);
}
