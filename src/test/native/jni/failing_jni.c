/* SPDX-License-Identifier: Apache-2.0
 *
 * failing_jni.c: the native methods of dev.pollux.lab.FailingJni. It stands in for the functions of JNI that allocate,
 * by which the nth call of a thread fails, be it of the library under test or of the JDK's own.
 */
#include <jvmti.h>
#include <stddef.h>

/* The functions as they were. */
static jniNativeInterface *real;
static jclass out_of_memory;

/* How many more calls of this thread there are until one fails; 0 or less: none will. */
static _Thread_local jint left;

static int fails(JNIEnv *env)
{
    if (left <= 0 || --left > 0)
        return 0;
    real->ThrowNew(env, out_of_memory, "on purpose: a function of JNI");
    return 1;
}

/* Those with arguments of their own beside the environment. */
#define STANDS_IN(type, name, parameters, ...)                                                                         \
    static type JNICALL name parameters { return fails(env) ? NULL : real->name(env, __VA_ARGS__); }

STANDS_IN(jobject, AllocObject, (JNIEnv * env, jclass type), type)
STANDS_IN(jobject, NewObjectA, (JNIEnv * env, jclass type, jmethodID constructor, const jvalue *arguments), type,
          constructor, arguments)
STANDS_IN(jobject, NewObjectV, (JNIEnv * env, jclass type, jmethodID constructor, va_list arguments), type,
          constructor, arguments)
STANDS_IN(jstring, NewString, (JNIEnv * env, const jchar *text, jsize length), text, length)
STANDS_IN(jstring, NewStringUTF, (JNIEnv * env, const char *text), text)
STANDS_IN(const char *, GetStringUTFChars, (JNIEnv * env, jstring text, jboolean *is_copy), text, is_copy)
STANDS_IN(jbyteArray, NewByteArray, (JNIEnv * env, jsize length), length)
STANDS_IN(jbyte *, GetByteArrayElements, (JNIEnv * env, jbyteArray array, jboolean *is_copy), array, is_copy)
STANDS_IN(jobjectArray, NewObjectArray, (JNIEnv * env, jsize length, jclass type, jobject element), length, type,
          element)
STANDS_IN(jobject, NewDirectByteBuffer, (JNIEnv * env, void *address, jlong size), address, size)

static jobject JNICALL NewObject(JNIEnv *env, jclass type, jmethodID constructor, ...)
{
    va_list arguments;
    va_start(arguments, constructor);
    jobject made = NewObjectV(env, type, constructor, arguments);
    va_end(arguments);
    return made;
}

JNIEXPORT jint JNICALL JNI_OnLoad(JavaVM *vm, void *reserved)
{
    JNIEnv *env;
    jvmtiEnv *ti;
    jniNativeInterface *table;
    (void)reserved;
    if ((*vm)->GetEnv(vm, (void **)&env, JNI_VERSION_10) != JNI_OK
        || (*vm)->GetEnv(vm, (void **)&ti, JVMTI_VERSION_1_2) != JNI_OK
        || (*ti)->GetJNIFunctionTable(ti, &real) != JVMTI_ERROR_NONE
        || (*ti)->GetJNIFunctionTable(ti, &table) != JVMTI_ERROR_NONE)
        return JNI_ERR;
    jclass error = (*env)->FindClass(env, "java/lang/OutOfMemoryError");
    out_of_memory = error == NULL ? NULL : (*env)->NewGlobalRef(env, error);
    if (out_of_memory == NULL)
        return JNI_ERR;
    table->AllocObject = AllocObject;
    table->NewObject = NewObject;
    table->NewObjectA = NewObjectA;
    table->NewObjectV = NewObjectV;
    table->NewString = NewString;
    table->NewStringUTF = NewStringUTF;
    table->GetStringUTFChars = GetStringUTFChars;
    table->NewByteArray = NewByteArray;
    table->GetByteArrayElements = GetByteArrayElements;
    table->NewObjectArray = NewObjectArray;
    table->NewDirectByteBuffer = NewDirectByteBuffer;
    return (*ti)->SetJNIFunctionTable(ti, table) == JVMTI_ERROR_NONE ? JNI_VERSION_10 : JNI_ERR;
}

JNIEXPORT void JNICALL Java_dev_pollux_lab_FailingJni_failAt(JNIEnv *env, jclass type, jint nth)
{
    (void)env;
    (void)type;
    left = nth;
}

JNIEXPORT jint JNICALL Java_dev_pollux_lab_FailingJni_left(JNIEnv *env, jclass type)
{
    (void)env;
    (void)type;
    return left;
}
