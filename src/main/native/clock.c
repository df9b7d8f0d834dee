/* SPDX-License-Identifier: Apache-2.0
 *
 * clock.c: see clock.h.
 */
#include "clock.h"

#ifdef _WIN32
#include <windows.h>

int64_t plx_now(void)
{
    LARGE_INTEGER ticks, per_second;
    QueryPerformanceCounter(&ticks);
    QueryPerformanceFrequency(&per_second);
    int64_t seconds = ticks.QuadPart / per_second.QuadPart, rest = ticks.QuadPart % per_second.QuadPart;
    return seconds * 1000000000 + rest * 1000000000 / per_second.QuadPart;
}
#else
#include <time.h>

static int64_t nanos_of(clockid_t clock)
{
    struct timespec t = { 0 };
    clock_gettime(clock, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

int64_t plx_now(void)
{
    return nanos_of(CLOCK_MONOTONIC);
}

#ifdef __linux__
int64_t plx_thread_time(void)
{
    return nanos_of(CLOCK_THREAD_CPUTIME_ID);
}
#endif
#endif
