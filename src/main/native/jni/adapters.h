/* SPDX-License-Identifier: Apache-2.0
 *
 * adapters.h: what the files of native methods share. Adapters only: values go through as they are, a failure is a
 * negative code; nothing throws.
 */
#ifndef PLX_ADAPTERS_H
#define PLX_ADAPTERS_H

#include <jni.h>
#include <stdbool.h>
#include <stdint.h>

/* Java prescribes the parameters, and few methods need them all. */
#pragma GCC diagnostic ignored "-Wunused-parameter"

/* Reads a string, NULL for null. False: there is no memory, and an OutOfMemoryError is pending. */
static inline bool plx_get_chars(JNIEnv *env, jstring string, const char **chars)
{
    *chars = string == NULL ? NULL : (*env)->GetStringUTFChars(env, string, NULL);
    return *chars != NULL || string == NULL;
}

static inline void plx_release_chars(JNIEnv *env, jstring string, const char *chars)
{
    if (chars != NULL)
        (*env)->ReleaseStringUTFChars(env, string, chars);
}

/* What a method that opens something returns. */
static inline jlong plx_opened(int code, const void *opened)
{
    return code < 0 ? code : (jlong)(intptr_t)opened;
}

#endif
