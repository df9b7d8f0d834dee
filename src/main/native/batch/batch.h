/* SPDX-License-Identifier: Apache-2.0
 *
 * batch.h: what the thread that selects writes to its stream sockets is deferred, and goes to the kernel in one
 * io_uring_enter(2) when that thread waits next. docs/batch.md says what a program sees of it.
 *
 * Nothing is received before the application reads: the next owner of a descriptor would miss bytes that are out of the
 * socket.
 *
 * A descriptor has at most one batch, whose lock guards what the kernel is owed for it. Writes of one descriptor never
 * overlap: the JDK's channel has a lock for them. So any other call on a descriptor first asks whether the kernel is
 * owed something, and sends that.
 *
 * Two threads see these fields. Each says who writes it: the *turn's thread*, which is in `thread` and holds the
 * selector's lock while it selects; a thread that has the *lock* of the batch; or it is *atomic*, so that a thread can
 * see without the lock whether to take it.
 *
 * batch.c has the batch of a selector, batch_streams.c the calls on a descriptor, batch_sending.c what is sent,
 * batch_ring.c the calls of io_uring, batch_flusher.c the thread that sends what is late, and rests, batch_tasks.c what
 * that is told.
 */
#ifndef PLX_BATCH_H
#define PLX_BATCH_H

#include "system/clock.h"
#include "pollux.h"
#include "system/queues.h"
#include "system/rawcall.h"

#if defined(__linux__) && (defined(PLX_RAW_CALLS) || defined(PLX_LIBC_CALLS))
#define PLX_HAVE_BATCH

#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>
#include <sys/uio.h>

enum {
    PLX_BATCH_ENTRIES = 256,
    PLX_BATCH_BYTES = 512 * 1024,
    PLX_BATCH_LARGEST = 16 * 1024, /* for one descriptor; a longer write is made at once */
    PLX_BATCH_RING = 64,           /* sends of one call; two pages of memory that the limit of locked memory counts */
    PLX_BATCH_MICROS = 1000,       /* no bytes are deferred for longer */
    PLX_BATCH_LONG_TURN = 250,     /* microseconds, after which a thread that goes on writing sends what it has */
    PLX_BATCH_WRITES_TO_BEGIN = 3, /* in a turn, on average: fewer have no company to be sent with */
    PLX_BATCH_WRITES_TO_GO_ON = 2,
    PLX_BATCH_TURNS_OF_ONE_THREAD = 64
};

/* Why bytes were sent. */
typedef enum {
    PLX_FLUSH_WAIT, /* the thread waits */
    PLX_FLUSH_CALL, /* another call on the same descriptor */
    PLX_FLUSH_READ, /* the thread reads again although there was nothing */
    PLX_FLUSH_AGE,  /* they were deferred for long enough */
    PLX_FLUSH_FULL, /* there is no room for more */
    PLX_FLUSH_REASONS
} plx_flush;

/* In the order of Counter.java. */
typedef struct {
    uint64_t writes, bytes; /* that were deferred */
    uint64_t batches, batches_by_reason[PLX_FLUSH_REASONS];
    uint64_t rests; /* sends that the socket had no room for */
    uint64_t late_errors;
    uint64_t switched_off; /* since it did not pay */
} plx_batch_counts;

/* A descriptor of -1: it was closed meanwhile. */
typedef struct {
    int fd;
    uint32_t offset, length;
    int32_t result;
    bool shuts_output; /* when it is sent; its DEFERRED is not a last one */
} plx_batch_entry;

typedef struct plx_batch {
    pthread_mutex_t lock;
    struct plx_batch *next; /* of all there ever were: they are used again, and never freed */
    bool is_open;           /* guarded by plx_batch_open's lock */

    /* The thread that selects; NULL if what it writes is not to be deferred. Changed by itself, with the lock. */
    _Atomic(const void *) thread;
    /* Of that thread alone; atomic, since one that has just lost its selector to another may still count a write. */
    atomic_bool is_active;
    atomic_uint turn, turn_writes;
    uint32_t turns_with_writes, average; /* writes of the last ones on average, times 16; of the turn's thread */
    int ring_error;                      /* -code: there is no ring, and can't be one; of the turn's thread */
    bool has_ring;                       /* with the lock */

    /* With the lock. */
    uint32_t count, used;
    _Atomic int64_t since; /* when the first one was deferred, CLOCK_MONOTONIC; 0 if there is none */
    uint32_t late_turn;    /* its thread did not send in time: what it writes until its end is not deferred */
    char *bytes;
    plx_batch_counts counts;
    plx_queues ring;
    plx_batch_entry entries[PLX_BATCH_ENTRIES];
} plx_batch;

