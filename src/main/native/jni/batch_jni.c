/* SPDX-License-Identifier: Apache-2.0
 *
 * batch_jni.c: the native methods of dev.pollux.internal.jni.BatchNatives.
 */
#include "batch/batch.h"
#include "jni/adapters.h"
#include "pollux.h"

#define NATIVE(type, name) JNIEXPORT type JNICALL Java_dev_pollux_internal_jni_BatchNatives_##name

NATIVE(jstring, obstacle)(JNIEnv *env, jclass type)
{
#ifdef PLX_HAVE_BATCH
    const char *why = plx_batch_obstacle();
    return why == NULL ? NULL : (*env)->NewStringUTF(env, why);
#else
    return (*env)->NewStringUTF(env, "it is for Linux on x86-64 alone");
#endif
}

#ifdef PLX_HAVE_BATCH /* elsewhere nothing has a batch to call these for */
static plx_batch *batch_of(jlong handle)
{
    return (plx_batch *)(intptr_t)handle;
}

NATIVE(jlong, open)(JNIEnv *env, jclass type, jboolean receives)
{
    plx_batch *batch;
    int code = plx_batch_open(receives != JNI_FALSE, &batch);
    return plx_opened(code, batch);
}

NATIVE(void, close)(JNIEnv *env, jclass type, jlong batch)
{
    plx_batch_close(batch_of(batch));
}

NATIVE(void, adopt)(JNIEnv *env, jclass type, jlong batch, jint fd)
{
    plx_batch_adopt(batch_of(batch), fd);
}

NATIVE(void, release)(JNIEnv *env, jclass type, jint fd)
{
    plx_batch_release(fd);
}

NATIVE(jboolean, endTurn)(JNIEnv *env, jclass type, jlong batch, jboolean defers)
{
    return plx_batch_end_turn(batch_of(batch), defers != JNI_FALSE ? env : NULL);
}

NATIVE(jint, beginTurn)(JNIEnv *env, jclass type, jlong batch, jlong events, jint n, jint max_events)
{
    return plx_batch_begin_turn(batch_of(batch), (plx_event *)(intptr_t)events, n, max_events);
}

NATIVE(void, watch)(JNIEnv *env, jclass type, jlong batch, jint fd, jint want, jlong cookie)
{
    plx_batch_watch(batch_of(batch), fd, (uint32_t)want, (uint64_t)cookie);
}

NATIVE(void, counts)(JNIEnv *env, jclass type, jlong batch, jlongArray counts, jint offset, jint count)
{
    plx_batch_counts now = batch_of(batch)->counts;
    jint all = sizeof now / sizeof(jlong);
    (*env)->SetLongArrayRegion(env, counts, offset, count < all ? count : all, (const jlong *)&now);
}

NATIVE(jboolean, isActive)(JNIEnv *env, jclass type, jlong batch)
{
    return batch_of(batch)->is_active;
}
#endif
