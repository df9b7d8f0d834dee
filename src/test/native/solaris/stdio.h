/* SPDX-License-Identifier: Apache-2.0
 *
 * stdio.h: see solaris/README.md
 */
#include <stddef.h>

int snprintf(char *text, size_t size, const char *format, ...);
