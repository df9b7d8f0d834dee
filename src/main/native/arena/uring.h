/* SPDX-License-Identifier: Apache-2.0
 *
 * uring.h: what uring.c and the files whose names begin like its own share.
 */
#ifndef PLX_URING_H
#define PLX_URING_H

#include "arena/transport.h"
#include "system/queues.h"
#include "system/waker.h"

#ifdef PLX_HAVE_URING
#include <sys/socket.h>

/* More flags of a connection: what is to be submitted for it. */
enum {
    PLX_NOTED = 1 << 20, /* it is in plx_ring.todo */
    PLX_TO_RECEIVE = 1 << 21,
    PLX_TO_CANCEL = 1 << 22,
    PLX_TO_FLUSH = 1 << 23,
    PLX_STARVED = 1 << 24,    /* its receive found no buffer */
    PLX_SINGLE_SHOT = 1 << 28 /* each of its receives is a request of its own */
};

/* The upper eight bits of a request's user_data; below is the connection's name. */
typedef enum { PLX_RECEIVE = 1, PLX_SEND, PLX_FLUSH, PLX_CANCEL, PLX_WAKE } plx_request;

enum { PLX_MAX_TRIES = 1000, PLX_BUFFER_GROUP = 0 };

/* What is known of this thread's work in calls that wait. */
typedef struct {
    int64_t worked, amount;           /* nanoseconds in calls that were measured, and their requests and completions */
    int64_t measured, interval, left; /* the last one's time, and calls from that to the next, and until then */
} plx_work;

typedef struct {
    plx_queues queues;
    bool is_enabled;
    plx_waker waker;
    bool has_waker, polls_waker;
    int waker_code; /* why it could not be polled in this turn: 0 or -code */
    uint32_t unsubmitted;
    uint32_t sends; /* how many of arena->sends have become submissions in this turn */
    ring_buffer *buffers;
    uint16_t buffers_tail;
    uint16_t *held; /* ids of the buffers of this turn's arrivals */
    uint16_t *seen; /* and of the last one's, whose bytes the caller has seen */
    uint32_t held_count, seen_count;
    bool *is_pinned; /* by id: a reply is sent from it */
    uint32_t *todo;  /* connections with PLX_NOTED */
    uint32_t todo_count;
    uint32_t starved;   /* how many of these wait for a buffer */
    uint32_t under_way; /* requests whose last completion is to come */
    struct msghdr *messages;
    plx_work work;
} plx_ring;

static inline plx_ring *plx_ring_of(const plx_arena *arena)
{
    return arena->io;
}

static inline plx_request plx_request_of(uint64_t user_data)
{
    return (plx_request)(user_data >> 56);
}

/* The connection's name. */
static inline uint64_t plx_requester_of(uint64_t user_data)
{
    return user_data & UINT64_MAX >> 8;
}

/* uring_ring.c: */

/* Opens the rings and fills the ring of buffers; says in arena->features what they are, or why there are none. */
int plx_ring_open(plx_arena *arena, const char *name);
/* Ends every request, so that a descriptor which is closed then is closed, and closes the rings. */
void plx_ring_close(plx_arena *arena);
/* Gives them to this thread, if no one has them: 0 or -code. */
int plx_ring_enable(plx_arena *arena);
/* Gives the kernel what was submitted; waits for that number of completions, for ns nanoseconds if that is more than 0.
 * The result of the call. */
long plx_ring_enter(plx_arena *arena, uint32_t completions, int64_t ns);
/* A failure of that which may pass. */
bool plx_ring_try_again(long code);
/* The next entry, cleared; there must be one. It may still be filled: the kernel looks at it in plx_ring_enter. */
submission *plx_ring_next(plx_ring *ring);
static inline bool plx_ring_is_full(const plx_ring *ring)
{
    return ring->unsubmitted == ring->queues.submission_count;
}
static inline uint32_t plx_ring_completions(const plx_ring *ring)
{
    return __atomic_load_n(ring->queues.cq_tail, __ATOMIC_ACQUIRE) - *ring->queues.cq_head;
}
/* The kth one that the kernel has not taken yet. */
static inline submission *plx_ring_unsubmitted(const plx_ring *ring, uint32_t k)
{
    return &ring->queues.submissions[(*ring->queues.sq_tail - ring->unsubmitted + k) & ring->queues.sq_mask];
}
/* Puts a buffer into the ring of buffers; the kernel sees it after plx_ring_publish. */
void plx_ring_give_back(plx_arena *arena, uint16_t id);
static inline void plx_ring_publish(plx_ring *ring)
{
    __atomic_store_n(&ring->buffers[0].tail, ring->buffers_tail, __ATOMIC_RELEASE);
}

/* uring_completions.c: */

/* Handles every completion there is, what had no place in the queue included. */
void plx_ring_reap(plx_arena *arena);
/* Notes what is to be submitted for a connection. */
void plx_ring_note(plx_arena *arena, uint32_t i, uint32_t what);

/* uring_requests.c; results are 0 or -code: */

/* Submits what was noted, as far as there are buffers for starved receives. */
int plx_ring_submit_noted(plx_arena *arena);
/* Forgets what was noted for connections that have ended. */
void plx_ring_forget_ended(plx_arena *arena);
/* Submits arena->sends[s]. */
int plx_ring_submit_send(plx_arena *arena, uint32_t s);
/* Gives the kernel all that was submitted, without waiting. */
int plx_ring_submit_all(plx_arena *arena);

#endif
#endif
