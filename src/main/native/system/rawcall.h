/* SPDX-License-Identifier: Apache-2.0
 *
 * rawcall.h: system calls of Linux without the C library: the result is >= 0 or -code, errno stays as it was.
 *
 * Not only for the price of a call. A kernel that is mitigated against SRSO by "Safe RET" (AMD Zen 1 to 4, see
 * Documentation/admin-guide/hw-vuln/srso.rst) leaves return addresses of its own in the processor's return stack. The
 * first unmatched ret after a system call is predicted to go to one of them, and that alone costs up to 190 ns. There,
 * and only there, harmless addresses are pushed over them before anything returns.
 */
#ifndef PLX_RAWCALL_H
#define PLX_RAWCALL_H

#ifndef __linux__
static inline void plx_syscall_setup(void)
{
}
#else
#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifndef SYS_epoll_pwait2
#define SYS_epoll_pwait2 441 /* one number for every architecture */
#endif

/* The kernel's own layout: new calls have 64 bits for both, where the C library's time_t may have 32. */
typedef struct {
    int64_t seconds, nanos;
} plx_timespec;

static inline plx_timespec plx_timespec_of(int64_t ns)
{
    return (plx_timespec){ ns / 1000000000, ns % 1000000000 };
}

/* Whether the kernel spoils the return stack: set by plx_syscall_setup, before the first set is opened. */
extern bool plx_returns_spoilt;
void plx_syscall_setup(void);
/* What tells it: the kernel's own words, or a measurement. For people; stays as it is after plx_syscall_setup. */
const char *plx_returns_evidence(void);
/* Takes the return stack as spoilt, whatever the evidence is. Returns whether returns can be covered here. */
bool plx_returns_assume_spoilt(void);
/* Whether these are the words of a kernel with the mitigation "Safe RET". */
bool plx_says_safe_ret(const char *words);

/* PLX_LIBC_CALLS: tests make calls fail in the C library's syscall(2). */
#if defined(__x86_64__) && defined(__LP64__) && !defined(PLX_LIBC_CALLS)
#define PLX_RAW_CALLS

/* Covers the returns up to the 16th caller. Each call is matched by moving the stack pointer, not by a ret; the
 * first 128 bytes below it are the red zone of the function that this is inlined in. */
static inline void plx_cover_returns(void)
{
    if (plx_returns_spoilt)
        __asm__ volatile("lea -128(%%rsp), %%rsp\n\t"
                         ".rept 16\n\t"
                         "call 1f\n\t"
                         "int3\n"
                         "1:\n\t"
                         ".endr\n\t"
                         "lea 256(%%rsp), %%rsp" ::
                             : "memory");
}

static inline long plx_syscall(long number, long a, long b, long c, long d, long e, long f)
{
    register long r10 __asm__("r10") = d;
    register long r8 __asm__("r8") = e;
    register long r9 __asm__("r9") = f;
    long result;
    __asm__ volatile("syscall"
                     : "=a"(result)
                     : "a"(number), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
                     : "rcx", "r11", "memory");
    plx_cover_returns();
    return result;
}

#else

static inline long plx_syscall(long number, long a, long b, long c, long d, long e, long f)
{
    int saved = errno;
    long result = syscall(number, a, b, c, d, e, f);
    if (result < 0) {
        result = -errno;
        errno = saved;
    }
    return result;
}

#endif
#endif
#endif
