/* SPDX-License-Identifier: Apache-2.0
 *
 * uring.c: the transport over io_uring(7), Linux 6.1 and later. One io_uring_enter(2) for each turn hands over what is
 * to be sent, waits, and brings in what has come.
 *
 * - A connection is received from by one request that stays (multishot), into buffers of a ring that the kernel takes
 *   them from. A buffer goes back when the caller has seen its bytes; if a reply is sent from there, after that.
 * - A send that never waits (MSG_DONTWAIT) has ended when the kernel has taken it, and only one that is short
 *   (MSG_WAITALL makes that a failure) or failed is reported (CQE_SKIP_SUCCESS): a batch of replies that all went out
 *   makes no completion. When the queue of completions has been read to its end, silence means success.
 * - What is left of a short send is sent by a request that waits. A connection has one at a time: two that wait would
 *   mix their bytes.
 * - Closing a descriptor does not end its requests, and no FIN is sent while one is there. So a receive is cancelled,
 *   and its last completion awaited.
 * - Completions are made only when this thread enters the kernel (DEFER_TASKRUN); the ring belongs to the thread that
 *   enables it, the first one that turns (R_DISABLED, SINGLE_ISSUER).
 * - A receive that finds no buffer ends (ENOBUFS). When the last batch's buffers are back, as many such receives are
 *   made again as there are buffers, in turn: if all were, nearly all would find none again, in every turn.
 * - When the queue of completions overflows, receives end, the kernel keeps what has no place, and the next enter has it.
 * - What arena.c asks for while completions are read is noted (`todo`) and submitted later: submitting may need to read
 *   completions itself.
 */
#include "uring.h"
#ifdef PLX_HAVE_URING
#include "connections.h"
#include "sockets.h"

#include <poll.h>
#include <stdlib.h>
#include <string.h>

/* More flags of a connection: what is to be submitted for it. */
enum { NOTED = 1 << 20, TO_RECEIVE = 1 << 21, TO_CANCEL = 1 << 22, TO_FLUSH = 1 << 23, STARVED = 1 << 24 };

/* ---- completions ---- */

/* Notes what is to be submitted for a connection. */
static void note(plx_arena *arena, uint32_t i, uint32_t what)
{
    plx_ring *io = plx_ring_of(arena);
    plx_connection *c = &arena->connections[i];
    if (!(c->flags & NOTED))
        io->todo[io->todo_count++] = i;
    c->flags |= NOTED | what;
}

static void take_bytes(plx_arena *arena, uint32_t i, const completion *done)
{
    plx_ring *io = plx_ring_of(arena);
    uint16_t id = (uint16_t)(done->flags >> CQE_BUFFER_SHIFT);
    char *bytes = arena->buffers + (size_t)id * arena->sizes.buffer_size;
    if (i != PLX_NONE && done->result > 0 && plx_received(arena, i, bytes, (uint32_t)done->result))
        io->held[io->held_count++] = id;
    else
        plx_ring_give_back(arena, id);
}

static void receive_ended(plx_arena *arena, uint32_t i, int result)
{
    plx_connection *c = &arena->connections[i];
    bool is_starved = result == -ENOBUFS && !(c->flags & PLX_LISTENING);
    bool goes_on = c->flags & PLX_LISTENING ? result == 0 || plx_socket_accept_again(result) : result > 0 || is_starved;
    arena->counts.starved += is_starved;
    if (c->flags & PLX_STOPPING && (goes_on || result == -ECANCELED))
        plx_stopped(arena, i);
    else if (goes_on || result == -EINTR || result == -ECANCELED)
        note(arena, i, is_starved ? TO_RECEIVE | STARVED : TO_RECEIVE);
    else
        plx_ended(arena, i, -result);
}

static void received(plx_arena *arena, uint32_t i, const completion *done)
{
    plx_ring *io = plx_ring_of(arena);
    bool is_last = !(done->flags & CQE_MORE);
    bool accepts = i != PLX_NONE && (arena->connections[i].flags & PLX_LISTENING);
    io->under_way -= is_last;
    if (done->flags & CQE_BUFFER)
        take_bytes(arena, i, done);
    else if (accepts && done->result >= 0)
        plx_accepted(arena, i, done->result);
    if (i != PLX_NONE && is_last)
        receive_ended(arena, i, accepts && done->result > 0 ? 0 : done->result);
}

static void flushed(plx_arena *arena, uint32_t i, int result)
{
    plx_ring_of(arena)->under_way--;
    if (i == PLX_NONE)
        return;
    if (result == -EINTR || result == -EAGAIN)
        result = 0;
    plx_flushed(arena, i, result > 0 ? (size_t)result : 0, result < 0 ? -result : 0);
}

static void wake_polled(plx_arena *arena, const completion *done)
{
    plx_ring *io = plx_ring_of(arena);
    if (!(done->flags & CQE_MORE)) {
        io->under_way--;
        io->polls_waker = false;
    }
    if (plx_waker_is_pipe(&io->waker))
        plx_waker_drain(&io->waker);
    plx_woken(arena);
}

