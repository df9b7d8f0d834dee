/* SPDX-License-Identifier: Apache-2.0
 *
 * injection.c: see injection.h.
 *
 * A request of a ring that is to fail is given a descriptor that does not exist; what the kernel says of that (EBADF)
 * is replaced.
 */
#include "injection.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>

const char *const call_names[CALLS] = { "io_uring_setup", "io_uring_enter", "request",  "sendto",
                                        "write",          "epoll_create1",  "eventfd2", "epoll_ctl",
                                        "epoll_pwait2",   "ppoll",          "epoll_wait", "F_DUPFD_CLOEXEC",
                                        "F_GETFL",        "poll",           "mmap",     "pthread_create" };

enum { MAX_FAULTS = 4, MAX_SPOILT = PLX_BATCH_RING };

static fault faults[MAX_FAULTS];
static int fault_count;
static atomic_bool are_lifted;
static atomic_int calls[CALLS], met, of_flusher, waits_of_flusher, reads_of_limit;
static plx_batch *injected;
static int most_buffer;
static _Thread_local bool is_of_test, holds_gate;
static _Thread_local pthread_mutex_t *unlocked;
static _Thread_local void (*on_unlock)(void);
/* The flusher has it while it does not wait. */
static pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER;
static struct {
    uint64_t data;
    int error;
} spoilt[MAX_SPOILT];
static int spoilt_count;

long __real_syscall(long number, ...);
long __wrap_syscall(long number, ...);
void *__real_mmap(void *at, size_t size, int protection, int flags, int fd, off_t offset);
void *__wrap_mmap(void *at, size_t size, int protection, int flags, int fd, off_t offset);
int __real_pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*body)(void *), void *argument);
int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*body)(void *), void *argument);
int __real_pthread_mutex_unlock(pthread_mutex_t *lock);
int __wrap_pthread_mutex_unlock(pthread_mutex_t *lock);
int __real_setsockopt(int fd, int level, int name, const void *value, socklen_t length);
int __wrap_setsockopt(int fd, int level, int name, const void *value, socklen_t length);

void inject(fault f)
{
    assert_true(fault_count < MAX_FAULTS);
    faults[fault_count++] = f;
}

void inject_again(fault f)
{
    fault_count = 0;
    inject(f);
}

void lift_faults(void)
{
    atomic_store(&are_lifted, true);
}

int faults_met(void)
{
    return atomic_load(&met);
}

int calls_of(call_kind kind)
{
    return atomic_load(&calls[kind]);
}

int flusher_calls(void)
{
    return atomic_load(&of_flusher);
}

int flusher_waits(void)
{
    return atomic_load(&waits_of_flusher);
}

void inject_into(plx_batch *batch)
{
    injected = batch;
}

void be_test_thread(void)
{
    is_of_test = true;
}

void hold_flusher(void)
{
    while (calls_of(CALL_PWAIT2) == 0)
        nap(MILLIS(1) / 10);
    pthread_mutex_lock(&gate);
}

void release_flusher(void)
{
    pthread_mutex_unlock(&gate);
}

void after_unlock(pthread_mutex_t *lock, void (*what)(void))
{
    unlocked = lock;
    on_unlock = what;
}

void limit_send_buffers(int most)
{
    most_buffer = most;
}

int limit_reads(void)
{
    return atomic_load(&reads_of_limit);
}

static const fault *take(call_kind kind)
{
    int n = 1 + atomic_fetch_add(&calls[kind], 1);
    for (int i = 0; i < fault_count && !atomic_load(&are_lifted); i++) {
        if (faults[i].kind == kind && n >= faults[i].nth && n - faults[i].nth < faults[i].count) {
            atomic_fetch_add(&met, 1);
            return &faults[i];
        }
    }
    return NULL;
}

/* ---- io_uring ---- */

static void spoil(submission *s)
{
    const fault *f = take(CALL_RING_SEND);
    if (f == NULL)
        return;
    if (f->error == SHORT) {
        s->length = 1;
        s->flags &= (uint8_t)~SQE_CQE_SKIP_SUCCESS;
        s->op_flags &= ~(uint32_t)MSG_WAITALL;
        return;
    }
    s->fd = -1;
    spoilt[spoilt_count].data = s->user_data;
    spoilt[spoilt_count++].error = f->error;
}

static void replace_error(completion *done)
{
    for (int i = 0; i < spoilt_count; i++) {
        if (spoilt[i].data == done->user_data && done->result == -EBADF) {
            done->result = -spoilt[i].error;
            spoilt[i] = spoilt[--spoilt_count];
            return;
        }
    }
}

