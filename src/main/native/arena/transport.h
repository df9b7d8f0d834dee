/* SPDX-License-Identifier: Apache-2.0
 *
 * transport.h: the data of an arena, and what a transport supplies, which moves the bytes: uring.c and readiness.c.
 */
#ifndef PLX_TRANSPORT_H
#define PLX_TRANSPORT_H

#include "arena.h"
#include "mechanism/mechanism.h"

#include <stdatomic.h>
#include <stdbool.h>

#ifdef __linux__
#define PLX_HAVE_URING
#endif

/* What a connection is and does, in five groups. rig.c of the tests looks after each turn whether what is said here is
 * so.
 *
 * What is received goes
 *
 *              receive           stop                 plx_stopped
 *     (none) ----------> RECEIVING -----> and STOPPING -----------> (none)
 *                            | the peer's end, an error: plx_ended
 *                            '-----> ENDED, and END_DUE until that is reported
 *
 * so STOPPING is never without RECEIVING, ENDED never with it, END_DUE never without ENDED. Beside that it is PAUSED or
 * not, and what is unread is UNDELIVERED or kept for the caller.
 *
 * What is sent is in arena->sends (SENDING, within a turn alone), then, if that was not all, in pieces of which the
 * first one is the transport's (FLUSHING, never without a piece). A socket that is CONNECTING has an empty piece for
 * that. UNSENDABLE has no way back; what is CUT is UNSENDABLE or is CLOSING.
 *
 * How it ends: SHUTTING may become CLOSING or RELEASING, which exclude each other, and each wait for what is unsent.
 */
enum {
    PLX_IN_USE = 1 << 0,
    PLX_LISTENING = 1 << 1, /* has nothing of what is sent, and no bytes */

    /* what is received */
    PLX_RECEIVING = 1 << 2,   /* the transport receives, or accepts */
    PLX_STOPPING = 1 << 3,    /* and was told to stop: plx_stopped will come */
    PLX_ENDED = 1 << 9,       /* nothing more will be received */
    PLX_END_DUE = 1 << 10,    /* and that is still to be reported */
    PLX_PAUSED = 1 << 6,      /* by the caller */
    PLX_UNDELIVERED = 1 << 7, /* unread bytes are to be reported as soon as that is possible */
    PLX_PATIENT = 1 << 25,    /* but not before the sends under way are known */
    PLX_QUEUED = 1 << 8,      /* in arena->again */
    PLX_DUPLEX = 1 << 26,     /* what is unsent does not keep it from receiving */

    /* what is sent */
    PLX_SENDING = 1 << 4,     /* in arena->sends: whether all went out is not known before plx_sends_done */
    PLX_FLUSHING = 1 << 5,    /* the transport has the first unsent piece: plx_flushed will come */
    PLX_CONNECTING = 1 << 27, /* the first unsent piece is empty, and sent when the socket is connected */
    PLX_UNSENDABLE = 1 << 11, /* nothing can be sent any more */
    PLX_CUT = 1 << 19,        /* bytes that were to be sent have been dropped: the peer is to notice */
    PLX_OVER_LIMIT = 1 << 13, /* that too much is unsent was reported */

    /* how it ends, when all is sent */
    PLX_SHUTTING = 1 << 14,  /* to be shut down for writing */
    PLX_CLOSING = 1 << 15,   /* to be closed */
    PLX_RELEASING = 1 << 16, /* to be given back */
    PLX_REPORTED = 1 << 12,  /* an error was reported */

    /* the transport's: readiness.c, what its set watches the descriptor for; those of uring.c are in uring.h */
    PLX_POLLED_IN = 1 << 17,
    PLX_POLLED_OUT = 1 << 18
};

/* Bytes that were received and not consumed. */
typedef struct plx_unread {
    struct plx_unread *next;          /* of the blocks that are freed at the next turn */
    uint32_t start, length, capacity; /* of bytes: those in use, and all */
    char bytes[];
} plx_unread;

