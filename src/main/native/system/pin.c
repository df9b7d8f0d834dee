/* SPDX-License-Identifier: Apache-2.0
 *
 * pin.c: see sched_setaffinity(2), cpuset_setaffinity(2) of FreeBSD, SetThreadAffinityMask of Windows.
 *
 * A thread inherits the processors of the one that creates it, which may be pinned. So those of the process are asked
 * for, on Linux those of its first thread, and the first answer is kept: that thread may be pinned later.
 */
#include "system/pin.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>

#if defined(__linux__)
#include <sys/syscall.h>
#include <unistd.h>

enum { MAX_PROCESSORS = 8192, WORD = 8 * sizeof(unsigned long) }; /* NR_CPUS */

/* As the kernel has them: the C library's cpu_set_t has an eighth of that. */
typedef struct {
    unsigned long words[MAX_PROCESSORS / WORD];
} processors;

static bool has(const processors *set, uint32_t n)
{
    return set->words[n / WORD] >> n % WORD & 1;
}

static void add(processors *set, uint32_t n)
{
    set->words[n / WORD] |= 1UL << n % WORD;
}

static int of_process(processors *set)
{
    return syscall(SYS_sched_getaffinity, getpid(), sizeof *set, set) < 0 ? -errno : 0;
}

static int run_on(const processors *set)
{
    return syscall(SYS_sched_setaffinity, 0, sizeof *set, set) < 0 ? -errno : 0;
}
#elif defined(__FreeBSD__)
#include <sys/param.h>
#include <sys/cpuset.h>

enum { MAX_PROCESSORS = CPU_SETSIZE };

typedef cpuset_t processors;

static bool has(const processors *set, uint32_t n)
{
    return CPU_ISSET(n, set);
}

static void add(processors *set, uint32_t n)
{
    CPU_SET(n, set);
}

static int of_process(processors *set)
{
    return cpuset_getaffinity(CPU_LEVEL_WHICH, CPU_WHICH_PID, -1, sizeof *set, set) < 0 ? -errno : 0;
}

static int run_on(const processors *set)
{
    return cpuset_setaffinity(CPU_LEVEL_WHICH, CPU_WHICH_TID, -1, sizeof *set, set) < 0 ? -errno : 0;
}
#elif defined(_WIN32)
#include <windows.h>

enum { MAX_PROCESSORS = 8 * sizeof(DWORD_PTR) };

typedef DWORD_PTR processors;

static bool has(const processors *set, uint32_t n)
{
    return *set >> n & 1;
}

static void add(processors *set, uint32_t n)
{
    *set |= (DWORD_PTR)1 << n;
}

static int of_process(processors *set)
{
    DWORD_PTR all;
    return GetProcessAffinityMask(GetCurrentProcess(), set, &all) ? 0 : -(int)GetLastError();
}

static int run_on(const processors *set)
{
    return SetThreadAffinityMask(GetCurrentThread(), *set) != 0 ? 0 : -(int)GetLastError();
}
#endif

#ifdef _WIN32
enum { NO_MEMORY = ERROR_NOT_ENOUGH_MEMORY, UNSUPPORTED = ERROR_NOT_SUPPORTED };
#else
enum { NO_MEMORY = ENOMEM, UNSUPPORTED = EOPNOTSUPP };
#endif

#if !defined(__linux__) && !defined(__FreeBSD__) && !defined(_WIN32)
int plx_pin_thread(uint32_t index)
{
    (void)index;
    return -UNSUPPORTED;
}
#else
/* Read once, and never freed. */
static _Atomic(processors *) known;

static int know(void)
{
    processors *none = NULL;
    if (atomic_load(&known) != NULL)
        return 0;
    processors *set = calloc(1, sizeof *set);
    if (set == NULL)
        return -NO_MEMORY;
    int code = of_process(set);
    if (code < 0 || !atomic_compare_exchange_strong(&known, &none, set))
        free(set);
    return code;
}

static uint32_t count_of(const processors *set)
{
    uint32_t count = 0;
    for (uint32_t n = 0; n < MAX_PROCESSORS; n++)
        count += has(set, n);
    return count;
}

/* The index-th one; there must be more than that. */
static uint32_t find(const processors *set, uint32_t index)
{
    uint32_t n = 0;
    while (!has(set, n) || index-- > 0)
        n++;
    return n;
}

int plx_pin_thread(uint32_t index)
{
    processors one = { 0 };
    int code = know();
    if (code < 0)
        return code;
    const processors *all = atomic_load(&known);
    uint32_t count = count_of(all);
    if (count == 0) /* Windows, if the process runs in more than one group of processors */
        return -UNSUPPORTED;
    add(&one, find(all, index % count));
    return run_on(&one);
}
#endif
