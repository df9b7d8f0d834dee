/* SPDX-License-Identifier: Apache-2.0 */
#include "system/array.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

enum { SMALLEST = 64 };

int plx_grow(void **array, size_t element, int *length, int wanted)
{
    int longer = *length > 0 ? *length : SMALLEST;
    while (longer < wanted)
        longer = longer > INT_MAX / 2 ? INT_MAX : longer * 2;
    if (longer == *length)
        return 0;
    char *bigger = realloc(*array, (size_t)longer * element);
    if (bigger == NULL)
        return -ENOMEM;
    memset(bigger + (size_t)*length * element, 0, (size_t)(longer - *length) * element);
    *array = bigger;
    *length = longer;
    return 0;
}
