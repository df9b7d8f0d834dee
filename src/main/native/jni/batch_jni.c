/* SPDX-License-Identifier: Apache-2.0
 *
 * batch_jni.c: the native methods of dev.pollux.internal.jni.BatchNatives.
 */
#include "batch/batch.h"
#include "jni/adapters.h"
#include "pollux.h"
#include <stdlib.h>

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

NATIVE(jlong, open)(JNIEnv *env, jclass type)
{
    plx_batch *batch;
    int code = plx_batch_open(&batch);
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

NATIVE(jint, endTurn)(JNIEnv *env, jclass type, jlong batch, jboolean defers)
{
    return plx_batch_end_turn(batch_of(batch), defers != JNI_FALSE ? env : NULL);
}

NATIVE(jbyteArray, takeOwed)(JNIEnv *env, jclass type, jint fd)
{
    plx_stream *stream = plx_stream_of(fd);
    char *bytes;
    long length = stream == NULL ? 0 : plx_stream_take_owed(stream, fd, &bytes);
    if (length <= 0)
        return NULL;
    jbyteArray owed = (*env)->NewByteArray(env, (jsize)length);
    if (owed != NULL)
        (*env)->SetByteArrayRegion(env, owed, 0, (jsize)length, (const jbyte *)bytes);
    free(bytes);
    return owed;
}

NATIVE(void, counts)(JNIEnv *env, jclass type, jlong batch, jlongArray counts, jint offset, jint count)
{
    plx_batch_counts now;
    plx_batch_count(batch_of(batch), &now);
    jint all = sizeof now / sizeof(jlong);
    (*env)->SetLongArrayRegion(env, counts, offset, count < all ? count : all, (const jlong *)&now);
}

NATIVE(jboolean, isActive)(JNIEnv *env, jclass type, jlong batch)
{
    return batch_of(batch)->is_active;
}
#endif
