/* SPDX-License-Identifier: Apache-2.0
 *
 * calls_setup.c: the native methods of dev.pollux.internal.jdk.SocketCalls, which put those of calls.c in the place of
 * the JDK's. Nothing here throws but an OutOfMemoryError.
 */
#include "calls/calls.h"
#include "system/rawcall.h"

#define NATIVE(type, name) JNIEXPORT type JNICALL Java_dev_pollux_internal_jdk_SocketCalls_##name

#ifdef PLX_RAW_CALLS
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

/* Before glibc 2.34 calls that end with a thread's cancellation are in libpthread. */
static bool is_of_libpthread(const Dl_info *info)
{
    const char *slash = strrchr(info->dli_fname, '/');
    const char *file = slash == NULL ? info->dli_fname : slash + 1;
    return strncmp(file, "libpthread.so", 13) == 0 || strncmp(file, "libpthread-2.", 13) == 0;
}

/* The first call that another library has replaced, or NULL. Libraries that move sockets into user space, or lead them
 * through a proxy, preload their own. regcomp(3) tells where the C library is; no one replaces that. */
static const char *foreign_call(void)
{
    static const char *const names[] = { "read",   "write",   "readv",   "writev", "recv",       "recvfrom", "send",
                                         "sendto", "recvmsg", "sendmsg", "poll",   "epoll_wait", "epoll_ctl" };
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    return NULL; /* a sanitizer's own lead to the C library */
#endif
    Dl_info libc;
    if (dladdr(dlsym(RTLD_DEFAULT, "regcomp"), &libc) == 0)
        return "regcomp";
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        Dl_info info;
        void *symbol = dlsym(RTLD_DEFAULT, names[i]);
        if (symbol == NULL || dladdr(symbol, &info) == 0 || info.dli_fname == NULL ||
            (info.dli_fbase != libc.dli_fbase && !is_of_libpthread(&info)))
            return names[i];
    }
    return NULL;
}

static void *symbol_of(void *library, const char *name)
{
    return library == NULL ? NULL : dlsym(library, name);
}

static void *library_of_jdk(JNIEnv *env, jstring folder, const char *name, int mode)
{
    char path[4096];
    const char *text = (*env)->GetStringUTFChars(env, folder, NULL);
    if (text == NULL)
        return NULL;
    int length = snprintf(path, sizeof path, "%s/%s", text, name);
    (*env)->ReleaseStringUTFChars(env, folder, text);
    return length < (int)sizeof path ? dlopen(path, mode) : NULL;
}

/* libjava is loaded as long as the virtual machine is. */
static bool find_members(JNIEnv *env, jstring folder)
{
    void *library = library_of_jdk(env, folder, "libjava.so", RTLD_LAZY | RTLD_NOLOAD);
    jclass type = library == NULL ? NULL : (*env)->FindClass(env, "java/io/FileDescriptor");
    if (type == NULL)
        return false;
    plx_jdk.descriptor = (*env)->GetFieldID(env, type, "fd", "I");
    *(void **)&plx_jdk.throw_by_name = symbol_of(library, "JNU_ThrowByName");
    *(void **)&plx_jdk.throw_last_error = symbol_of(library, "JNU_ThrowByNameWithLastError");
    return plx_jdk.descriptor != NULL && plx_jdk.throw_by_name != NULL && plx_jdk.throw_last_error != NULL;
}

/* The JDK's classes live longer than the class loader that this library was loaded for. musl never unloads any. */
static bool stay_in_memory(void)
{
#ifdef __GLIBC__
    Dl_info us;
    if (dladdr((void *)&plx_jdk, &us) == 0)
        return false;
    void *library = dlopen(us.dli_fname, RTLD_LAZY | RTLD_NOLOAD | RTLD_NODELETE);
    Dl_info found; /* another file may have had the same name */
    void *symbol = symbol_of(library, "Java_dev_pollux_internal_jdk_SocketCalls_prepare");
    return symbol != NULL && dladdr(symbol, &found) != 0 && found.dli_fbase == us.dli_fbase;
#else
    return true;
#endif
}

static bool are_deferring;

static plx_call chosen[PLX_CALLS + PLX_DEFERRING_CALLS];
static size_t chosen_count;
static bool in_place[PLX_CALLS + PLX_DEFERRING_CALLS];

