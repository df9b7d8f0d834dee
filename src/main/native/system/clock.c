/* SPDX-License-Identifier: Apache-2.0 */
#include "system/clock.h"

#include "system/rawcall.h"

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

static int64_t nanos_of(const struct timespec *t)
{
    return (int64_t)t->tv_sec * 1000000000 + t->tv_nsec;
}

static int64_t now_of(clockid_t clock)
{
    struct timespec t = { 0 };
    clock_gettime(clock, &t);
    return nanos_of(&t);
}

int64_t plx_now(void)
{
    return now_of(CLOCK_MONOTONIC);
}

#ifdef __linux__
int64_t plx_thread_time(void)
{
#ifdef PLX_RAW_CALLS /* the C library asks the kernel too for this clock */
    struct timespec t = { 0 };
    plx_syscall(SYS_clock_gettime, CLOCK_THREAD_CPUTIME_ID, (long)&t, 0, 0, 0, 0);
    return nanos_of(&t);
#else
    return now_of(CLOCK_THREAD_CPUTIME_ID);
#endif
}
#endif
#endif
