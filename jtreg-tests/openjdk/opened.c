/* SPDX-License-Identifier: Apache-2.0
 *
 * opened: a JVM TI agent that writes one line for every selector a VM opens.
 *
 * A breakpoint on the constructor of java.nio.channels.spi.AbstractSelector is reached once for
 * each selector, whoever opened it. Each line is written at once with O_APPEND, so that the count
 * is right even for a VM that is killed. The agent also puts a jar on the system class path, as an
 * application's start script would: -agentpath:opened.so=LOGFILE[,JAR].
 *
 * Line: pid, class of SelectorProvider.provider(), class of the selector (tab-separated).
 */
#include <fcntl.h>
#include <jvmti.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MAX_DEPTH = 16, MAX_NAME = 256 };

static const char TARGET[] = "Ljava/nio/channels/spi/AbstractSelector;";
static int log_fd = -1;

static void fail(const char *what, int code)
{
    fprintf(stderr, "opened: %s failed with %d\n", what, code);
    exit(70);
}

static void check(jvmtiError error, const char *what)
{
    if (error != JVMTI_ERROR_NONE)
        fail(what, (int)error);
}

static void class_name(jvmtiEnv *ti, jclass cls, char *to)
{
    char *signature = NULL;
    if (cls == NULL || (*ti)->GetClassSignature(ti, cls, &signature, NULL) != JVMTI_ERROR_NONE) {
        strcpy(to, "?");
        return;
    }
    /* Lsun/nio/ch/X; becomes sun.nio.ch.X */
    size_t n = strlen(signature) - 2;
    if (n >= MAX_NAME)
        n = MAX_NAME - 1;
    for (size_t i = 0; i < n; i++)
        to[i] = signature[i + 1] == '/' ? '.' : signature[i + 1];
    to[n] = '\0';
    (*ti)->Deallocate(ti, (unsigned char *)signature);
}

/* The constructors of one object stand on top of each other: the last of them is the object's own class. */
static void selector_class(jvmtiEnv *ti, jthread thread, char *to)
{
    jvmtiFrameInfo frames[MAX_DEPTH];
    jint count = 0;
    jclass owner = NULL;
    check((*ti)->GetStackTrace(ti, thread, 0, MAX_DEPTH, frames, &count), "GetStackTrace");
    for (jint i = 0; i < count; i++) {
        char *name = NULL;
        check((*ti)->GetMethodName(ti, frames[i].method, &name, NULL, NULL), "GetMethodName");
        int constructor = strcmp(name, "<init>") == 0;
        (*ti)->Deallocate(ti, (unsigned char *)name);
        if (!constructor)
            break;
        check((*ti)->GetMethodDeclaringClass(ti, frames[i].method, &owner), "GetMethodDeclaringClass");
    }
    class_name(ti, owner, to);
}

static void provider_class(jvmtiEnv *ti, JNIEnv *jni, char *to)
{
    jclass spi = (*jni)->FindClass(jni, "java/nio/channels/spi/SelectorProvider");
    jmethodID get = spi == NULL ? NULL : (*jni)->GetStaticMethodID(jni, spi, "provider",
        "()Ljava/nio/channels/spi/SelectorProvider;");
    jobject provider = get == NULL ? NULL : (*jni)->CallStaticObjectMethod(jni, spi, get);
    (*jni)->ExceptionClear(jni);
    class_name(ti, provider == NULL ? NULL : (*jni)->GetObjectClass(jni, provider), to);
}

static void JNICALL on_constructor(jvmtiEnv *ti, JNIEnv *jni, jthread thread, jmethodID method, jlocation at)
{
    char provider[MAX_NAME], selector[MAX_NAME], line[2 * MAX_NAME + 32];
    (void)method;
    (void)at;
    if ((*jni)->PushLocalFrame(jni, 2 * MAX_DEPTH) != 0)
        fail("PushLocalFrame", 0);
    selector_class(ti, thread, selector);
    provider_class(ti, jni, provider);
    (*jni)->PopLocalFrame(jni, NULL);
    int n = snprintf(line, sizeof line, "%ld\t%s\t%s\n", (long)getpid(), provider, selector);
    if (write(log_fd, line, (size_t)n) != n)
        fail("writing the log", n);
}

static void set_breakpoint(jvmtiEnv *ti, jclass cls)
{
    jint count = 0;
    jmethodID *methods = NULL;
    check((*ti)->GetClassMethods(ti, cls, &count, &methods), "GetClassMethods");
    for (jint i = 0; i < count; i++) {
        char *name = NULL;
        check((*ti)->GetMethodName(ti, methods[i], &name, NULL, NULL), "GetMethodName");
        if (strcmp(name, "<init>") == 0)
            check((*ti)->SetBreakpoint(ti, methods[i], 0), "SetBreakpoint");
        (*ti)->Deallocate(ti, (unsigned char *)name);
    }
    (*ti)->Deallocate(ti, (unsigned char *)methods);
}

static void JNICALL on_prepare(jvmtiEnv *ti, JNIEnv *jni, jthread thread, jclass cls)
{
    char *signature = NULL;
    (void)jni;
    (void)thread;
    check((*ti)->GetClassSignature(ti, cls, &signature, NULL), "GetClassSignature");
    int found = strcmp(signature, TARGET) == 0;
    (*ti)->Deallocate(ti, (unsigned char *)signature);
    if (found) {
        set_breakpoint(ti, cls);
        check((*ti)->SetEventNotificationMode(ti, JVMTI_DISABLE, JVMTI_EVENT_CLASS_PREPARE, NULL), "disable");
    }
}

static void listen(jvmtiEnv *ti)
{
    jvmtiCapabilities wanted = {.can_generate_breakpoint_events = 1};
    jvmtiEventCallbacks callbacks = {.ClassPrepare = on_prepare, .Breakpoint = on_constructor};
#ifdef VIRTUAL_THREADS /* the member exists from JDK 21 on; without it their breakpoints go unreported */
    wanted.can_support_virtual_threads = 1;
#endif
    check((*ti)->AddCapabilities(ti, &wanted), "AddCapabilities");
    check((*ti)->SetEventCallbacks(ti, &callbacks, sizeof callbacks), "SetEventCallbacks");
    check((*ti)->SetEventNotificationMode(ti, JVMTI_ENABLE, JVMTI_EVENT_CLASS_PREPARE, NULL), "enable");
    check((*ti)->SetEventNotificationMode(ti, JVMTI_ENABLE, JVMTI_EVENT_BREAKPOINT, NULL), "enable");
}

JNIEXPORT jint JNICALL Agent_OnLoad(JavaVM *vm, char *options, void *reserved)
{
    jvmtiEnv *ti = NULL;
    (void)reserved;
    if (options == NULL || (*vm)->GetEnv(vm, (void **)&ti, JVMTI_VERSION_1_2) != JNI_OK)
        fail("Agent_OnLoad", 0);
    char *jar = strchr(options, ',');
    if (jar != NULL)
        *jar++ = '\0';
    log_fd = open(options, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0644);
    if (log_fd < 0)
        fail(options, log_fd);
    if (jar != NULL)
        check((*ti)->AddToSystemClassLoaderSearch(ti, jar), "AddToSystemClassLoaderSearch");
    listen(ti);
    return JNI_OK;
}
