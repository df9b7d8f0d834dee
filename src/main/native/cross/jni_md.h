/* SPDX-License-Identifier: Apache-2.0
 *
 * jni_md.h: what <jni.h> leaves to the target, for cross builds; a JDK has it for its own system only. The same on
 * every target with 64 bits: JNI's calling convention has a name of its own on 32-bit Windows only.
 */
#ifndef PLX_JNI_MD_H
#define PLX_JNI_MD_H

#ifdef _WIN32
#define JNIEXPORT __declspec(dllexport)
#define JNIIMPORT __declspec(dllimport)
#else
#define JNIEXPORT __attribute__((visibility("default")))
#define JNIIMPORT __attribute__((visibility("default")))
#endif
#define JNICALL

typedef int jint;
typedef long long jlong;
typedef signed char jbyte;

#endif
