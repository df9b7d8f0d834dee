/* SPDX-License-Identifier: Apache-2.0
 *
 * uring_ring.c: an arena's io_uring(7), and a third ring beside its two queues, of the buffers that the kernel may
 * receive into. See io_uring_enter(2), io_uring_register(2).
 */
#include "arena/uring.h"
#ifdef PLX_HAVE_URING
#include "system/rawcall.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>

enum { SUBMISSIONS = 1024, QUEUE_HEADS = 256 /* bytes, at most */ };

long plx_ring_enter(plx_arena *arena, uint32_t completions, int64_t ns)
{
    plx_ring *io = plx_ring_of(arena);
    plx_timespec timeout = plx_timespec_of(ns);
    enter_argument argument = { .timeout = ns > 0 ? (uintptr_t)&timeout : 0 };
    arena->counts->system_calls++;
    long result = plx_syscall(SYSCALL_ENTER, io->queues.fd, io->unsubmitted, completions,
                              ENTER_GETEVENTS | ENTER_EXT_ARG, (long)&argument, sizeof argument);
    if (result > 0)
        io->unsubmitted -= (uint32_t)result;
    return result;
}

bool plx_ring_try_again(long code)
{
    return code == -EINTR || code == -EAGAIN || code == -EBUSY || code == -ENOMEM;
}

submission *plx_ring_next(plx_ring *ring)
{
    submission *entry = &ring->queues.submissions[*ring->queues.sq_tail & ring->queues.sq_mask];
    memset(entry, 0, sizeof *entry);
    __atomic_store_n(ring->queues.sq_tail, *ring->queues.sq_tail + 1, __ATOMIC_RELEASE);
    ring->unsubmitted++;
    return entry;
}

void plx_ring_give_back(plx_arena *arena, uint16_t id)
{
    plx_ring *io = plx_ring_of(arena);
    ring_buffer *entry = &io->buffers[io->buffers_tail & (arena->sizes.buffers - 1)];
    entry->address = (uintptr_t)(arena->buffers + (size_t)id * arena->sizes.buffer_size);
    entry->length = arena->sizes.buffer_size;
    entry->id = id;
    io->buffers_tail++;
}

int plx_ring_enable(plx_arena *arena)
{
    plx_ring *io = plx_ring_of(arena);
    int code =
        io->is_enabled ? 0 : (int)plx_syscall(SYSCALL_REGISTER, io->queues.fd, REGISTER_ENABLE_RINGS, 0, 0, 0, 0);
    io->is_enabled = code == 0;
    return code;
}

static size_t buffers_size(const plx_arena *arena)
{
    return arena->sizes.buffers * sizeof(ring_buffer);
}

static uint32_t submission_count(const plx_arena *arena)
{
    return arena->sizes.completions < SUBMISSIONS ? arena->sizes.completions : SUBMISSIONS;
}

static size_t in_pages(size_t size)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    return (size + page - 1) / page * page;
}

/* The kernel counts these as memory that the user has locked (seen with Linux 6.18); RLIMIT_MEMLOCK is for all
 * processes of the user together. */
static void explain_memory(plx_arena *arena)
{
    struct rlimit limit;
    size_t submissions = submission_count(arena), completions = arena->sizes.completions;
    size_t rings = QUEUE_HEADS + completions * sizeof(completion) + submissions * sizeof(uint32_t);
    size_t locked = in_pages(rings) + in_pages(submissions * sizeof(submission)) + in_pages(buffers_size(arena));
    if (getrlimit(RLIMIT_MEMLOCK, &limit) < 0 || limit.rlim_cur == RLIM_INFINITY)
        snprintf(arena->features, sizeof arena->features, "out of memory (ENOMEM)");
    else
        snprintf(arena->features, sizeof arena->features,
                 "out of memory (ENOMEM): it locks %zu KiB, and ulimit -l permits this user %llu KiB in all",
                 locked / 1024, (unsigned long long)limit.rlim_cur / 1024);
}

static int explain(plx_arena *arena, int code)
{
    char reason[128];
    if (code == -ENOMEM)
        explain_memory(arena);
    else
        snprintf(arena->features, sizeof arena->features, "%s",
                 plx_uring_reason(-code, plx_strerror(-code, reason, sizeof reason)));
    return code;
}

