/* SPDX-License-Identifier: Apache-2.0
 *
 * jdk.c: the native methods of dev.pollux.internal.jdk.JdkNatives, which reach members of the JDK that Java may not:
 * JNI is not subject to access checks. Adapters only: a member that this JDK lacks is the NoSuchFieldError or
 * NoSuchMethodError of the look-up, and what the JDK's own code throws goes through; nothing is remembered.
 */
#include "jni/adapters.h"

#ifdef __linux__
#include <sys/mman.h>
#include <unistd.h>
#endif

#define NATIVE(type, name) JNIEXPORT type JNICALL Java_dev_pollux_internal_jdk_JdkNatives_##name

/* What Module.implAddOpens ends in, once the VM knows: exports of (base, to) is a Map that has TRUE for the package.
 * Written by hand, since that method has the first lambdas of most programs, which take the VM some milliseconds. */
static bool note_open(JNIEnv *env, jobject base, jobject to, jstring package)
{
    jclass data = (*env)->FindClass(env, "java/lang/Module$ReflectionData");
    jfieldID exports = data == NULL ? NULL : (*env)->GetStaticFieldID(env, data, "exports", "Ljava/lang/WeakPairMap;");
    jclass pairs = exports == NULL ? NULL : (*env)->FindClass(env, "java/lang/WeakPairMap");
    jmethodID put_pair =
        pairs == NULL
            ? NULL
            : (*env)->GetMethodID(env, pairs, "putIfAbsent",
                                  "(Ljava/lang/Object;Ljava/lang/Object;Ljava/lang/Object;)Ljava/lang/Object;");
    jclass type = put_pair == NULL ? NULL : (*env)->FindClass(env, "java/util/concurrent/ConcurrentHashMap");
    jmethodID make = type == NULL ? NULL : (*env)->GetMethodID(env, type, "<init>", "()V");
    jmethodID put = make == NULL ? NULL
                                 : (*env)->GetMethodID(env, type, "put",
                                                       "(Ljava/lang/Object;Ljava/lang/Object;)Ljava/lang/Object;");
    jclass boolean = put == NULL ? NULL : (*env)->FindClass(env, "java/lang/Boolean");
    jfieldID yes = boolean == NULL ? NULL : (*env)->GetStaticFieldID(env, boolean, "TRUE", "Ljava/lang/Boolean;");
    if (yes == NULL)
        return false;
    jobject fresh = (*env)->NewObject(env, type, make);
    if (fresh == NULL)
        return false;
    jobject all = (*env)->GetStaticObjectField(env, data, exports);
    jobject known = (*env)->CallObjectMethod(env, all, put_pair, base, to, fresh);
    if ((*env)->ExceptionCheck(env) || (known != NULL && !(*env)->IsInstanceOf(env, known, type)))
        return false;
    (*env)->CallObjectMethod(env, known == NULL ? fresh : known, put, package,
                             (*env)->GetStaticObjectField(env, boolean, yes));
    return !(*env)->ExceptionCheck(env);
}

/* First the VM: if that fails, Java must not believe it. */
static bool open_without_lambdas(JNIEnv *env, jclass module, jobject base, jobject to, jstring package)
{
    jmethodID add_exports = (*env)->GetStaticMethodID(env, module, "addExports0",
                                                      "(Ljava/lang/Module;Ljava/lang/String;Ljava/lang/Module;)V");
    if (add_exports == NULL)
        return false;
    (*env)->CallStaticVoidMethod(env, module, add_exports, base, package, to);
    return !(*env)->ExceptionCheck(env) && note_open(env, base, to, package);
}

/* java.lang.Module.implAddOpens(String, Module) is what --add-opens ends in. The package is open to reflection too:
 * frameworks that put their own set of selected keys into a selector find it so, as they would with the flag. */
NATIVE(jint, openChannels)(JNIEnv *env, jclass natives, jobject base, jobject to)
{
    jclass module = (*env)->GetObjectClass(env, base);
    jstring package = (*env)->NewStringUTF(env, "sun.nio.ch");
    if (package == NULL || open_without_lambdas(env, module, base, to, package))
        return 0;
    (*env)->ExceptionClear(env); /* another JDK */
    jmethodID add_opens = (*env)->GetMethodID(env, module, "implAddOpens", "(Ljava/lang/String;Ljava/lang/Module;)V");
    if (add_opens == NULL) {
        (*env)->ExceptionClear(env); /* NoSuchMethodError: a JDK that has no such method */
        return -1;
    }
    (*env)->CallVoidMethod(env, base, add_opens, package, to);
    return 0;
}

NATIVE(jobject, trustedLookup)(JNIEnv *env, jclass natives, jclass lookup)
{
    jfieldID trusted = (*env)->GetStaticFieldID(env, lookup, "IMPL_LOOKUP", "Ljava/lang/invoke/MethodHandles$Lookup;");
    return trusted == NULL ? NULL : (*env)->GetStaticObjectField(env, lookup, trusted);
}

