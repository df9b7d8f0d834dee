/* SPDX-License-Identifier: Apache-2.0
 *
 * batch_jni.c: the native methods of dev.pollux.internal.jni.BatchNatives. Adapters only.
 */
#include "batch/batch.h"
#include "pollux.h"

#include <jni.h>

#define NATIVE(type, name) JNIEXPORT type JNICALL Java_dev_pollux_internal_jni_BatchNatives_##name

NATIVE(jstring, obstacle)(JNIEnv *env, jclass type)
{
    (void)type;
#ifdef PLX_HAVE_BATCH
    const char *why = plx_batch_obstacle();
    return why == NULL ? NULL : (*env)->NewStringUTF(env, why);
#else
    return (*env)->NewStringUTF(env, "it is for Linux on x86-64 alone");
#endif
}

#ifdef PLX_HAVE_BATCH
static plx_batch *batch_of(jlong handle)
{
    return (plx_batch *)(intptr_t)handle;
}
#endif

NATIVE(jlong, open)(JNIEnv *env, jclass type, jboolean receives)
{
    (void)env, (void)type;
#ifdef PLX_HAVE_BATCH
    plx_batch *batch;
    int code = plx_batch_open(receives != JNI_FALSE, &batch);
    return code < 0 ? code : (jlong)(intptr_t)batch;
#else
    (void)receives;
    return -1;
#endif
}

NATIVE(void, close)(JNIEnv *env, jclass type, jlong batch)
{
    (void)env, (void)type;
#ifdef PLX_HAVE_BATCH
    plx_batch_close(batch_of(batch));
#else
    (void)batch;
#endif
}

NATIVE(void, adopt)(JNIEnv *env, jclass type, jlong batch, jint fd)
{
    (void)env, (void)type;
#ifdef PLX_HAVE_BATCH
    plx_batch_adopt(batch_of(batch), fd);
#else
    (void)batch, (void)fd;
#endif
}

NATIVE(void, release)(JNIEnv *env, jclass type, jint fd)
{
    (void)env, (void)type;
#ifdef PLX_HAVE_BATCH
    plx_batch_release(fd);
#else
    (void)fd;
#endif
}

NATIVE(jboolean, endTurn)(JNIEnv *env, jclass type, jlong batch, jboolean defers)
{
    (void)env, (void)type;
#ifdef PLX_HAVE_BATCH
    return plx_batch_end_turn(batch_of(batch), defers != JNI_FALSE ? env : NULL);
#else
    (void)batch, (void)defers;
    return JNI_FALSE;
#endif
}

NATIVE(jint, beginTurn)(JNIEnv *env, jclass type, jlong batch, jlong events, jint n, jint max_events)
{
    (void)env, (void)type;
#ifdef PLX_HAVE_BATCH
    return plx_batch_begin_turn(batch_of(batch), (plx_event *)(intptr_t)events, n, max_events);
#else
    (void)batch, (void)events, (void)max_events;
    return n;
#endif
}

NATIVE(void, watch)(JNIEnv *env, jclass type, jlong batch, jint fd, jint want, jlong cookie)
{
    (void)env, (void)type;
#ifdef PLX_HAVE_BATCH
    plx_batch_watch(batch_of(batch), fd, (uint32_t)want, (uint64_t)cookie);
#else
    (void)batch, (void)fd, (void)want, (void)cookie;
#endif
}

NATIVE(void, counts)(JNIEnv *env, jclass type, jlong batch, jlongArray counts, jint offset, jint count)
{
    (void)type;
#ifdef PLX_HAVE_BATCH
    plx_batch_counts now = batch_of(batch)->counts;
    jint all = sizeof now / sizeof(jlong);
    (*env)->SetLongArrayRegion(env, counts, offset, count < all ? count : all, (const jlong *)&now);
#else
    (void)env, (void)batch, (void)counts, (void)offset, (void)count;
#endif
}

NATIVE(jboolean, isActive)(JNIEnv *env, jclass type, jlong batch)
{
    (void)env, (void)type;
#ifdef PLX_HAVE_BATCH
    return batch_of(batch)->is_active;
#else
    (void)batch;
    return JNI_FALSE;
#endif
}