/* Ends with nothing spoilt: a request that was not taken is made again by another call. */
static long enter(const long *a, const fault *f)
{
    plx_queues *ring = &injected->ring;
    long count = f != NULL ? 1 : a[1];
    spoilt_count = 0;
    for (uint32_t k = *ring->sq_head; k != *ring->sq_head + (uint32_t)count; k++)
        spoil(&ring->submissions[k & ring->sq_mask]);
    long result = __real_syscall(SYSCALL_ENTER, a[0], count, a[2], a[3], a[4], a[5]);
    for (uint32_t k = *ring->cq_head; k != *ring->cq_tail; k++)
        replace_error((completion *)(uintptr_t)&ring->completions[k & ring->cq_mask]);
    return result;
}

/* ---- plain system calls ---- */

static bool is_socket(int fd)
{
    struct stat info;
    return fstat(fd, &info) == 0 && S_ISSOCK(info.st_mode);
}

/* CALLS for one of which nothing is known. */
static call_kind kind_of(long number, const long *a)
{
    switch (number) {
    case SYSCALL_SETUP:
        return CALL_SETUP;
    case SYSCALL_ENTER:
        return CALL_ENTER;
    case SYS_sendto:
        return CALL_SENDTO;
    case SYS_write:
        return is_socket((int)a[0]) ? CALL_WRITE : CALLS;
    case SYS_epoll_create1:
        return CALL_EPOLL_CREATE;
    case SYS_eventfd2:
        return CALL_EVENTFD;
    case SYS_epoll_ctl:
        return a[1] == 2 ? CALLS : CALL_EPOLL_CTL; /* EPOLL_CTL_DEL does not fail */
    case SYS_epoll_pwait2:
        return CALL_PWAIT2;
    case SYS_ppoll:
        return CALL_PPOLL;
    case SYS_epoll_wait:
        return CALL_EPOLL_WAIT;
    case SYS_poll:
        return CALL_POLL;
    case SYS_fcntl:
        return a[1] == F_GETFL ? CALL_GET_FLAGS : CALL_DUPLICATE;
    default:
        return CALLS;
    }
}

static long wait_at_gate(const long *a)
{
    if (holds_gate)
        pthread_mutex_unlock(&gate);
    long result = __real_syscall(SYS_epoll_pwait2, a[0], a[1], a[2], a[3], a[4], a[5]);
    int saved = errno;
    pthread_mutex_lock(&gate);
    holds_gate = true;
    errno = saved;
    return result;
}

/* What /proc says of the largest buffer. */
static long open_limit(void)
{
    char text[16];
    atomic_fetch_add(&reads_of_limit, 1);
    int fd = memfd_create("wmem_max", MFD_CLOEXEC);
    int length = snprintf(text, sizeof text, "%d\n", most_buffer);
    assert_int_equal(pwrite(fd, text, (size_t)length, 0), length);
    return fd;
}

long __wrap_syscall(long number, ...)
{
    long a[6];
    va_list arguments;
    va_start(arguments, number);
    for (int k = 0; k < 6; k++)
        a[k] = va_arg(arguments, long);
    va_end(arguments);
    if (number == SYS_openat && most_buffer > 0 && strstr((const char *)a[1], "wmem_max") != NULL)
        return open_limit();
    call_kind kind = kind_of(number, a);
    if (!is_of_test) {
        atomic_fetch_add(&of_flusher, 1);
        atomic_fetch_add(&waits_of_flusher, kind == CALL_PWAIT2 || kind == CALL_PPOLL);
    }
    const fault *f = kind == CALLS ? NULL : take(kind);
    if (f != NULL && f->error != SHORT) {
        errno = f->error;
        return -1;
    }
    if (kind == CALL_ENTER && injected != NULL)
        return enter(a, f);
    if (kind == CALL_PWAIT2)
        return wait_at_gate(a);
    return __real_syscall(number, a[0], a[1], f == NULL ? a[2] : 1, a[3], a[4], a[5]);
}

void *__wrap_mmap(void *at, size_t size, int protection, int flags, int fd, off_t offset)
{
    const fault *f = take(CALL_MMAP);
    if (f == NULL)
        return __real_mmap(at, size, protection, flags, fd, offset);
    errno = f->error;
    return MAP_FAILED;
}

int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*body)(void *), void *argument)
{
    const fault *f = take(CALL_THREAD);
    return f == NULL ? __real_pthread_create(thread, attributes, body, argument) : f->error;
}

int __wrap_pthread_mutex_unlock(pthread_mutex_t *lock)
{
    int error = __real_pthread_mutex_unlock(lock);
    if (unlocked == lock) {
        unlocked = NULL;
        on_unlock();
        unlocked = lock;
    }
    return error;
}

int __wrap_setsockopt(int fd, int level, int name, const void *value, socklen_t length)
{
    if (most_buffer > 0 && level == SOL_SOCKET && name == SO_SNDBUFFORCE) {
        errno = EPERM;
        return -1;
    }
    if (most_buffer > 0 && level == SOL_SOCKET && name == SO_SNDBUF && *(const int *)value > most_buffer)
        return __real_setsockopt(fd, level, name, &most_buffer, sizeof most_buffer);
    return __real_setsockopt(fd, level, name, value, length);
}