static size_t place_of(const plx_call *call)
{
    size_t i = 0;
    while (i < chosen_count && (strcmp(chosen[i].owner, call->owner) != 0 || strcmp(chosen[i].name, call->name) != 0))
        i++;
    return i;
}

static void choose(void)
{
    memcpy(chosen, plx_calls, sizeof plx_calls);
    chosen_count = PLX_CALLS;
    for (size_t k = 0; are_deferring && k < PLX_DEFERRING_CALLS; k++) {
        size_t i = place_of(&plx_deferring_calls[k]);
        chosen[i] = plx_deferring_calls[k];
        chosen_count += i == chosen_count;
    }
}

static const char *obstacle(JNIEnv *env, bool is_forced, jstring folder)
{
    static char text[96];
    plx_syscall_setup();
    if (!(is_forced ? plx_returns_assume_spoilt() : plx_returns_spoilt) && !are_deferring)
        return plx_returns_evidence();
    const char *foreign = foreign_call();
    if (foreign != NULL) {
        snprintf(text, sizeof text, "%s(2) of the C library is replaced by another library", foreign);
        return text;
    }
    if (!find_members(env, folder))
        return "this JDK's libjava lacks what is needed to throw its exceptions";
    if (are_deferring && !plx_find_originals(library_of_jdk(env, folder, "libnio.so", RTLD_LAZY)))
        return "this JDK's libnio lacks methods that the batch needs";
    choose();
    return stay_in_memory() ? NULL : "the library can't be kept in memory";
}

/* Files are read and written by the methods of FileDispatcherImpl, which on older JDKs serve sockets too. They are left
 * alone where SocketDispatcher has its own. */
static bool concerns_files_alone(size_t i)
{
    return strcmp(chosen[i].owner, "FileDispatcherImpl") == 0 && i < PLX_CALLS && in_place[PLX_SOCKET_WRITE];
}

static bool replace(JNIEnv *env, jclass owner, size_t i)
{
    JNINativeMethod method = { (char *)(intptr_t)chosen[i].name, (char *)(intptr_t)chosen[i].signature, NULL };
    if (chosen[i].function == NULL)
        return false;
    *(void (**)(void)) & method.fnPtr = chosen[i].function;
    return (*env)->RegisterNatives(env, owner, &method, 1) == 0;
}

/* One class after the other. What it lacks, or what can't be replaced, stays as it is. */
NATIVE(jobject, apply)(JNIEnv *env, jobject self, jobject class_name, jobject owner)
{
    const char *name = (*env)->GetStringUTFChars(env, class_name, NULL);
    if (name == NULL)
        return NULL;
    for (size_t i = 0; i < chosen_count; i++) {
        if (strcmp(chosen[i].owner, name) == 0 && !concerns_files_alone(i)) {
            in_place[i] = replace(env, owner, i);
            (*env)->ExceptionClear(env); /* NoSuchMethodError */
        }
    }
    (*env)->ReleaseStringUTFChars(env, class_name, name);
    return NULL;
}

NATIVE(jstring, evidence)(JNIEnv *env, jclass type)
{
    return (*env)->NewStringUTF(env, plx_returns_evidence());
}
#endif

NATIVE(jstring, names)(JNIEnv *env, jclass type, jboolean replaced)
{
    char text[2048] = "";
#ifdef PLX_RAW_CALLS
    size_t length = 0;
    for (size_t i = 0; i < chosen_count; i++) {
        if (in_place[i] == (replaced != JNI_FALSE) && length < sizeof text)
            length += (size_t)snprintf(text + length, sizeof text - length, "%s%s.%s", length == 0 ? "" : ", ",
                                       chosen[i].owner, chosen[i].name);
    }
#endif
    return (*env)->NewStringUTF(env, text);
}

NATIVE(jstring, prepare)(JNIEnv *env, jclass type, jboolean forced, jboolean deferring, jstring folder)
{
#ifdef PLX_RAW_CALLS
    are_deferring = deferring != JNI_FALSE;
    const char *why = obstacle(env, forced != JNI_FALSE, folder);
    (*env)->ExceptionClear(env);
    return why == NULL ? NULL : (*env)->NewStringUTF(env, why);
#else
    return (*env)->NewStringUTF(env, "returns can be covered on Linux on x86-64 alone");
#endif
}