static void handle(plx_arena *arena, const completion *done)
{
    uint32_t i = plx_find(arena, plx_requester_of(done->user_data));
    switch (plx_request_of(done->user_data)) {
    case PLX_RECEIVE:
        received(arena, i, done);
        break;
    case PLX_SEND:
        if (i != PLX_NONE)
            plx_sent_short(arena, i, done->result > 0 ? (size_t)done->result : 0,
                           done->result < 0 && !plx_socket_would_block(done->result) ? -done->result : 0);
        break;
    case PLX_FLUSH:
        flushed(arena, i, done->result);
        break;
    case PLX_CANCEL: /* it was too late, or too early */
        if (i != PLX_NONE && (arena->connections[i].flags & PLX_STOPPING) && done->result == -EALREADY)
            note(arena, i, TO_CANCEL);
        break;
    case PLX_WAKE:
        wake_polled(arena, done);
        break;
    default:
        break;
    }
}

/* Handles every completion there is, what had no place in the queue included. */
static void reap(plx_arena *arena)
{
    plx_ring *io = plx_ring_of(arena);
    for (;;) {
        uint32_t head = *io->cq_head, tail = __atomic_load_n(io->cq_tail, __ATOMIC_ACQUIRE);
        for (; head != tail; head++)
            handle(arena, &io->completions[head & io->cq_mask]);
        __atomic_store_n(io->cq_head, head, __ATOMIC_RELEASE);
        if (!(__atomic_load_n(io->sq_flags, __ATOMIC_RELAXED) & SQ_FLAG_OVERFLOW))
            break;
        arena->counts.overflows++;
        long result = plx_ring_enter(arena, 0, 0);
        if (result < 0 && !plx_ring_try_again(result))
            break; /* the next turn says so */
    }
}

/* ---- submissions ---- */

/* Gives the kernel all that was submitted, without waiting: 0 or -code. */
static int submit_all(plx_arena *arena)
{
    plx_ring *io = plx_ring_of(arena);
    for (int tries = 0; io->unsubmitted > 0; tries++) {
        long result = plx_ring_enter(arena, 0, 0);
        if (result < 0 && (!plx_ring_try_again(result) || tries == PLX_MOST_TRIES))
            return (int)result;
        if (result < 0)
            reap(arena);
    }
    return 0;
}

/* The next entry, or NULL and *code. */
static submission *next_submission(plx_arena *arena, int *code)
{
    plx_ring *io = plx_ring_of(arena);
    *code = plx_ring_is_full(io) ? submit_all(arena) : 0;
    if (*code < 0)
        return NULL;
    return plx_ring_next(io);
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
        entry->ioprio = RECV_MULTISHOT;
        entry->flags = SQE_BUFFER_SELECT;
        entry->buffer_group = PLX_BUFFER_GROUP;
    }
    plx_ring_commit(plx_ring_of(arena));
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
    plx_ring_commit(plx_ring_of(arena));
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
    entry->op_flags = MSG_NOSIGNAL | MSG_WAITALL;
    entry->user_data = user_data(arena, PLX_FLUSH, i);
    plx_ring_commit(plx_ring_of(arena));
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
    plx_ring_commit(io);
    io->under_way++;
    io->polls_waker = true;
    return 0;
}

/* What could not be submitted is noted again. */
static int submit_what_was_noted(plx_arena *arena, uint32_t i)
{
    plx_connection *c = &arena->connections[i];
    uint32_t left = c->flags & (TO_RECEIVE | TO_CANCEL | TO_FLUSH);
    int code = 0;
    c->flags &= ~(NOTED | STARVED | left);
    if ((left & TO_RECEIVE) && (code = submit_receive(arena, i)) == 0)
        left &= ~(uint32_t)TO_RECEIVE;
    if (code == 0 && (left & TO_CANCEL) && (code = submit_cancel(arena, i)) == 0)
        left &= ~(uint32_t)TO_CANCEL;
    if (code == 0 && (left & TO_FLUSH))
        code = submit_flush(arena, i);
    if (code < 0)
        note(arena, i, left);
    return code;
}