/* The types are of (provider[, family][, true]): further arguments than the constructor takes are not looked at. */
NATIVE(jobject, newChannel)(JNIEnv *env, jclass natives, jclass type, jstring types, jobject provider, jobject family)
{
    const char *signature = (*env)->GetStringUTFChars(env, types, NULL);
    if (signature == NULL)
        return NULL;
    jmethodID constructor = (*env)->GetMethodID(env, type, "<init>", signature);
    (*env)->ReleaseStringUTFChars(env, types, signature);
    if (constructor == NULL)
        return NULL;
    jvalue arguments[3] = { { .l = provider }, { .z = JNI_TRUE }, { .z = JNI_TRUE } };
    if (family != NULL)
        arguments[1].l = family;
    return (*env)->NewObjectA(env, type, constructor, arguments);
}

NATIVE(jobject, inheritedChannel)(JNIEnv *env, jclass natives, jclass type)
{
    jmethodID get = (*env)->GetStaticMethodID(env, type, "getChannel", "()Ljava/nio/channels/Channel;");
    return get == NULL ? NULL : (*env)->CallStaticObjectMethod(env, type, get);
}

/* Both fields are final. JDK 26 and later refuse to set such fields by reflection (JEP 500). */
NATIVE(void, setSelectedKeys)(JNIEnv *env, jclass natives, jclass type, jobject selector, jobject keys, jobject view)
{
    jfieldID keys_field = (*env)->GetFieldID(env, type, "selectedKeys", "Ljava/util/Set;");
    if (keys_field == NULL)
        return;
    jfieldID view_field = (*env)->GetFieldID(env, type, "publicSelectedKeys", "Ljava/util/Set;");
    if (view_field == NULL)
        return;
    (*env)->SetObjectField(env, selector, view_field, view);
    (*env)->SetObjectField(env, selector, keys_field, keys);
}

NATIVE(jobject, socketImpl)(JNIEnv *env, jclass natives, jclass type, jobject socket)
{
    jfieldID impl = (*env)->GetFieldID(env, type, "impl", "Ljava/net/SocketImpl;");
    return impl == NULL ? NULL : (*env)->GetObjectField(env, socket, impl);
}

NATIVE(jobject, fileDescriptor)(JNIEnv *env, jclass natives, jclass type, jobject impl)
{
    jmethodID get = (*env)->GetMethodID(env, type, "getFileDescriptor", "()Ljava/io/FileDescriptor;");
    return get == NULL ? NULL : (*env)->CallObjectMethod(env, impl, get);
}

NATIVE(jint, number)(JNIEnv *env, jclass natives, jobject descriptor)
{
    jclass type = (*env)->GetObjectClass(env, descriptor); /* a final class */
    jfieldID fd = (*env)->GetFieldID(env, type, "fd", "I");
    return fd == NULL ? -1 : (*env)->GetIntField(env, descriptor, fd);
}

NATIVE(jobject, delegate)(JNIEnv *env, jclass natives, jclass type, jobject socket)
{
    jmethodID get = (*env)->GetMethodID(env, type, "delegate", "()Ljava/net/DatagramSocket;");
    return get == NULL ? NULL : (*env)->CallObjectMethod(env, socket, get);
}

/* The system takes back the pages that a buffer has for itself. Without that the C library keeps for its next use what
 * lies between others: hundreds of megabytes, after some waves of slow peers. */
static void release_pages(void *memory, jlong size)
{
#ifdef __linux__ /* elsewhere, the constant has another meaning */
    uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
    uintptr_t first = ((uintptr_t)memory + page - 1) / page * page;
    uintptr_t end = ((uintptr_t)memory + (uintptr_t)size) / page * page;
    if (memory != NULL && first < end)
        madvise((void *)first, end - first, MADV_DONTNEED);
#endif
}

NATIVE(void, free)(JNIEnv *env, jclass natives, jobject buffer)
{
    jclass type = (*env)->FindClass(env, "jdk/internal/misc/Unsafe");
    if (type == NULL)
        return;
    jmethodID get = (*env)->GetStaticMethodID(env, type, "getUnsafe", "()Ljdk/internal/misc/Unsafe;");
    if (get == NULL)
        return;
    jmethodID invoke_cleaner = (*env)->GetMethodID(env, type, "invokeCleaner", "(Ljava/nio/ByteBuffer;)V");
    if (invoke_cleaner == NULL)
        return;
    jobject unsafe = (*env)->CallStaticObjectMethod(env, type, get);
    if ((*env)->ExceptionCheck(env))
        return;
    release_pages((*env)->GetDirectBufferAddress(env, buffer), (*env)->GetDirectBufferCapacity(env, buffer));
    (*env)->CallVoidMethod(env, unsafe, invoke_cleaner, buffer);
}
