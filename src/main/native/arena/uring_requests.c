/* SPDX-License-Identifier: Apache-2.0
 *
 * uring_requests.c: what the kernel is asked to do for a connection, as entries of the queue of submissions.
 */
#include "arena/uring.h"
#ifdef PLX_HAVE_URING
#include <poll.h>
#include <string.h>

enum { LARGEST_SEND = 0x7ffff000 }; /* MAX_RW_COUNT, of 4 KiB pages */

int plx_ring_submit_all(plx_arena *arena)
{
    plx_ring *io = plx_ring_of(arena);
    for (int tries = 0; io->unsubmitted > 0; tries++) {
        long result = plx_ring_enter(arena, 0, 0);
        if (result < 0 && (!plx_ring_try_again(result) || tries == PLX_MAX_TRIES))
            return (int)result;
        if (result < 0)
            plx_ring_reap(arena);
    }
    return 0;
}

/* The next entry, or NULL and *code. */
static submission *next_submission(plx_arena *arena, int *code)
{
    plx_ring *io = plx_ring_of(arena);
    *code = plx_ring_is_full(io) ? plx_ring_submit_all(arena) : 0;
    return *code < 0 ? NULL : plx_ring_next(io);
}

static uint64_t user_data(const plx_arena *arena, plx_request request, uint32_t i)
{
    return (uint64_t)request << 56 | plx_name_of(arena, i);
}

static int submit_receive(plx_arena *arena, uint32_t i)
{
    const plx_connection *c = &arena->connections[i];
    int code;
    submission *entry = next_submission(arena, &code);
    if (entry == NULL)
        return code;
    entry->fd = (int)c->descriptor;
    entry->user_data = user_data(arena, PLX_RECEIVE, i);
    if (c->flags & PLX_LISTENING) {
        entry->opcode = OP_ACCEPT;
        entry->ioprio = ACCEPT_MULTISHOT;
        entry->op_flags = SOCK_CLOEXEC;
    } else {
        entry->opcode = OP_RECV;
        entry->ioprio = c->flags & PLX_SINGLE_SHOT ? 0 : RECV_MULTISHOT;
        entry->flags = SQE_BUFFER_SELECT;
        entry->buffer_group = PLX_BUFFER_GROUP;
    }
    plx_ring_of(arena)->under_way++;
    return 0;
}

static int submit_cancel(plx_arena *arena, uint32_t i)
{
    int code;
    submission *entry = next_submission(arena, &code);
    if (entry == NULL)
        return code;
    entry->opcode = OP_ASYNC_CANCEL;
    entry->flags = SQE_CQE_SKIP_SUCCESS;
    entry->address = user_data(arena, PLX_RECEIVE, i);
    entry->user_data = user_data(arena, PLX_CANCEL, i);
    return 0;
}

static int submit_flush(plx_arena *arena, uint32_t i)
{
    const plx_connection *c = &arena->connections[i];
    int code;
    submission *entry = next_submission(arena, &code);
    if (entry == NULL)
        return code;
    entry->opcode = OP_SEND;
    entry->fd = (int)c->descriptor;
    entry->address = (uintptr_t)c->first->at;
    entry->length = c->first->left;
    entry->op_flags = MSG_NOSIGNAL; /* part of it is reported: a peer that reads slowly does read */
    entry->user_data = user_data(arena, PLX_FLUSH, i);
    plx_ring_of(arena)->under_way++;
    return 0;
}

static int submit_wake_poll(plx_arena *arena)
{
    plx_ring *io = plx_ring_of(arena);
    int code;
    submission *entry = next_submission(arena, &code);
    if (entry == NULL)
        return code;
    entry->opcode = OP_POLL_ADD;
    entry->fd = io->waker.read_fd;
    entry->length = POLL_MULTISHOT;
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    entry->op_flags = (uint32_t)POLLIN << 16; /* two halves, the other way round */
#else
    entry->op_flags = POLLIN;
#endif
    entry->user_data = (uint64_t)PLX_WAKE << 56;
    io->under_way++;
    io->polls_waker = true;
    return 0;
}

static uint32_t submitted(plx_arena *arena, uint32_t noted, uint32_t what)
{
    arena->counts->changes++;
    return noted & ~what;
}