static int register_buffers(plx_arena *arena)
{
    plx_ring *io = plx_ring_of(arena);
    void *buffers = mmap(NULL, buffers_size(arena), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (buffers == MAP_FAILED)
        return -errno;
    io->buffers = buffers;
    buffer_ring_registration registration = { .address = (uintptr_t)buffers,
                                              .entries = arena->sizes.buffers,
                                              .group = PLX_BUFFER_GROUP };
    long code = plx_syscall(SYSCALL_REGISTER, io->queues.fd, REGISTER_PBUF_RING, (long)&registration, 1, 0, 0);
    if (code < 0)
        return (int)code;
    for (uint32_t id = 0; id < arena->sizes.buffers; id++)
        plx_ring_give_back(arena, (uint16_t)id);
    plx_ring_publish(io);
    return 0;
}

static int make_tables(plx_arena *arena)
{
    plx_ring *io = plx_ring_of(arena);
    uint32_t buffers = arena->sizes.buffers, connections = arena->sizes.connections;
    io->held = calloc(buffers, sizeof *io->held);
    io->seen = calloc(buffers, sizeof *io->seen);
    io->is_pinned = calloc(buffers, sizeof *io->is_pinned);
    io->todo = calloc(4 * (size_t)connections, sizeof *io->todo);
    io->messages = calloc(connections, sizeof *io->messages);
    bool has_ids = io->held != NULL && io->seen != NULL && io->is_pinned != NULL;
    return has_ids && io->todo != NULL && io->messages != NULL ? 0 : -ENOMEM;
}

/* A sandbox may let a ring be set up, and refuse to use it: a ring that is not enabled says EBADFD. */
static int check_enter(const plx_ring *io)
{
    long code = plx_syscall(SYSCALL_ENTER, io->queues.fd, 0, 0, 0, 0, 0);
    return code == -EBADFD || code >= 0 ? 0 : (int)code;
}

static int set_up(plx_arena *arena)
{
    plx_ring *io = plx_ring_of(arena);
    uint32_t completions = arena->sizes.completions;
    setup_params params = { .cq_entries = completions,
                            .flags = SETUP_CQSIZE | SETUP_R_DISABLED | SETUP_SUBMIT_ALL | SETUP_SINGLE_ISSUER |
                                     SETUP_DEFER_TASKRUN };
    int code = plx_queues_open(&io->queues, submission_count(arena), &params);
    if (code == 0)
        code = check_enter(io);
    if (code == 0)
        code = register_buffers(arena);
    if (code == 0)
        code = plx_waker_open(&io->waker);
    io->has_waker = code == 0;
    return code == 0 ? make_tables(arena) : code;
}

static void free_ring(plx_arena *arena)
{
    plx_ring *io = plx_ring_of(arena);
    plx_queues_close(&io->queues);
    if (io->has_waker)
        plx_waker_close(&io->waker);
    if (io->buffers != NULL)
        munmap(io->buffers, buffers_size(arena));
    free(io->messages);
    free(io->todo);
    free(io->is_pinned);
    free(io->seen);
    free(io->held);
    free(io);
}

int plx_ring_open(plx_arena *arena, const char *name)
{
    (void)name;
    plx_ring *io = calloc(1, sizeof *io);
    if (io == NULL)
        return -ENOMEM;
    arena->io = io;
    arena->name = "io_uring";
    plx_syscall_setup();
    int code = set_up(arena);
    if (code < 0) {
        free_ring(arena);
        return explain(arena, code);
    }
    snprintf(arena->features, sizeof arena->features, "io_uring: multishot receives, %u buffers of %u bytes, %s",
             arena->sizes.buffers, arena->sizes.buffer_size, plx_waker_is_pipe(&io->waker) ? "pipe" : "eventfd");
    return 0;
}

static void cancel_all(plx_arena *arena)
{
    plx_ring *io = plx_ring_of(arena);
    if (plx_ring_is_full(io))
        (void)plx_ring_enter(arena, 0, 0);
    submission *entry = plx_ring_next(io);
    entry->opcode = OP_ASYNC_CANCEL;
    entry->flags = SQE_CQE_SKIP_SUCCESS;
    entry->op_flags = CANCEL_ANY | CANCEL_ALL;
    for (int tries = 0; io->under_way > 0 && tries < PLX_MAX_TRIES; tries++) {
        long result = plx_ring_enter(arena, 1, 1000000);
        if (result < 0 && !plx_ring_try_again(result) && result != -ETIME)
            return;
        uint32_t head = *io->queues.cq_head, tail = __atomic_load_n(io->queues.cq_tail, __ATOMIC_ACQUIRE);
        for (; head != tail; head++) {
            const completion *done = &io->queues.completions[head & io->queues.cq_mask];
            plx_request request = plx_request_of(done->user_data);
            if (request == PLX_RECEIVE && !(done->flags & CQE_BUFFER) && done->result > 0)
                close(done->result); /* it was accepted just now */
            if ((request == PLX_RECEIVE || request == PLX_FLUSH || request == PLX_WAKE) && !(done->flags & CQE_MORE))
                io->under_way--;
        }
        __atomic_store_n(io->queues.cq_head, head, __ATOMIC_RELEASE);
    }
}

void plx_ring_close(plx_arena *arena)
{
    if (plx_ring_of(arena)->is_enabled)
        cancel_all(arena);
    free_ring(arena);
}
#endif
