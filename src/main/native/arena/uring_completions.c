/* SPDX-License-Identifier: Apache-2.0
 *
 * uring_completions.c: what the kernel says of the requests of uring_requests.c, and what follows from it.
 */
#include "arena/uring.h"
#ifdef PLX_HAVE_URING
#include "arena/connections.h"
#include "arena/sockets.h"

void plx_ring_note(plx_arena *arena, uint32_t i, uint32_t what)
{
    plx_ring *io = plx_ring_of(arena);
    plx_connection *c = &arena->connections[i];
    if (!(c->flags & PLX_NOTED))
        io->todo[io->todo_count++] = i;
    c->flags |= PLX_NOTED | what;
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
    arena->counts->starved += is_starved;
    if (c->flags & PLX_STOPPING && (goes_on || result == -ECANCELED))
        plx_stopped(arena, i);
    else if (goes_on || result == -EINTR || result == -ECANCELED)
        plx_ring_note(arena, i, is_starved ? PLX_TO_RECEIVE | PLX_STARVED : PLX_TO_RECEIVE);
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
    bool is_early = result == -EINTR || result == -EAGAIN;
    if (is_early && (arena->connections[i].flags & PLX_CONNECTING)) /* no bytes were sent: that would be success */
        plx_ring_note(arena, i, PLX_TO_FLUSH);
    else
        plx_flushed(arena, i, result > 0 ? (size_t)result : 0, result < 0 && !is_early ? -result : 0);
}

static void wake_polled(plx_arena *arena, const completion *done)
{
    plx_ring *io = plx_ring_of(arena);
    if (!(done->flags & CQE_MORE)) {
        io->under_way--;
        io->polls_waker = false;
    }
    if (done->result < 0)
        io->waker_code = done->result;
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
            plx_ring_note(arena, i, PLX_TO_CANCEL);
        break;
    case PLX_WAKE:
        wake_polled(arena, done);
        break;
    default:
        break;
    }
}

void plx_ring_reap(plx_arena *arena)
{
    plx_ring *io = plx_ring_of(arena);
    for (;;) {
        uint32_t head = *io->queues.cq_head, tail = __atomic_load_n(io->queues.cq_tail, __ATOMIC_ACQUIRE);
        for (; head != tail; head++)
            handle(arena, &io->queues.completions[head & io->queues.cq_mask]);
        __atomic_store_n(io->queues.cq_head, head, __ATOMIC_RELEASE);
        if (!(__atomic_load_n(io->queues.sq_flags, __ATOMIC_RELAXED) & SQ_FLAG_OVERFLOW))
            break;
        arena->counts->overflows++;
        long result = plx_ring_enter(arena, 0, 0);
        if (result < 0 && !plx_ring_try_again(result))
            break; /* the next turn says so */
    }
}
#endif