/* What could not be submitted is noted again. */
static int submit_what_was_noted(plx_arena *arena, uint32_t i)
{
    plx_connection *c = &arena->connections[i];
    uint32_t left = c->flags & (PLX_TO_RECEIVE | PLX_TO_CANCEL | PLX_TO_FLUSH);
    int code = 0;
    c->flags &= ~(PLX_NOTED | PLX_STARVED | left);
    if ((left & PLX_TO_RECEIVE) && (code = submit_receive(arena, i)) == 0)
        left = submitted(arena, left, PLX_TO_RECEIVE);
    if (code == 0 && (left & PLX_TO_CANCEL) && (code = submit_cancel(arena, i)) == 0)
        left = submitted(arena, left, PLX_TO_CANCEL);
    if (code == 0 && (left & PLX_TO_FLUSH) && (code = submit_flush(arena, i)) == 0)
        left = submitted(arena, left, PLX_TO_FLUSH);
    if (code < 0)
        plx_ring_note(arena, i, left);
    return code;
}

int plx_ring_submit_noted(plx_arena *arena)
{
    plx_ring *io = plx_ring_of(arena);
    int code = io->polls_waker ? 0 : submit_wake_poll(arena);
    uint32_t done = 0, left = 0, spare = arena->sizes.buffers - io->seen_count;
    for (; done < io->todo_count && code == 0; done++) {
        uint32_t i = io->todo[done], flags = arena->connections[i].flags;
        if (!(flags & PLX_NOTED))
            continue; /* it has ended */
        if ((flags & (PLX_STARVED | PLX_TO_CANCEL | PLX_TO_FLUSH)) == PLX_STARVED) {
            if (spare == 0) {
                io->todo[left++] = i;
                continue;
            }
            spare--;
        }
        code = submit_what_was_noted(arena, i);
    }
    io->starved = left;
    io->todo_count -= done;
    memmove(io->todo + left, io->todo + done, io->todo_count * sizeof *io->todo);
    io->todo_count += left;
    return code;
}

/* A number that was used again may be there twice. */
void plx_ring_forget_ended(plx_arena *arena)
{
    plx_ring *io = plx_ring_of(arena);
    uint32_t left = 0;
    for (uint32_t k = 0; k < io->todo_count; k++) {
        plx_connection *c = &arena->connections[io->todo[k]];
        if (c->flags & PLX_NOTED)
            io->todo[left++] = io->todo[k];
        c->flags &= ~(uint32_t)PLX_NOTED;
    }
    for (uint32_t k = 0; k < left; k++)
        arena->connections[io->todo[k]].flags |= PLX_NOTED;
    io->todo_count = left;
}

/* The buffers that a reply is sent from stay until it is sent. */
static void pin(plx_arena *arena, const plx_slice *slice)
{
    plx_ring *io = plx_ring_of(arena);
    uintptr_t from = (uintptr_t)slice->at - (uintptr_t)arena->buffers, to = from + slice->length;
    uint32_t size = arena->sizes.buffer_size;
    if ((uintptr_t)slice->at < (uintptr_t)arena->buffers || from >= (uintptr_t)arena->sizes.buffers * size)
        return;
    for (uintptr_t id = from / size; id < arena->sizes.buffers && id * size < to; id++)
        io->is_pinned[id] = true;
}

int plx_ring_submit_send(plx_arena *arena, uint32_t s)
{
    const plx_send *send = &arena->sends[s];
    plx_ring *io = plx_ring_of(arena);
    plx_slice *slices = &arena->slices[send->first];
    size_t bytes;
    int code;
    uint32_t count = plx_slices_of(arena, send, &bytes);
    submission *entry = next_submission(arena, &code);
    if (entry == NULL)
        return code;
    for (uint32_t k = 0; k < count; k++)
        pin(arena, &slices[k]);
    entry->fd = (int)arena->connections[send->connection].descriptor;
    entry->flags =
        bytes <= LARGEST_SEND ? SQE_CQE_SKIP_SUCCESS : 0; /* else the kernel sends less, as if that were all */
    entry->op_flags = MSG_NOSIGNAL | MSG_DONTWAIT | MSG_WAITALL;
    entry->user_data = user_data(arena, PLX_SEND, send->connection);
    if (count == 1) {
        entry->opcode = OP_SEND;
        entry->address = (uintptr_t)slices->at;
        entry->length = (uint32_t)slices->length;
    } else {
        io->messages[s] = (struct msghdr){ .msg_iov = (void *)slices, .msg_iovlen = (uint16_t)count };
        entry->opcode = OP_SENDMSG;
        entry->address = (uintptr_t)&io->messages[s];
        entry->length = 1;
    }
    io->sends++;
    return 0;
}
#endif
