/* SPDX-License-Identifier: Apache-2.0
 *
 * clock.h: clocks, in nanoseconds.
 */
#ifndef PLX_CLOCK_H
#define PLX_CLOCK_H

#include <stdint.h>

/* The monotonic clock, in nanoseconds. Changes of the system time do not affect it. */
int64_t plx_now(void);

#ifdef __linux__
/* The processor time of this thread. A system call, unlike plx_now. */
int64_t plx_thread_time(void);
#endif

#endif
