/* SPDX-License-Identifier: Apache-2.0
 *
 * rawcall.c: finds out, once, whether the kernel spoils the processor's return stack. Files in sysfs: see
 * Documentation/ABI/testing/sysfs-devices-system-cpu. What they say: arch/x86/kernel/cpu/bugs.c, srso_strings.
 */
#include "system/rawcall.h"
#ifdef __linux__

#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#define WORDS "/sys/devices/system/cpu/vulnerabilities/spec_rstack_overflow"

bool plx_returns_spoilt;

static char evidence[192] = "not looked for yet";

/* Linux 6.5 said "Mitigation: safe RET" and "safe RET, no microcode", later ones say "Safe RET". "Microcode, no safe
 * RET" is the opposite. "untrained return thunk", in the file of retbleed, is no reason: that thunk returns by the
 * address that its call has pushed, so the return stack stays in order. */
bool plx_says_safe_ret(const char *words)
{
    const char *at = strcasestr(words, "safe ret");
    return at != NULL && strcasestr(words, "no safe ret") == NULL;
}

#ifdef PLX_RAW_CALLS

/* A shadow stack would miss the returns that match the covering calls. Where there is none, rdssp is a no-op. */
static bool has_shadow_stack(void)
{
    unsigned long pointer = 0;
    __asm__ volatile(".byte 0xf3, 0x48, 0x0f, 0x1e, 0xc8" : "+a"(pointer)); /* rdsspq %rax */
    return pointer != 0;
}

static unsigned long ticks(void)
{
    unsigned low, high;
    __asm__ volatile("lfence\n\trdtsc" : "=a"(low), "=d"(high)::"memory");
    return (unsigned long)high << 32 | low;
}

/* A system call from as deep as one of Java's: each of the returns may be mispredicted. */
static __attribute__((noinline)) long call_and_return(int depth)
{
    long result = depth > 0 ? call_and_return(depth - 1) : plx_syscall(SYS_getppid, 0, 0, 0, 0, 0, 0);
    __asm__ volatile("" : "+r"(result)); /* no tail call */
    return result;
}

static unsigned long fastest_call(bool covered)
{
    unsigned long fastest = (unsigned long)-1;
    plx_returns_spoilt = covered;
    for (int i = 0; i < 64; i++) {
        unsigned long start = ticks();
        call_and_return(8);
        unsigned long taken = ticks() - start;
        if (taken < fastest)
            fastest = taken;
    }
    return fastest;
}

/* Where nothing says it, as in a guest or a container without the file, 128 calls tell. A return that is mispredicted
 * to the kernel's address costs a hundred ticks and more, covering some twenty. The fastest of many calls is the same
 * on a busy machine. */
static bool measure(void)
{
    unsigned long plain = fastest_call(false);
    unsigned long covered = fastest_call(true);
    snprintf(evidence, sizeof evidence, "the kernel does not tell; a system call takes %lu ticks, covered %lu", plain,
             covered);
    return plain > covered + covered / 16;
}

static bool look(void)
{
    char words[128] = "";
    int fd = open(WORDS, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return measure();
    ssize_t n = read(fd, words, sizeof words - 1);
    close(fd);
    if (n <= 0)
        return measure();
    words[strcspn(words, "\n")] = '\0';
    snprintf(evidence, sizeof evidence, "the kernel says \"%s\"", words);
    return plx_says_safe_ret(words);
}

/* Under a shadow stack not even a measurement is possible. */
static void decide(void)
{
    if (has_shadow_stack())
        snprintf(evidence, sizeof evidence, "a shadow stack is on, which does not let returns be covered");
    else
        plx_returns_spoilt = look();
}

bool plx_returns_assume_spoilt(void)
{
    plx_syscall_setup();
    plx_returns_spoilt = !has_shadow_stack();
    return plx_returns_spoilt;
}

#else

static void decide(void)
{
    snprintf(evidence, sizeof evidence, "returns can be covered on x86-64 alone");
}

bool plx_returns_assume_spoilt(void)
{
    return false;
}

#endif

const char *plx_returns_evidence(void)
{
    return evidence;
}

void plx_syscall_setup(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    int saved = errno;
    pthread_once(&once, decide);
    errno = saved;
}
#endif
