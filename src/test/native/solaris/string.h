/* SPDX-License-Identifier: Apache-2.0
 *
 * string.h: see solaris/README.md
 */
#include <stddef.h>

void *memcpy(void *to, const void *from, size_t n);
void *memmove(void *to, const void *from, size_t n);
void *memset(void *to, int byte, size_t n);
int strcmp(const char *a, const char *b);
