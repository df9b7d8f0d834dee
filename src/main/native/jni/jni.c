/* SPDX-License-Identifier: Apache-2.0
 *
 * jni.c: the native methods of dev.pollux.internal.jni.Natives.
 */
#include "jni/adapters.h"
#include "mechanism/mechanism.h"
#include "pollux.h"
#include "selector/progress.h"
#include "selector/writable.h"
#include "system/waker.h"

#include <errno.h>
#include <stdlib.h>

#define NATIVE(type, name) JNIEXPORT type JNICALL Java_dev_pollux_internal_jni_Natives_##name

static plx_set *set_of(jlong handle)
{
    return (plx_set *)(intptr_t)handle;
}

/* What builds the library for the jar says so: see version.mk. */
#ifndef PLX_BUILD
#define PLX_BUILD "(none)"
#endif

NATIVE(jstring, build)(JNIEnv *env, jclass natives)
{
    return (*env)->NewStringUTF(env, PLX_BUILD);
}

NATIVE(jstring, mechanisms)(JNIEnv *env, jclass natives)
{
    return (*env)->NewStringUTF(env, plx_mechanisms());
}

NATIVE(jlong, open)(JNIEnv *env, jclass natives, jstring mechanism)
{
    plx_set *set;
    const char *name;
    if (!plx_get_chars(env, mechanism, &name))
        return -ENOMEM;
    int code = plx_open(name, &set);
    plx_release_chars(env, mechanism, name);
    return plx_opened(code, set);
}

NATIVE(jstring, name)(JNIEnv *env, jclass natives, jlong set)
{
    return (*env)->NewStringUTF(env, plx_name(set_of(set)));
}

NATIVE(jstring, features)(JNIEnv *env, jclass natives, jlong set)
{
    return (*env)->NewStringUTF(env, plx_features(set_of(set)));
}

NATIVE(jstring, changeCall)(JNIEnv *env, jclass natives, jlong set)
{
    return (*env)->NewStringUTF(env, plx_change_call(set_of(set)));
}

NATIVE(jstring, awaitCall)(JNIEnv *env, jclass natives, jlong set)
{
    return (*env)->NewStringUTF(env, plx_await_call(set_of(set)));
}

NATIVE(jint, caps)(JNIEnv *env, jclass natives, jlong set)
{
    return (jint)plx_caps(set_of(set));
}

NATIVE(jlong, handle)(JNIEnv *env, jclass natives, jlong set)
{
    return (jlong)plx_handle(set_of(set));
}

NATIVE(jint, add)(JNIEnv *env, jclass natives, jlong set, jint fd, jint want, jlong cookie)
{
    plx_note_write(fd, false); /* what is known may be of another socket that had the number */
    return plx_add(set_of(set), fd, (uint32_t)want, (uint64_t)cookie);
}

NATIVE(jint, modify)(JNIEnv *env, jclass natives, jlong set, jint fd, jint want, jlong cookie)
{
    return plx_modify(set_of(set), fd, (uint32_t)want, (uint64_t)cookie);
}

NATIVE(jint, remove)(JNIEnv *env, jclass natives, jlong set, jint fd)
{
    return plx_remove(set_of(set), fd);
}

NATIVE(jint, await)(JNIEnv *env, jclass natives, jlong set, jlong events, jint max_events, jlong nanos)
{
    return plx_await(set_of(set), (plx_event *)(intptr_t)events, max_events, nanos);
}

NATIVE(jint, askWritable)(JNIEnv *env, jclass natives, jlong events, jint n)
{
    return plx_ask_writable((plx_event *)(intptr_t)events, n);
}

NATIVE(jboolean, isReadable)(JNIEnv *env, jclass natives, jint fd)
{
    return plx_is_readable(fd) != 0;
}

NATIVE(jboolean, interrupted)(JNIEnv *env, jclass natives, jint result)
{
    return result == -EINTR;
}

NATIVE(jboolean, isOpen)(JNIEnv *env, jclass natives, jint fd)
{
    return plx_is_open(fd) != 0;
}

NATIVE(jint, discardOutOfBand)(JNIEnv *env, jclass natives, jint fd)
{
    return plx_discard_out_of_band(fd);
}

NATIVE(jint, progress)(JNIEnv *env, jclass natives, jint fd, jlongArray counts)
{
    plx_progress progress;
    int told = plx_tell_progress(fd, &progress);
    jlong values[] = { progress.unread, progress.read, progress.written };
    (*env)->SetLongArrayRegion(env, counts, 0, 3, values);
    return told;
}

NATIVE(jint, watchQueue)(JNIEnv *env, jclass natives, jint fd)
{
    return plx_watch_queue(fd);
}

NATIVE(jlong, lookAtQueue)(JNIEnv *env, jclass natives, jint fd, jint queue)
{
    return plx_look_at_queue(fd, queue);
}

NATIVE(void, unwatchQueue)(JNIEnv *env, jclass natives, jint fd, jint queue)
{
    plx_unwatch_queue(fd, queue);
}

NATIVE(jboolean, hasDescriptorLeft)(JNIEnv *env, jclass natives, jint fd)
{
    return plx_has_descriptor_left(fd) != 0;
}

NATIVE(jint, waker)(JNIEnv *env, jclass natives, jlong set)
{
    return plx_find_waker(set_of(set));
}

NATIVE(jlong, countSignals)(JNIEnv *env, jclass natives, jint waker)
{
    return plx_waker_count(waker);
}

NATIVE(jint, wakeup)(JNIEnv *env, jclass natives, jlong set)
{
    return plx_wakeup(set_of(set));
}

NATIVE(void, close)(JNIEnv *env, jclass natives, jlong set)
{
    plx_close(set_of(set));
}

NATIVE(jstring, strerror)(JNIEnv *env, jclass natives, jint code)
{
    char text[256];
    return (*env)->NewStringUTF(env, plx_strerror(code, text, sizeof text));
}

NATIVE(jobject, newEvents)(JNIEnv *env, jclass natives, jint max_events)
{
    jlong bytes = (jlong)max_events * (jlong)sizeof(plx_event);
    void *memory = malloc((size_t)bytes);
    if (memory == NULL)
        return NULL;
    jobject buffer = (*env)->NewDirectByteBuffer(env, memory, bytes);
    if (buffer == NULL)
        free(memory); /* with an OutOfMemoryError pending */
    return buffer;
}

NATIVE(jlong, address)(JNIEnv *env, jclass natives, jobject events)
{
    return (jlong)(intptr_t)(*env)->GetDirectBufferAddress(env, events);
}

NATIVE(void, free)(JNIEnv *env, jclass natives, jlong address)
{
    free((void *)(intptr_t)address);
}
