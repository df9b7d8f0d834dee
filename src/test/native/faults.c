/* SPDX-License-Identifier: Apache-2.0
 *
 * faults.c: allocations that fail, by the linker's --wrap; system calls that fail, by seccomp(2), whose filters
 * belong to a thread.
 */
#include "support.h"

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

static _Thread_local int fail_at, failed_allocations;
static _Thread_local size_t largest, all;
static atomic_bool all_fail;

void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *memory, size_t size);
void *__real_malloc(size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *memory, size_t size);

enum { ABSURD = 1 << 30 }; /* never touched: this machine's memory is not the subject */

static bool refuse(size_t size)
{
    if (size > largest)
        largest = size;
    if (size < ABSURD && (fail_at == 0 || --fail_at > 0) && !atomic_load(&all_fail)) {
        all += size;
        return false;
    }
    failed_allocations++;
    return true;
}

void *__wrap_calloc(size_t count, size_t size)
{
    return refuse(count * size) ? NULL : __real_calloc(count, size);
}

void *__wrap_malloc(size_t size)
{
    return refuse(size) ? NULL : __real_malloc(size);
}

void *__wrap_realloc(void *memory, size_t size)
{
    return refuse(size) ? NULL : __real_realloc(memory, size);
}

void fail_allocation(int nth)
{
    fail_at = nth;
    failed_allocations = 0;
}

void fail_allocations(bool do_fail)
{
    atomic_store(&all_fail, do_fail);
}

bool allocation_failed(void)
{
    return failed_allocations > 0;
}

size_t largest_allocation(void)
{
    size_t result = largest;
    largest = 0;
    return result;
}

size_t all_allocations(void)
{
    size_t result = all;
    all = 0;
    return result;
}

enum { LOW_HALF = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ ? 4 : 0 }; /* of an argument */

/* Spares calls whose second argument has one of these flags. */
static bool deny_unless(long call, int error, int spared_flags)
{
    struct sock_filter code[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)call, 0, 3),
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[1]) + LOW_HALF),
        BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, (uint32_t)spared_flags, 1, 0),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | (uint32_t)error),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog program = { sizeof code / sizeof *code, code };
    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

bool deny_here(long call, int error)
{
    return deny_unless(call, error, 0);
}

bool deny_eventfd_here(int error)
{
    return deny_unless(SYS_eventfd2, error, EFD_SEMAPHORE);
}

typedef struct {
    long call;
    int error, (*body)(plx_set *);
    plx_set *set;
    bool denied;
    int result;
} denied_run;

static void *run_denied(void *argument)
{
    denied_run *run = argument;
    run->denied = deny_here(run->call, run->error);
    if (run->denied)
        run->result = run->body(run->set);
    return NULL;
}

int with_denied(long call, int error, int (*body)(plx_set *), plx_set *set)
{
    denied_run run = { call, error, body, set, false, 0 };
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, run_denied, &run), 0);
    assert_int_equal(pthread_join(thread, NULL), 0);
    assert_true(run.denied);
    return run.result;
}
