/* SPDX-License-Identifier: Apache-2.0
 *
 * uring.c: the transport over io_uring(7), Linux 6.1 and later. One io_uring_enter(2) for each turn hands over what is
 * to be sent, waits, and brings in what has come. The requests are in uring_requests.c, what becomes of them in
 * uring_completions.c, the rings in uring_ring.c.
 *
 * - A connection is received from by one request that stays (multishot), into buffers of a ring that the kernel takes
 *   them from. A buffer goes back when the caller has seen its bytes; if a reply is sent from there, after that.
 *   Not in the Unix domain: from Linux 6.17 on such a request misses an end that came together with the last bytes
 *   (axboe/liburing issue 1549). There each receive is a request of its own.
 * - A send that never waits (MSG_DONTWAIT) has ended when the kernel has taken it, and only one that is short
 *   (MSG_WAITALL makes that a failure) or failed is reported (CQE_SKIP_SUCCESS): replies that all went out
 *   makes no completion. When the queue of completions has been read to its end, silence means success.
 * - What is left of a short send is sent by a request that waits. A connection has one at a time: two that wait would
 *   mix their bytes.
 * - A send of no bytes waits until the socket is connected, and fails as that does.
 * - Closing a descriptor does not end its requests, and no FIN is sent while one is there. So a receive is cancelled,
 *   and its last completion awaited.
 * - Completions are made only when this thread enters the kernel (DEFER_TASKRUN); the ring belongs to the thread that
 *   enables it, the first one that turns (R_DISABLED, SINGLE_ISSUER).
 * - A receive that finds no buffer ends (ENOBUFS). When the last turn's buffers are back, as many such receives are
 *   made again as there are buffers, in turn: if all were, nearly all would find none again, in every turn.
 * - When the queue of completions overflows, receives end. The kernel keeps what has no place for the next enter.
 * - What arena.c asks for while completions are read is noted (`todo`) and submitted later: submitting may need to read
 *   completions itself.
 */
#include "arena/uring.h"
#ifdef PLX_HAVE_URING
#include "system/clock.h"
#include "arena/connections.h"
#include "arena/sockets.h"

/* How often the processor time of a call is measured: about once in MEASURED_NS, at least once in about
 * 2 * MAX_CALLS calls. The estimate is a moving average of about MEAN_OF measurements. */
enum { MEASURED_NS = 100000000, MAX_CALLS = 4096, MEAN_OF = 8 };

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
    plx_ring_reap(arena);
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
    plx_ring_forget_ended(arena); /* connections come and go though the ring takes nothing */
    return code;
}

static int submit_sends(plx_arena *arena)
{
    int code = 0;
    for (uint32_t s = 0; s < arena->send_count && code == 0; s++)
        code = plx_ring_submit_send(arena, s);
    give_back_seen(arena, false);
    return code;
}

/* Where replies are sent from most of the buffers: sends them, so that there are buffers to wait with. */
static int spare_buffers(plx_arena *arena)
{
    if (plx_ring_of(arena)->seen_count <= arena->sizes.buffers / 2)
        return 0;
    int code = plx_ring_submit_all(arena);
    if (code == 0) {
        plx_ring_reap(arena);
        give_back_seen(arena, true);
    }
    return code;
}

/* Takes the work of a call into account, and decides which one is measured next. That is left to chance, so that no
 * rhythm of the peers distorts the estimate, and counted in calls: most time passes in calls with little work. */
static void learn(plx_work *w, int64_t began, int64_t worked, int64_t amount)
{
    int64_t calls = w->interval * MEASURED_NS / (began - w->measured + 1);
    calls = calls > 2 * w->interval ? 2 * w->interval : calls;
    w->interval = 1 + began % (2 * (calls < MAX_CALLS ? calls : MAX_CALLS) + 1);
    w->left = w->interval - 1;
    w->measured = began;
    w->worked += worked - w->worked / MEAN_OF;
    w->amount += amount - w->amount / MEAN_OF;
}

