/* SPDX-License-Identifier: Apache-2.0
 *
 * strerror.c: what a code means and, where there is something to do, what to do.
 */
#include "mechanism/strerror.h"
#include "pollux.h"

#include <stdio.h>

static const plx_known_code *find(int code)
{
    for (size_t i = 0; i < plx_known_code_count; i++) {
        if (plx_known_codes[i].code == code)
            return &plx_known_codes[i];
    }
    return NULL;
}

const char *plx_strerror(int code, char *buf, size_t size)
{
    const plx_known_code *known = find(code);
    char text[160];
    if (known == NULL || known->meaning == NULL)
        plx_describe(code, text, sizeof text);
    if (known == NULL)
        snprintf(buf, size, "%s (error %d)", text, code);
    else
        snprintf(buf, size, "%s (%s)%s", known->meaning != NULL ? known->meaning : text, known->name, known->advice);
    return buf;
}