static int submit_noted(plx_arena *arena)
{
    plx_ring *io = plx_ring_of(arena);
    int code = io->polls_waker ? 0 : submit_wake_poll(arena);
    uint32_t done = 0, left = 0, spare = arena->sizes.buffers - io->seen_count;
    for (; done < io->todo_count && code == 0; done++) {
        uint32_t i = io->todo[done], flags = arena->connections[i].flags;
        if (!(flags & NOTED))
            continue; /* it has ended */
        if ((flags & (STARVED | TO_CANCEL | TO_FLUSH)) == STARVED) {
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

static int submit_send(plx_arena *arena, uint32_t s)
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
    entry->flags = SQE_CQE_SKIP_SUCCESS;
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
    plx_ring_commit(io);
    io->sends++;
    return 0;
}

/* ---- a turn ---- */

/* The last turn's arrivals have been seen. */
static void turn_buffers(plx_ring *io)
{
    uint16_t *empty = io->seen;
    io->seen = io->held;
    io->seen_count = io->held_count;
    io->held = empty;
    io->held_count = 0;
}

/* Gives the kernel what the caller has seen; what a reply is sent from only after that, if `all`. */
static void give_back_seen(plx_arena *arena, bool all)
{
    plx_ring *io = plx_ring_of(arena);
    uint32_t left = 0;
    for (uint32_t k = 0; k < io->seen_count; k++) {
        uint16_t id = io->seen[k];
        if (io->is_pinned[id] && !all) {
            io->seen[left++] = id;
        } else {
            io->is_pinned[id] = false;
            plx_ring_give_back(arena, id);
        }
    }
    io->seen_count = left;
    plx_ring_publish(io);
}

/* The ring takes nothing now. What was to be sent waits, as the rest of a short send does; other requests stay where
 * they are. So nothing is lost if the next turn has more luck. */
static int postpone_sends(plx_arena *arena, int code)
{
    plx_ring *io = plx_ring_of(arena);
    reap(arena);
    for (uint32_t k = 0; k < io->unsubmitted; k++) {
        submission *entry = plx_ring_unsubmitted(io, k);
        if (plx_request_of(entry->user_data) != PLX_SEND)
            continue;
        plx_sent_short(arena, plx_find(arena, plx_requester_of(entry->user_data)), 0, 0);
        *entry = (submission){ .opcode = OP_NOP, .flags = SQE_CQE_SKIP_SUCCESS };
    }
    for (uint32_t s = io->sends; s < arena->send_count; s++)
        plx_sent_short(arena, arena->sends[s].connection, 0, 0);
    plx_sends_done(arena);
    give_back_seen(arena, true);
    return code;
}

static int submit_sends(plx_arena *arena)
{
    int code = 0;
    for (uint32_t s = 0; s < arena->send_count && code == 0; s++)
        code = submit_send(arena, s);
    give_back_seen(arena, false);
    return code;
}

/* Where replies are sent from most of the buffers: sends them, so that there are buffers to wait with. */
static int spare_buffers(plx_arena *arena)
{
    if (plx_ring_of(arena)->seen_count <= arena->sizes.buffers / 2)
        return 0;
    int code = submit_all(arena);
    if (code == 0) {
        reap(arena);
        give_back_seen(arena, true);
    }
    return code;
}

static int uring_turn(plx_arena *arena, int64_t ns)
{
    plx_ring *io = plx_ring_of(arena);
    int code = plx_ring_enable(arena);
    turn_buffers(io);
    io->sends = 0;
    if (code == 0)
        code = submit_sends(arena);
    if (code == 0 && ns != 0)
        code = spare_buffers(arena);
    if (code == 0)
        code = submit_noted(arena);
    if (code < 0)
        return postpone_sends(arena, code);
    bool waits = ns != 0 && arena->arrived == 0 && !arena->has_followers && io->starved == 0;
    long result = plx_ring_enter(arena, waits, waits ? ns : 0);
    reap(arena);
    if (io->unsubmitted > 0 && (code = submit_all(arena)) < 0)
        return postpone_sends(arena, code);
    reap(arena);
    plx_sends_done(arena);
    give_back_seen(arena, true);
    return result < 0 && result != -ETIME && !(result == -EAGAIN || result == -EBUSY) ? (int)result : 0;
}

/* ---- what arena.c asks for ---- */

/* io_uring uses the descriptor's mode to tell whether it may wait for it. */
static int uring_adopt(plx_arena *arena, uint32_t i)
{
    return plx_socket_set_blocking(arena->connections[i].descriptor, true);
}

static int uring_receive(plx_arena *arena, uint32_t i)
{
    note(arena, i, TO_RECEIVE);
    return 0;
}

static void uring_stop(plx_arena *arena, uint32_t i)
{
    plx_connection *c = &arena->connections[i];
    if (c->flags & TO_RECEIVE) {
        c->flags &= ~(uint32_t)TO_RECEIVE;
        plx_stopped(arena, i);
    } else {
        note(arena, i, TO_CANCEL);
    }
}

static int uring_flush(plx_arena *arena, uint32_t i)
{
    note(arena, i, TO_FLUSH);
    return 0;
}

static void uring_forget(plx_arena *arena, uint32_t i)
{
    (void)arena;
    (void)i;
}

static int uring_wakeup(plx_arena *arena)
{
    return plx_waker_signal(&plx_ring_of(arena)->waker);
}

static const char *uring_name(const plx_arena *arena)
{
    (void)arena;
    return "io_uring";
}

static int uring_open(plx_arena *arena, const char *name)
{
    (void)name;
    return plx_ring_open(arena);
}

const plx_transport plx_uring = {
    .open = uring_open,
    .name = uring_name,
    .adopt = uring_adopt,
    .receive = uring_receive,
    .stop = uring_stop,
    .flush = uring_flush,
    .forget = uring_forget,
    .turn = uring_turn,
    .wakeup = uring_wakeup,
    .close = plx_ring_close,
};
#endif
