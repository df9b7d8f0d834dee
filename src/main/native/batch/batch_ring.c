/* SPDX-License-Identifier: Apache-2.0
 *
 * batch_ring.c: one io_uring_enter(2) for all that is deferred. No send may wait (MSG_DONTWAIT), so each has ended when
 * the call returns, and the bytes may be used again. A send that went well makes no completion.
 */
#include "batch/batch.h"
#ifdef PLX_HAVE_BATCH
#include <string.h>

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

/* Fills the ith entry of a call. */
static inline submission *prepare(const plx_queues *ring, uint32_t i, uint8_t opcode, int fd, const char *at)
{
    submission *s = &ring->submissions[(*ring->sq_tail + i) & ring->sq_mask];
    memset(s, 0, sizeof *s);
    s->opcode = opcode;
    s->fd = fd;
    s->address = (uintptr_t)at;
    s->user_data = i;
    return s;
}

static void prepare_sends(plx_batch *batch)
{
    plx_queues *ring = &batch->ring;
    for (uint32_t i = 0; i < batch->count; i++) {
        plx_batch_entry *entry = &batch->entries[i];
        submission *s = prepare(ring, i, OP_SEND, entry->fd, batch->bytes + entry->offset);
        s->flags = SQE_CQE_SKIP_SUCCESS;
        s->length = entry->length;
        s->op_flags = MSG_DONTWAIT | MSG_NOSIGNAL | MSG_WAITALL; /* else a short one is no failure */
        entry->result = (int32_t)entry->length;
    }
    __atomic_store_n(ring->sq_tail, *ring->sq_tail + batch->count, __ATOMIC_RELEASE);
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

/* What the kernel did not take: it lacks memory. */
static void send_by_one(plx_batch *batch, uint32_t from)
{
    plx_queues *ring = &batch->ring;
    __atomic_store_n(ring->sq_tail, __atomic_load_n(ring->sq_head, __ATOMIC_ACQUIRE), __ATOMIC_RELEASE);
    for (uint32_t i = from; i < batch->count; i++) {
        plx_batch_entry *entry = &batch->entries[i];
        entry->result = (int32_t)plx_send_now(entry->fd, batch->bytes + entry->offset, entry->length);
    }
}

bool plx_batch_ring_receive(plx_batch *batch)
{
    plx_queues *ring = &batch->ring;
    for (uint32_t i = 0; i < batch->received_count; i++) {
        char *to = batch->inbox + (size_t)i * PLX_BATCH_RECEIVED;
        submission *s = prepare(ring, i, OP_RECV, batch->received[i], to);
        s->length = PLX_BATCH_RECEIVED;
        s->op_flags = MSG_DONTWAIT;
        batch->entries[i].result = -EAGAIN;
    }
    __atomic_store_n(ring->sq_tail, *ring->sq_tail + batch->received_count, __ATOMIC_RELEASE);
    long taken;
    do {
        taken = plx_syscall(SYSCALL_ENTER, ring->fd, batch->received_count, 0, 0, 0, 0);
    } while (taken == -EINTR);
    __atomic_store_n(ring->sq_tail, __atomic_load_n(ring->sq_head, __ATOMIC_ACQUIRE), __ATOMIC_RELEASE);
    reap(batch);
    return taken > 0;
}

void plx_batch_ring_send(plx_batch *batch)
{
    uint32_t sent = 0;
    prepare_sends(batch);
    while (sent < batch->count) {
        long taken = plx_syscall(SYSCALL_ENTER, batch->ring.fd, batch->count - sent, 0, 0, 0, 0);
        if (taken == -EINTR)
            continue;
        if (taken <= 0)
            break;
        sent += (uint32_t)taken;
    }
    reap(batch);
    if (sent < batch->count)
        send_by_one(batch, sent);
}
#endif
