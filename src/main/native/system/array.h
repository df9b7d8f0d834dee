/* SPDX-License-Identifier: Apache-2.0
 *
 * array.h: an array that grows, for tables by descriptor and buffers of events.
 */
#ifndef PLX_ARRAY_H
#define PLX_ARRAY_H

#include <stddef.h>

/* Enlarges an array to at least wanted elements and clears the new ones: 0 or -ENOMEM, and then all is as before. The
 * length at least doubles, so that growing one by one costs a constant time each. */
int plx_grow(void **array, size_t element, int *length, int wanted);

#endif
