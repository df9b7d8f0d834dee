/* SPDX-License-Identifier: Apache-2.0
 *
 * batch_ring.c: one io_uring_enter(2) for all that is deferred. No send may wait (MSG_DONTWAIT), so each has ended when
 * the call returns, and the bytes may be used again. A send that went well makes no completion. And single sends, for
 * what goes alone.
 */
#include "batch/batch.h"
#ifdef PLX_HAVE_BATCH
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>

enum { UNBLOCKED_BYTES = 1024 };

/* Linux 6.1 is the first that has DEFER_TASKRUN; what is older is not tried. The ring that tells stays open: to close
 * it would interrupt a later system call of this thread. */
int plx_batch_ring_probe(void)
{
    static atomic_int open;
    if (atomic_load(&open) > 0)
        return 0;
    setup_params p = { .flags = SETUP_SINGLE_ISSUER | SETUP_DEFER_TASKRUN };
    long fd = plx_syscall(SYSCALL_SETUP, 1, (long)&p, 0, 0, 0, 0);
    if (fd < 0)
        return fd == -EINVAL ? -EOPNOTSUPP : (int)fd;
    atomic_store(&open, (int)fd);
    return 0;
}

int plx_batch_ring_open(plx_batch *batch)
{
    setup_params p = { .flags = SETUP_SUBMIT_ALL };
    int code = plx_queues_open(&batch->ring, PLX_BATCH_RING, &p);
    batch->has_ring = code == 0;
    return code;
}

/* The entry after the last one that goes with the one at `from`. */
static uint32_t end_of_call(const plx_batch *batch, uint32_t from)
{
    return batch->count - from < PLX_BATCH_RING ? batch->count : from + PLX_BATCH_RING;
}

/* Returns how many there are. */
static uint32_t prepare(plx_batch *batch, uint32_t from, uint32_t to)
{
    plx_queues *ring = &batch->ring;
    uint32_t tail = *ring->sq_tail;
    for (uint32_t i = from; i < to; i++) {
        plx_batch_entry *entry = &batch->entries[i];
        if (entry->fd < 0)
            continue;
        submission *s = &ring->submissions[tail++ & ring->sq_mask];
        memset(s, 0, sizeof *s);
        s->opcode = OP_SEND;
        s->flags = SQE_CQE_SKIP_SUCCESS;
        s->fd = entry->fd;
        s->address = (uintptr_t)(batch->bytes + entry->offset);
        s->length = entry->length;
        s->op_flags = MSG_DONTWAIT | MSG_NOSIGNAL | MSG_WAITALL; /* else a short one is no failure */
        s->user_data = i;
        entry->result = (int32_t)entry->length;
    }
    uint32_t prepared = tail - *ring->sq_tail;
    __atomic_store_n(ring->sq_tail, tail, __ATOMIC_RELEASE);
    return prepared;
}

static void reap(plx_batch *batch)
{
    plx_queues *ring = &batch->ring;
    uint32_t tail = __atomic_load_n(ring->cq_tail, __ATOMIC_ACQUIRE);
    uint32_t head = *ring->cq_head;
    for (; head != tail; head++) {
        const completion *c = &ring->completions[head & ring->cq_mask];
        batch->entries[c->user_data].result = c->result;
    }
    __atomic_store_n(ring->cq_head, head, __ATOMIC_RELEASE);
}

/* Of a blocking descriptor little is written at a time, and only where there is room for more than that. */
static long write_now(int fd, const void *bytes, size_t length)
{
    struct pollfd room = { .fd = fd, .events = POLLOUT };
    size_t most = length < UNBLOCKED_BYTES ? length : UNBLOCKED_BYTES;
    long flags = plx_syscall(SYS_fcntl, fd, F_GETFL, 0, 0, 0, 0);
    if (flags >= 0 && (flags & O_NONBLOCK) != 0)
        return plx_syscall(SYS_write, fd, (long)bytes, (long)length, 0, 0, 0);
    if (plx_syscall(SYS_poll, (long)&room, 1, 0, 0, 0, 0) <= 0 || (room.revents & POLLOUT) == 0)
        return -EAGAIN;
    return plx_syscall(SYS_write, fd, (long)bytes, (long)most, 0, 0, 0);
}

long plx_send_now(int fd, const void *bytes, size_t length)
{
    long sent = plx_syscall(SYS_sendto, fd, (long)bytes, (long)length, MSG_DONTWAIT | MSG_NOSIGNAL, 0, 0);
    return plx_is_missing(sent) ? write_now(fd, bytes, length) : sent;
}

void plx_batch_send_each(plx_batch *batch, uint32_t from, uint32_t to)
{
    for (uint32_t i = from; i < to; i++) {
        plx_batch_entry *entry = &batch->entries[i];
        if (entry->fd >= 0)
            entry->result = (int32_t)plx_send_now(entry->fd, batch->bytes + entry->offset, entry->length);
    }
}

/* What the kernel did not take, for lack of memory or since a sandbox refuses the call: the last ones. */
static void send_untaken(plx_batch *batch, uint32_t to, uint32_t untaken)
{
    plx_queues *ring = &batch->ring;
    __atomic_store_n(ring->sq_tail, __atomic_load_n(ring->sq_head, __ATOMIC_ACQUIRE), __ATOMIC_RELEASE);
    uint32_t first = to;
    for (; untaken > 0; untaken -= batch->entries[first].fd >= 0)
        first--;
    plx_batch_send_each(batch, first, to);
}

/* Returns how many were not taken. A call that fails is not made again: those are sent one by one. */
static uint32_t enter(plx_batch *batch, uint32_t prepared)
{
    while (prepared > 0) {
        long taken = plx_syscall(SYSCALL_ENTER, batch->ring.fd, prepared, 0, 0, 0, 0);
        if (plx_is_missing(taken))
            batch->has_ring = false; /* a sandbox that came later: to ask each time would be a call for nothing */
        if (taken <= 0)
            break;
        prepared -= (uint32_t)taken;
    }
    return prepared;
}

void plx_batch_ring_send(plx_batch *batch)
{
    for (uint32_t from = 0, to; from < batch->count; from = to) {
        to = end_of_call(batch, from);
        uint32_t untaken = enter(batch, prepare(batch, from, to));
        reap(batch);
        if (untaken > 0)
            send_untaken(batch, to, untaken);
    }
}
#endif
