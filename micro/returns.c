// SPDX-License-Identifier: Apache-2.0
/*
 * What the first unmatched ret after a system call costs. On a kernel that is mitigated against SRSO by
 * "Safe RET" (AMD Zen 1 to 4; /sys/devices/system/cpu/vulnerabilities/spec_rstack_overflow) the processor predicts
 * it to go to an address of the kernel's. Each line is one system call, nanoseconds of processor time:
 *
 *   no ret     the syscall instruction in the loop itself
 *   ret        in a function of its own, as every C library has it
 *   covered    in a function that pushes 16 harmless addresses over the kernel's before it returns
 *
 * x86-64 only. gcc -std=c11 -O2 -o returns returns.c && ./returns
 */
#define _GNU_SOURCE
#include "common.h"

#include <stdio.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/syscall.h>

enum { TIMES = 1000000 };

static inline long call(long number, long a, long b, long c, long d)
{
    register long r10 __asm__("r10") = d;
    long result;
    __asm__ volatile("syscall" : "=a"(result) : "a"(number), "D"(a), "S"(b), "d"(c), "r"(r10)
                     : "rcx", "r11", "memory");
    return result;
}

static __attribute__((noinline)) long call_ret(long number, long a, long b, long c, long d)
{
    return call(number, a, b, c, d);
}

static __attribute__((noinline)) long call_covered(long number, long a, long b, long c, long d)
{
    long result = call(number, a, b, c, d);
    __asm__ volatile("lea -128(%%rsp), %%rsp\n\t.rept 16\n\tcall 1f\n\tint3\n1:\n\t.endr\n\tlea 256(%%rsp), %%rsp"
                     ::: "memory");
    return result;
}

#define MEASURE(label, made) do {                                       \
        double start = nanos(CLOCK_THREAD_CPUTIME_ID);                                          \
        for (int i = 0; i < TIMES; i++)                                 \
            if ((made) < 0)                                             \
                abort();                                                \
        printf("  %s %.0f", label, (nanos(CLOCK_THREAD_CPUTIME_ID) - start) / TIMES);            \
    } while (0)

static void compare(const char *name, long number, long a, long b, long c, long d)
{
    printf("%-24s", name);
    MEASURE("no ret", call(number, a, b, c, d));
    MEASURE("ret", call_ret(number, a, b, c, d));
    MEASURE("covered", call_covered(number, a, b, c, d));
    printf("\n");
}

int main(void)
{
    static struct epoll_event events[16];
    struct epoll_event in = { .events = EPOLLIN };
    int none = epoll_create1(0), one = epoll_create1(0);
    if (none < 0 || one < 0 || epoll_ctl(one, EPOLL_CTL_ADD, eventfd(1, 0), &in) < 0)
        return 1;
    compare("getppid", SYS_getppid, 0, 0, 0, 0);
    compare("epoll_wait, none ready", SYS_epoll_wait, none, (long)events, 16, 0);
    compare("epoll_wait, one ready", SYS_epoll_wait, one, (long)events, 16, 0);
    return 0;
}