/*
 * What the kernel is owed for a descriptor:
 *
 *                 write                   no room                 shutdownOutput
 *     NOTHING --------------> DEFERRED ----------------> REST ----------------------> LAST_REST
 *      ^ ^ ^ ^                 |    |                    |  |                           |  |
 *      | | | '------ sent -----'    |       error        |  |                           |  |
 *      | | |                        '-----> ERROR <------'  |                           |  |
 *      | | '---- told by a call ------------' ^             |                           |  |
 *      | '------------------ sent ------------|-------------'                           |  |
 *      |                                      '------------- error, then shut ----------'  |
 *      '-------------------------------------- sent, then shut ----------------------------'
 *
 * Each of them becomes NOTHING when the descriptor is closed, or another owner takes it. DEFERRED stays DEFERRED
 * where there is no memory for a rest: the bytes stay in the batch.
 */
typedef enum { PLX_OWED_NOTHING, PLX_OWED_DEFERRED, PLX_OWED_REST, PLX_OWED_LAST_REST, PLX_OWED_ERROR } plx_owed;

/* What a descriptor has; all of them lie in one array. Guarded by the batch's lock. */
typedef struct {
    _Atomic(plx_batch *) batch; /* NULL if it is in none; changed with the lock of the one that it leaves, if any */
    atomic_int owed;            /* a plx_owed */
    atomic_uint empty_turn;     /* when a read found nothing; of the turn's thread */
    uint32_t entry;             /* its own in the batch, while DEFERRED */
    uint32_t registrations;
    int error;  /* -code, while OWED_ERROR; while REST, why no more was sent, or 0 */
    char *rest; /* while REST or LAST_REST */
    uint32_t rest_length, rest_sent;
    struct plx_orphan *orphan; /* while it has a rest: what that needs to outlive the descriptor */
} plx_stream;

extern plx_stream *plx_streams;
extern int plx_stream_count;
extern atomic_int plx_stream_highest; /* that was ever in a batch */

/* NULL, or why there can be none. */
const char *plx_batch_obstacle(void);
/* 0 or -code: there is no batch, and nothing is left open for it. */
int plx_batch_open(plx_batch **result);
void plx_batch_close(plx_batch *batch);
void plx_batch_count(plx_batch *batch, plx_batch_counts *counts);
/* A connected stream, or one that is connecting, is registered with the selector; is deregistered. */
void plx_batch_adopt(plx_batch *batch, int fd);
void plx_batch_release(int fd);
/* This thread, NULL for one whose calls are its own, is about to wait: sends all. 0, or -code, once: there can be no
 * ring, and from now on nothing is deferred. */
int plx_batch_end_turn(plx_batch *batch, const void *thread);

static inline plx_owed plx_owed_for(plx_stream *stream)
{
    return (plx_owed)atomic_load_explicit(&stream->owed, memory_order_acquire);
}
static inline void plx_owe(plx_stream *stream, plx_owed what)
{
    atomic_store_explicit(&stream->owed, (int)what, memory_order_release);
}
static inline bool plx_has_rest(plx_stream *stream)
{
    plx_owed owed = plx_owed_for(stream);
    return owed == PLX_OWED_REST || owed == PLX_OWED_LAST_REST;
}

/* NULL if nothing is known of it. */
static inline plx_stream *plx_stream_of(int fd)
{
    if ((unsigned)fd >= (unsigned)plx_stream_count)
        return NULL;
    plx_stream *stream = &plx_streams[fd];
    return atomic_load_explicit(&stream->batch, memory_order_acquire) == NULL ? NULL : stream;
}

/* Instead of a count: the caller is to make the system call itself. */
enum { PLX_NOT_DEFERRED = -4096 };

/* Defers these bytes: their number, -EAGAIN if the socket is full, another -code that an earlier send met, or
 * PLX_NOT_DEFERRED, when the kernel is owed nothing for it any more. */
