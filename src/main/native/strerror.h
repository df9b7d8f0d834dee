/* SPDX-License-Identifier: Apache-2.0
 *
 * strerror.h: what a system supplies for plx_strerror: unixerror.c, winerror.c.
 */
#ifndef PLX_STRERROR_H
#define PLX_STRERROR_H

#include <stddef.h>

/* A code that calls of pollux.h return. */
typedef struct {
    int code;
    const char *name;
    const char *meaning; /* NULL: the system's words */
    const char *advice;  /* what the user can do, after a colon; may be empty */
} plx_known_code;

extern const plx_known_code plx_known_codes[];
extern const size_t plx_known_code_count;

/* Writes what the system says of a code, in English and in ASCII (JNI takes nothing but UTF-8), cut to size. */
void plx_describe(int code, char *text, size_t size);

#endif