/* Bytes that wait to be sent: of a copy behind the head, or resident. */
typedef struct plx_piece {
    struct plx_piece *next;
    const char *at;
    uint32_t left;
    uint32_t notify; /* number of orders that end with it and want PLX_ARRIVAL_SENT */
    uint32_t *fence; /* counts the pieces that a fence waits for, this one among them; NULL: none waits for it */
} plx_piece;

/* One connection: a cache line. */
typedef struct {
    intptr_t descriptor;
    plx_unread *unread;
    plx_piece *first, *last; /* what is unsent */
    uint32_t pending;        /* its bytes */
    uint32_t generation;
    uint32_t flags;
    uint32_t data, sent; /* indices of its arrivals in this turn, if those there are its own; data: or its error, if it
                            listens */
    uint32_t send;       /* index in arena->sends where PLX_SENDING */
    uint32_t next;       /* of a list: free connections, listening ones */
} plx_connection;

/* Orders of one connection that follow each other: one send. */
typedef struct {
    uint32_t connection;
    uint32_t first, count; /* in view.orders */
    uint32_t notify;       /* how many of them are to be reported when they are sent */
    uint64_t bytes;        /* that go out, as far as is known */
} plx_send;

/* What has become of PLX_ORDER_FENCE. */
typedef enum { PLX_NO_FENCE, PLX_FENCE_ORDERED, PLX_FENCE_PLACED } plx_fence;

/* Bytes to be sent with others: as struct iovec has them. */
typedef struct {
    const void *at;
    size_t length;
} plx_slice;

typedef struct {
    intptr_t descriptor;
    uint64_t listener;
} plx_parked;

enum { PLX_NONE = INT32_MAX, PLX_MAX_SLICES = 1024 /* IOV_MAX */ };

/* What a transport supplies. It calls the functions below from within turn, adopt and stop. */
typedef struct {
    /* Opens arena->io for arena->sizes, and says in arena->name and features what it runs on; name is that of a
     * mechanism, NULL for the best. 0, or -code and arena->features says why. */
    int (*open)(plx_arena *arena, const char *name);
    /* Prepares a descriptor that has become a connection's: 0 or -code. */
    int (*adopt)(plx_arena *arena, uint32_t i);
    /* Begins to receive, or to accept: 0 or -code. */
    int (*receive)(plx_arena *arena, uint32_t i);
    /* Ends that. plx_stopped follows, perhaps at once, perhaps after more has been received. */
    void (*stop)(plx_arena *arena, uint32_t i);
    /* Sends the connection's first piece when that is possible: plx_flushed follows. 0 or -code. With PLX_CONNECTING
     * that is when the socket is connected, or cannot be (code). */
    int (*flush)(plx_arena *arena, uint32_t i);
    /* Ends that at once, whatever becomes of the socket: whether plx_flushed still follows. */
    bool (*end_flush)(plx_arena *arena, uint32_t i);
    /* Gives a descriptor up, before it is closed or released: nothing is under way on it. NULL if it has none. */
    void (*forget)(plx_arena *arena, uint32_t i);
    /* Makes arena->sends, without waiting for any: plx_sent_short for those of which bytes are left, then
     * plx_sends_done. Waits, unless ns is 0, until something is to be reported. Receives. 0 or -code. */
    int (*turn)(plx_arena *arena, int64_t ns);
    /* Has the turn in progress, or else the next one, call plx_woken. */
    int (*wakeup)(plx_arena *arena);
    void (*close)(plx_arena *arena);
} plx_transport;

extern const plx_transport plx_uring, plx_readiness;