long plx_stream_write(plx_stream *stream, int fd, const void *thread, const struct iovec *slices, int count);
/* The same for a call that is not a write: 0 if it may be made. Waits for room if the descriptor is a blocking one. */
long plx_stream_before_call(plx_stream *stream, int fd);
/* A read has found no bytes, but this: what it is to return. */
long plx_stream_on_empty_read(plx_stream *stream, const void *thread, long result);
/* Its output is to be shut down: true if that happens by itself, after the rest is sent. */
bool plx_stream_shuts_output(plx_stream *stream, int fd);
/* How a number stops being this socket's: it becomes free, or another file's (dup2(2)). */
typedef enum { PLX_CLOSED, PLX_REPLACED } plx_end;
/* It is about to. True if a rest is left. One that is to be closed must stay open then: the flusher closes it. */
bool plx_stream_before_end(plx_stream *stream, int fd, plx_end how);
/* It is about to become a blocking one. */
void plx_stream_before_blocking(plx_stream *stream, int fd);
/* Another owner is going to write to it by another descriptor: what the kernel is owed, for that to send first. Its
 * length, 0 if that is nothing, or -code that a send has met; the bytes are in memory to be freed. */
long plx_stream_take_owed(plx_stream *stream, int fd, char **bytes);

/* batch_sending.c */

/* Set when the process ends: nothing is deferred any more. */
extern atomic_bool plx_batch_ends;
/* Sends all; what there is no memory to keep stays in the batch. With the lock. */
void plx_batch_flush(plx_batch *batch, plx_flush why);
/* It has no rest any more. With the lock. */
void plx_stream_free_rest(plx_stream *stream);
/* Sends what is left over: true if nothing is, or it has failed. With the lock. */
bool plx_stream_send_rest(plx_stream *stream, int fd);
/* The same for a socket that the application will not write to: it gets a larger buffer, if the system permits. */
bool plx_stream_send_last(plx_stream *stream, int fd);
/* Locks its batch, which may become another one meanwhile; NULL if it has none any more. */
plx_batch *plx_stream_lock(plx_stream *stream);
/* A system call that old kernels lack, and old sandboxes refuse. */
static inline bool plx_is_missing(long code)
{
    return code == -ENOSYS || code == -EPERM || code == -EACCES;
}

/* batch_ring.c. A ring is never closed: that would interrupt system calls of all threads that used it. */
/* Whether this kernel has all that a ring needs: 0 or -code. */
int plx_batch_ring_probe(void);
/* Makes the batch's ring: 0 or -code. */
int plx_batch_ring_open(plx_batch *batch);
/* A send that does not wait. A sandbox that refuses sendto(2) may permit write(2). */
long plx_send_now(int fd, const void *bytes, size_t length);
/* Sends these entries by a call for each, and sets their results. */
void plx_batch_send_each(plx_batch *batch, uint32_t from, uint32_t to);
/* Sends every entry and sets its result. */
void plx_batch_ring_send(plx_batch *batch);

/* batch_flusher.c: a thread that sends what is deferred for long, and what sockets had no room for. */
int plx_flusher_start(void);

/* batch_tasks.c: what that thread is told. */

/* What is left over of a descriptor that the application has closed: that, or a copy, and the bytes. Of the flusher
 * alone, once it is in the list. */
typedef struct plx_orphan {
    struct plx_orphan *next;
    int fd;
    bool had_room; /* as the kernel has told, before the last try to send */
    plx_stream rest;
    int64_t until;
} plx_orphan;

extern struct plx_tasks {
    int epfd, wake;
    _Atomic(plx_batch *) batches;
    _Atomic(plx_orphan *) fresh;
    atomic_bool sleeps;   /* the flusher does, until it is woken */
    atomic_bool is_lost;  /* a rest could not be watched: they all have to be looked at now and then */
    atomic_bool is_blind; /* the flusher can't wait for descriptors, but for `woken` */
    atomic_int woken;     /* not 0: it is to be awake; a futex */
} plx_tasks;

/* Operations of futex(2), private ones; <linux/futex.h> may be missing. */
enum { PLX_FUTEX_WAIT = 128, PLX_FUTEX_WAKE = 129 };

/* Has it told, once, when a descriptor has room: by its number, or that of an orphan. Where that can't be, it is looked
 * at now and then. */
void plx_flusher_watch(int operation, int fd, uint64_t data);

/* There is a batch more to look after. */
void plx_flusher_add(plx_batch *batch);
plx_batch *plx_flusher_batches(void);
/* Wakes it if it sleeps until something is deferred. */
void plx_flusher_on_deferral(void);
void plx_flusher_await_room(int fd);
void plx_flusher_forget(int fd);
/* Takes over the rest of a descriptor, and that itself if it is to be closed, else a copy: false if there is none. */
bool plx_flusher_adopt_rest(plx_stream *stream, int fd, plx_end how);
/* The kernel resets the connection when it is closed. */
static inline void plx_reset_on_close(int fd)
{
    struct linger reset = { 1, 0 };
    setsockopt(fd, SOL_SOCKET, SO_LINGER, &reset, sizeof reset);
}

#endif
#endif
