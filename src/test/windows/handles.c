/* SPDX-License-Identifier: Apache-2.0
 *
 * handles.c: for the tests on Windows, what /proc/self/fd is on Linux: the handles of this process that are sockets,
 * completion ports or other devices. Files, threads, events and the like are left out.
 *
 * There is no list of them: handles are small multiples of four, so each is asked what it is (NtQueryObject).
 */
#include <winsock2.h>

#include <jni.h>
#include <stdio.h>
#include <winternl.h>

enum { MOST = 4096, GAP = 2048 }; /* entries that are listed; numbers in a row that are nobody's when the search ends */

typedef struct {
    UNICODE_STRING name;
    WCHAR text[512];
} type_information;

/* What it is, or NULL if it is none of ours to count; *known tells whether there is such a handle at all. */
static const char *kind_of(HANDLE handle, int *known)
{
    type_information type;
    int socket_type, length = sizeof socket_type;
    *known = NtQueryObject(handle, ObjectTypeInformation, &type, sizeof type, NULL) >= 0;
    if (!*known)
        return NULL;
    if (getsockopt((SOCKET)handle, SOL_SOCKET, SO_TYPE, (char *)&socket_type, &length) == 0)
        return "socket";
    if (type.name.Length == 12 * sizeof(WCHAR) && type.name.Buffer[0] == 'I' && type.name.Buffer[2] == 'C')
        return "IoCompletion";
    if (type.name.Length == 4 * sizeof(WCHAR) && type.name.Buffer[0] == 'F' && GetFileType(handle) != FILE_TYPE_DISK)
        return "device";
    return NULL;
}

JNIEXPORT jobjectArray JNICALL Java_dev_pollux_lab_Descriptors_handles(JNIEnv *env, jclass descriptors)
{
    static char found[MOST][48]; /* by one test at a time */
    int count = 0, known;
    (void)descriptors;
    for (uintptr_t number = 4, last = 4; number - last < 4 * GAP && count < MOST; number += 4) {
        const char *kind = kind_of((HANDLE)number, &known);
        DWORD flags = 0;
        if (known)
            last = number;
        if (kind == NULL)
            continue;
        GetHandleInformation((HANDLE)number, &flags);
        snprintf(found[count++], sizeof found[0], "%u %s:%s", (unsigned)number, kind,
                 flags & HANDLE_FLAG_INHERIT ? "inherited" : "");
    }
    jobjectArray list =
        (*env)->NewObjectArray(env, count, (*env)->FindClass(env, "java/lang/String"), NULL);
    for (int i = 0; list != NULL && i < count; i++) {
        jstring entry = (*env)->NewStringUTF(env, found[i]);
        (*env)->SetObjectArrayElement(env, list, i, entry);
        (*env)->DeleteLocalRef(env, entry);
    }
    return list;
}