struct plx_arena {
    const plx_transport *transport;
    const char *name;     /* of the mechanism */
    void *io;             /* the transport's own */
    atomic_int woken;     /* 1 from a wakeup until it is reported */
    atomic_llong state;   /* when, by plx_now, the wait in progress began; negated: the last one ended */
    int64_t overestimate; /* nanoseconds that were taken for work in waits, beyond their length */
    plx_arena_sizes sizes;
    plx_arena_view view;
    /* In the shared memory, where the caller may write: of counts nothing is made, and an arrival is read in the turn
     * that wrote it alone. */
    plx_arena_counts *counts;
    plx_arrival *arrivals;
    uint32_t arrived;
    void *block;
    char *buffers; /* sizes.buffers, each of sizes.buffer_size */
    char *joins;   /* two halves: arrivals of one turn lie in one while replies of the turn before lie in the other */
    bool joins_second; /* joins is the second half */
    uint32_t join_half, join_used;
    plx_connection *connections;
    atomic_int places; /* neither in use nor reserved. For each there is a free connection, or a fresh one */
    bool was_full;     /* there was none, so nothing is accepted before plx_recycle finds one */
    uint32_t fresh;    /* those from here on were never used */
    uint32_t free, ended, listeners; /* lists; the ended ones are free at the next turn */
    uint32_t *again, again_count;    /* connections with PLX_QUEUED */
    plx_send *sends;
    uint32_t send_count;
    plx_fence fence;
    uint32_t fenced;    /* pieces that it waits for */
    bool has_followers; /* something is to be done when the sends are: a transport does not wait before that */
    plx_slice *slices;  /* view.orders[k] is in slices[k] while it is being sent, if not joined to another one */
    plx_parked *parked; /* what was accepted when all connections were in use */
    uint32_t parked_count, parked_room;
    plx_unread *released; /* blocks whose bytes the caller may read until the next turn */
    char features[256];
};

/* plx_arena_close, but what the view shows stays readable and writable, whatever it has then, until free(3) of what
 * this returns: for a caller that can't know who still has a pointer into it. */
void *plx_arena_close_but_block(plx_arena *arena);

/* For a caller with more than one arena, that has a connection go from one to another: an arena may accept connections
 * itself at any time, so that only a place which was reserved before is free when the connection comes. */

/* Keeps a place for one connection: 0, or -code as of plx_arena_adopt if there is none. Any thread. */
int plx_arena_reserve(plx_arena *arena);
/* Gives one back, for the next turn to use: a caller wakes the arena. Any thread. */
void plx_arena_unreserve(plx_arena *arena);
/* plx_arena_adopt, in a reserved place, which is given back if this fails. */
int64_t plx_arena_adopt_reserved(plx_arena *arena, intptr_t descriptor, const void *bytes, size_t length);

/* What a transport reports. */

/* A connection was accepted. */
void plx_accepted(plx_arena *arena, uint32_t listener, intptr_t descriptor);
/* Data was received. True if the bytes are reported where they are, and must stay there until the next turn. */
bool plx_received(plx_arena *arena, uint32_t i, char *bytes, uint32_t length);
/* Nothing more will be received: the end of the stream (0), or code. Of a listening one: code, and it has paused. */
void plx_ended(plx_arena *arena, uint32_t i, int code);
/* The transport does not receive any more, because it was told to, or on its own. */
void plx_stopped(plx_arena *arena, uint32_t i);
/* Of the connection's send only sent bytes went out; then it would have had to wait (0), or failed (code). */
void plx_sent_short(plx_arena *arena, uint32_t i, size_t sent, int code);
/* What was not told of as short has gone out. */
void plx_sends_done(plx_arena *arena);
/* Of the connection's first piece only sent bytes went out; then it would have had to wait (0), or failed (code). */
void plx_flushed(plx_arena *arena, uint32_t i, size_t sent, int code);
/* A wakeup has come, perhaps one that was reported already. */
void plx_woken(plx_arena *arena);
/* A transport is about to wait: the time. */
int64_t plx_wait_begins(plx_arena *arena);
/* It has waited, and meanwhile worked for that number of nanoseconds, measured or estimated. */
void plx_wait_ends(plx_arena *arena, int64_t worked);

/* Fills arena->slices from send.first on, joining what lies one behind the other, and returns their number. */
uint32_t plx_slices_of(plx_arena *arena, const plx_send *send, size_t *bytes);

static inline uint64_t plx_name_of(const plx_arena *arena, uint32_t i)
{
    return (uint64_t)arena->connections[i].generation << 32 | i;
}

#endif