/* One call sends, waits and receives. What this thread works meanwhile is its processor time. To know that takes a
 * system call, so it is measured in few calls, and estimated in the others. */
static long enter_and_wait(plx_arena *arena, int64_t ns)
{
    plx_ring *io = plx_ring_of(arena);
    plx_work *w = &io->work;
    bool is_measured = w->left-- == 0;
    int64_t began = plx_wait_begins(arena), before = is_measured ? plx_thread_time() : 0;
    uint32_t requests = io->unsubmitted;
    long result = plx_ring_enter(arena, 1, ns);
    int64_t amount = 1 + (int64_t)requests + plx_ring_completions(io);
    int64_t worked = is_measured ? plx_thread_time() - before : w->worked * amount / w->amount;
    plx_wait_ends(arena, worked);
    if (is_measured)
        learn(w, began, worked, amount);
    return result;
}

static int uring_turn(plx_arena *arena, int64_t ns)
{
    plx_ring *io = plx_ring_of(arena);
    int code = plx_ring_enable(arena);
    turn_buffers(io);
    io->sends = 0;
    io->waker_code = 0;
    if (code == 0)
        code = submit_sends(arena);
    if (code == 0 && ns != 0)
        code = spare_buffers(arena);
    if (code == 0)
        code = plx_ring_submit_noted(arena);
    if (code < 0)
        return postpone_sends(arena, code);
    bool waits = ns != 0 && arena->arrived == 0 && !arena->has_followers && io->starved == 0;
    long result = waits ? enter_and_wait(arena, ns) : plx_ring_enter(arena, 0, 0);
    plx_ring_reap(arena);
    if (io->unsubmitted > 0 && (code = plx_ring_submit_all(arena)) < 0)
        return postpone_sends(arena, code);
    plx_ring_reap(arena);
    plx_sends_done(arena);
    give_back_seen(arena, true);
    return result < 0 && result != -ETIME && result != -EAGAIN && result != -EBUSY ? (int)result : io->waker_code;
}

/* io_uring uses the descriptor's mode to tell whether it may wait for it. */
static int uring_adopt(plx_arena *arena, uint32_t i)
{
    plx_connection *c = &arena->connections[i];
    if (plx_socket_family(c->descriptor) == AF_UNIX)
        c->flags |= PLX_SINGLE_SHOT;
    return plx_socket_set_blocking(c->descriptor, true);
}

static int uring_receive(plx_arena *arena, uint32_t i)
{
    plx_ring_note(arena, i, PLX_TO_RECEIVE);
    return 0;
}

static void uring_stop(plx_arena *arena, uint32_t i)
{
    plx_connection *c = &arena->connections[i];
    if (c->flags & PLX_TO_RECEIVE) {
        c->flags &= ~(uint32_t)PLX_TO_RECEIVE;
        plx_stopped(arena, i);
    } else {
        plx_ring_note(arena, i, PLX_TO_CANCEL);
    }
}

static int uring_flush(plx_arena *arena, uint32_t i)
{
    plx_ring_note(arena, i, PLX_TO_FLUSH);
    return 0;
}

/* The kernel has the piece. */
static bool uring_end_flush(plx_arena *arena, uint32_t i)
{
    intptr_t descriptor = arena->connections[i].descriptor;
    if (!plx_socket_reset(descriptor))
        plx_socket_shutdown(descriptor, true);
    return true;
}

static int uring_wakeup(plx_arena *arena)
{
    return plx_waker_signal(&plx_ring_of(arena)->waker);
}

const plx_transport plx_uring = {
    .open = plx_ring_open,
    .adopt = uring_adopt,
    .receive = uring_receive,
    .stop = uring_stop,
    .flush = uring_flush,
    .end_flush = uring_end_flush,
    .turn = uring_turn,
    .wakeup = uring_wakeup,
    .close = plx_ring_close,
};
#endif
