/* SPDX-License-Identifier: Apache-2.0
 *
 * injection.c: see injection.h.
 *
 * A request of io_uring that is to fail is given a descriptor that does not exist; what the kernel says of that
 * (EBADF) is replaced. One that is to be short is shortened, and its silence in case of success taken away.
 */
#include "injection.h"

#include "arena/uring.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>

enum { MAX_SPOILT = 256 };

static _Thread_local struct {
    plx_arena *arena;
    bool in_turn;
    int left[FAULT_KINDS], error[FAULT_KINDS];
    size_t most;     /* bytes of a send, if it is not to fail */
    int error_after; /* what the send fails with that follows the short ones, or 0 */
    uint64_t spoilt[MAX_SPOILT];
    int spoilt_error[MAX_SPOILT], spoilt_count;
    const char *disabled;
} faults;

int __real_accept4(int fd, struct sockaddr *address, socklen_t *length, int flags);
ssize_t __real_recv(int fd, void *to, size_t room, int flags);
ssize_t __real_send(int fd, const void *bytes, size_t length, int flags);
ssize_t __real_sendmsg(int fd, const struct msghdr *message, int flags);
long __real_syscall(long number, ...);
FILE *__real_fopen(const char *path, const char *mode);
int __wrap_accept4(int fd, struct sockaddr *address, socklen_t *length, int flags);
ssize_t __wrap_recv(int fd, void *to, size_t room, int flags);
ssize_t __wrap_send(int fd, const void *bytes, size_t length, int flags);
ssize_t __wrap_sendmsg(int fd, const struct msghdr *message, int flags);
long __wrap_syscall(long number, ...);
FILE *__wrap_fopen(const char *path, const char *mode);

void fail_next(rig *r, fault_kind kind, int count, int error)
{
    faults.arena = r->arena;
    faults.left[kind] = count;
    faults.error[kind] = error;
}

void shorten_sends(rig *r, int count, size_t most)
{
    fail_next(r, FAULT_SEND, count, 0);
    faults.most = most;
}

void shorten_and_fail(rig *r, size_t most, int error)
{
    shorten_sends(r, 1, most);
    faults.error_after = error;
}

int faults_left(fault_kind kind)
{
    return faults.left[kind];
}

void set_uring_disabled(const char *text)
{
    faults.disabled = text;
}

void no_faults(void)
{
    memset(&faults, 0, sizeof faults);
}

void faults_begin(void)
{
    faults.in_turn = true;
}

void faults_end(void)
{
    faults.in_turn = false;
}

static bool take(fault_kind kind)
{
    bool concerns = faults.left[kind] > 0 && (faults.in_turn || kind >= FAULT_ENTER);
    faults.left[kind] -= concerns;
    return concerns;
}

static int refused(fault_kind kind)
{
    errno = faults.error[kind];
    return -1;
}

/* The length of a short send. */
static size_t shortened(size_t length)
{
    if (faults.left[FAULT_SEND] == 0 && faults.error_after != 0) {
        faults.left[FAULT_SEND] = 1;
        faults.error[FAULT_SEND] = faults.error_after;
    }
    return length < faults.most ? length : faults.most;
}

/* ---- plain system calls ---- */

int __wrap_accept4(int fd, struct sockaddr *address, socklen_t *length, int flags)
{
    return take(FAULT_ACCEPT) ? refused(FAULT_ACCEPT) : __real_accept4(fd, address, length, flags);
}

ssize_t __wrap_recv(int fd, void *to, size_t room, int flags)
{
    return take(FAULT_RECEIVE) ? refused(FAULT_RECEIVE) : __real_recv(fd, to, room, flags);
}

ssize_t __wrap_send(int fd, const void *bytes, size_t length, int flags)
{
    if (!take(FAULT_SEND))
        return __real_send(fd, bytes, length, flags);
    if (faults.error[FAULT_SEND] != 0)
        return refused(FAULT_SEND);
    return __real_send(fd, bytes, shortened(length), flags);
}

