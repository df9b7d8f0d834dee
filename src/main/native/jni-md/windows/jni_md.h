/* SPDX-License-Identifier: Apache-2.0
 *
 * jni_md.h: what jni.h leaves to the platform, for Windows: the JDK that builds has its own platform's only.
 */
#ifndef PLX_JNI_MD_H
#define PLX_JNI_MD_H

#define JNIEXPORT __declspec(dllexport)
#define JNIIMPORT __declspec(dllimport)
#define JNICALL __stdcall

typedef int jint;
typedef long long jlong;
typedef signed char jbyte;

#endif
