/* SPDX-License-Identifier: Apache-2.0
 *
 * strerror.h: what a system supplies for plx_strerror: unixerror.c, winerror.c.
 */
#ifndef PLX_STRERROR_H
#define PLX_STRERROR_H

#include "mechanism/mechanism.h"

#include <stddef.h>

/* A code that calls of pollux.h return. */
typedef struct {
    int code;
    const char *name;
    const char *meaning; /* NULL: the system's words */
    const char *advice;  /* what the user can do, after a colon; may be empty */
} plx_known_code;

/* The advice for a mechanism that this build has not. */
#ifdef __linux__
#define PLX_MORE_MECHANISMS "io_uring for arenas, "
#else
#define PLX_MORE_MECHANISMS ""
#endif
#define PLX_NAME_AND_COMMA(variable, name) name ", "
#define PLX_NO_MECHANISM                                                                                               \
    ": no such mechanism; there are " PLX_MECHANISMS(PLX_NAME_AND_COMMA) PLX_MORE_MECHANISMS "and no others"

extern const plx_known_code plx_known_codes[];
extern const size_t plx_known_code_count;

/* Writes what the system says of a code, in English and in ASCII (JNI takes nothing but UTF-8), cut to size. */
void plx_describe(int code, char *text, size_t size);

#endif