/* A short one takes of the first bytes alone. */
ssize_t __wrap_sendmsg(int fd, const struct msghdr *message, int flags)
{
    if (faults.left[FAULT_SEND] == 0 || !faults.in_turn)
        return __real_sendmsg(fd, message, flags);
    return __wrap_send(fd, message->msg_iov->iov_base, message->msg_iov->iov_len, flags);
}

/* ---- io_uring ---- */

static fault_kind kind_of(const submission *entry)
{
    switch (plx_request_of(entry->user_data)) {
    case PLX_RECEIVE:
        return entry->opcode == OP_ACCEPT ? FAULT_ACCEPT : FAULT_RECEIVE;
    case PLX_SEND:
    case PLX_FLUSH:
        return FAULT_SEND;
    default:
        return FAULT_KINDS;
    }
}

static void shorten(submission *entry)
{
    static _Thread_local struct msghdr message;
    if (entry->opcode == OP_SENDMSG) { /* the first of its slices */
        memcpy(&message, (const void *)(uintptr_t)entry->address, sizeof message);
        entry->opcode = OP_SEND;
        entry->address = (uintptr_t)message.msg_iov->iov_base;
        entry->length = (uint32_t)message.msg_iov->iov_len;
    }
    entry->length = (uint32_t)shortened(entry->length);
    entry->flags &= (uint8_t)~SQE_CQE_SKIP_SUCCESS;
}

static void spoil(submission *entry)
{
    fault_kind kind = kind_of(entry);
    if (kind == FAULT_KINDS || faults.spoilt_count == MAX_SPOILT || !take(kind))
        return;
    if (kind == FAULT_SEND && faults.error[kind] == 0) {
        shorten(entry);
        return;
    }
    entry->fd = -1;
    faults.spoilt_error[faults.spoilt_count] = faults.error[kind];
    faults.spoilt[faults.spoilt_count++] = entry->user_data;
}

static void replace_error(completion *done)
{
    for (int k = 0; k < faults.spoilt_count; k++) {
        if (done->result != -EBADF || faults.spoilt[k] != done->user_data)
            continue;
        done->result = -faults.spoilt_error[k];
        faults.spoilt[k] = faults.spoilt[--faults.spoilt_count];
        faults.spoilt_error[k] = faults.spoilt_error[faults.spoilt_count];
        return;
    }
}

static long enter(const long *a)
{
    plx_ring *io = faults.arena->io;
    for (uint32_t k = 0; k < io->unsubmitted; k++)
        spoil(plx_ring_unsubmitted(io, k));
    long result = __real_syscall(SYSCALL_ENTER, a[0], a[1], a[2], a[3], a[4], a[5]);
    for (uint32_t k = *io->queues.cq_head; k != *io->queues.cq_tail; k++)
        replace_error((completion *)(uintptr_t)&io->queues.completions[k & io->queues.cq_mask]);
    return result;
}

long __wrap_syscall(long number, ...)
{
    long a[6];
    va_list arguments;
    va_start(arguments, number);
    for (int k = 0; k < 6; k++)
        a[k] = va_arg(arguments, long);
    va_end(arguments);
    fault_kind kind = number == SYSCALL_ENTER      ? FAULT_ENTER
                      : number == SYSCALL_SETUP    ? FAULT_SETUP
                      : number == SYSCALL_REGISTER ? FAULT_REGISTER
                      : number == SYS_epoll_ctl    ? FAULT_WATCH
                                                   : FAULT_KINDS;
    if (kind != FAULT_KINDS && take(kind))
        return refused(kind);
    if (kind == FAULT_ENTER && faults.in_turn && faults.arena != NULL)
        return enter(a);
    return __real_syscall(number, a[0], a[1], a[2], a[3], a[4], a[5]);
}

FILE *__wrap_fopen(const char *path, const char *mode)
{
    if (faults.disabled != NULL && strcmp(path, "/proc/sys/kernel/io_uring_disabled") == 0)
        return fmemopen((void *)(uintptr_t)faults.disabled, strlen(faults.disabled), "r");
    return __real_fopen(path, mode);
}
