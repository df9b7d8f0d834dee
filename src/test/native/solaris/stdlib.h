/* SPDX-License-Identifier: Apache-2.0
 *
 * stdlib.h: see solaris/README.md
 */
#include <stddef.h>

void *malloc(size_t size);
void *calloc(size_t count, size_t size);
void *realloc(void *memory, size_t size);
void free(void *memory);
