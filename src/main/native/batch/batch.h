/* SPDX-License-Identifier: Apache-2.0
 *
 * batch.h: what the thread that selects writes to its stream sockets is deferred, and goes to the kernel in one
 * io_uring_enter(2) when that thread waits next. After a wait another one receives from all sockets that have something
 * to be read. docs/batch.md says what a program sees of it.
 *
 * A descriptor has at most one batch, whose lock guards what is deferred for it. Writes of one descriptor never
 * overlap: the JDK's channel has a lock for them. So any other call on a descriptor first asks whether something
 * is deferred, and sends that.
 *
 * batch.c has the batch of a selector, batch_streams.c the calls on a descriptor, batch_inbox.c what is received ahead,
 * batch_sending.c what is sent, batch_ring.c the calls of io_uring, batch_flusher.c the thread that sends what is late,
 * and rests, batch_tasks.c what that is told.
 */
#ifndef PLX_BATCH_H
#define PLX_BATCH_H

#include "system/clock.h"
#include "pollux.h"
#include "system/queues.h"
#include "system/rawcall.h"

#ifdef PLX_RAW_CALLS
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
    PLX_BATCH_MICROS = 500,        /* no bytes are deferred for longer */
    PLX_BATCH_WRITES_TO_BEGIN = 3, /* in a turn, on average: fewer have no company to be sent with */
    PLX_BATCH_WRITES_TO_GO_ON = 2,
    PLX_BATCH_TURNS_OF_ONE_THREAD = 64,
    PLX_BATCH_RECEIVED = 4096, /* from one socket at a time */
    PLX_BATCH_RECEIVES_TO_BEGIN = 3
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
    uint64_t remainders; /* sends that the socket had no room for */
    uint64_t late_errors;
    uint64_t switched_off;             /* since it did not pay */
    uint64_t receives, received_bytes; /* before the application reads */
    uint64_t receive_batches;
    uint64_t unread; /* receives whose bytes were not read before the next wait */
} plx_batch_counts;

typedef struct {
    int fd;
    uint32_t offset, length;
    int32_t result;
} plx_batch_entry;

/* Bytes that were received and not read before the next wait: they are reported again, as the kernel would. */
typedef struct {
    int fd;
    uint32_t stamp; /* of the receive */
    uint64_t cookie;
    uint32_t want; /* what the selector watches for */
} plx_batch_unread;

typedef struct plx_batch {
    pthread_mutex_t lock;
    struct plx_batch *next; /* of all there ever were: they are used again, and never freed */
    bool is_open;

    /* Of the thread that selects. Others read `thread`. */
    _Atomic(const void *) thread;
    bool is_active;
    uint32_t turn, turns_of_thread;
    int turn_writes, average; /* writes of this turn, and of the last ones on average, times 16 */

    /* Guarded by the lock. */
    uint32_t count, used;
    _Atomic int64_t since; /* when the first one was deferred, CLOCK_MONOTONIC; 0 if there is none */
    char *bytes;
    plx_batch_counts counts;
    plx_queues ring;
    plx_batch_entry entries[PLX_BATCH_ENTRIES];

    bool receives;
    uint32_t epoch; /* of `thread`: a new one for each */
    char *inbox;
    uint32_t received_count; /* since the last wait, into the inbox */
    int received[PLX_BATCH_ENTRIES];
    plx_batch_unread *unread; /* guarded by the lock */
    atomic_uint unread_count;
    uint32_t unread_capacity;
} plx_batch;

/* What a descriptor has; all of them lie in one array. */
typedef struct {
    _Atomic(plx_batch *) batch; /* NULL if it is in none */
    atomic_uint state;          /* of the following bits */
    uint32_t entry;             /* its last one in the batch, if PLX_DEFERRED */
    uint32_t registrations;
    uint32_t empty_turn; /* when a read found nothing */
    int error;           /* -code, if PLX_LATE_ERROR */
    char *rest;          /* what the socket had no room for, if PLX_REMAINDER */
    uint32_t rest_length, rest_sent;
    bool shuts_output; /* when the rest is sent */
    bool is_unix;      /* a socket of the Unix domain: the kernel must see what is unread when it is closed */

    /* Received before the application reads. Guarded by the batch's lock, but for `reader`, which the channel's lock
     * for reading guards too. */
    uint32_t reader; /* the epoch in which its batch's thread has read it; 0 if another thread has, since */
    _Atomic uint32_t in_length;
    const char *in;
    char *in_copy; /* where `in` points into, if that is not the inbox */
    uint32_t in_stamp;
    uint32_t drained_turn; /* when its socket had no more than that */
    uint32_t passed_over;  /* until this turn, since it was not read */
    uint64_t cookie;       /* as it is registered */
    uint32_t want;
} plx_stream;

enum { PLX_DEFERRED = 1, PLX_REMAINDER = 2, PLX_LATE_ERROR = 4 };

extern plx_stream *plx_streams;
extern int plx_stream_count;
extern atomic_int plx_stream_highest; /* that was ever in a batch */

/* NULL, or why there can be none. */
const char *plx_batch_obstacle(void);
/* 0 or -code. */
int plx_batch_open(bool receives, plx_batch **result);
void plx_batch_close(plx_batch *batch);
/* A connected stream, or one that is connecting, is registered with the selector; is deregistered. */
void plx_batch_adopt(plx_batch *batch, int fd);
void plx_batch_release(int fd);
/* What its selector watches for has changed. */
void plx_batch_watch(plx_batch *batch, int fd, uint32_t want, uint64_t cookie);
/* This thread, NULL for one whose calls are its own, is about to wait: sends all. True if something is to be reported
 * without a wait. */
bool plx_batch_end_turn(plx_batch *batch, const void *thread);
/* It has waited: adds what is to be reported to n events, and receives from those that are readable. */
int plx_batch_begin_turn(plx_batch *batch, plx_event *events, int n, int max_events);

/* Bytes that were received and that the application has not read yet. */
static inline uint32_t plx_stream_unread_length(const plx_stream *stream)
{
    return atomic_load_explicit(&stream->in_length, memory_order_acquire);
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
 * PLX_NOT_DEFERRED, when nothing of it is deferred any more. */
long plx_stream_write(plx_stream *stream, int fd, const void *thread, const struct iovec *slices, int count);
/* The same for a call that is not a write: 0 if it may be made. Waits for room if the descriptor is a blocking one. */
long plx_stream_before_call(plx_stream *stream, int fd);
/* Before each read: what was received already, -EAGAIN, or PLX_NOT_DEFERRED if the caller is to make the call. */
long plx_stream_read(plx_stream *stream, const void *thread, const struct iovec *slices, int count);
/* The call found no bytes, but this: what the read is to return. */
long plx_stream_on_empty_read(plx_stream *stream, const void *thread, long result);
static inline uint32_t plx_stream_unread(int fd)
{
    const plx_stream *stream = plx_stream_of(fd);
    return stream == NULL ? 0 : plx_stream_unread_length(stream);
}
/* Its output is to be shut down: true if that happens by itself, after the rest is sent. */
bool plx_stream_shuts_output(plx_stream *stream, int fd);
/* It is about to be closed, or to become a blocking one. */
void plx_stream_before_close(plx_stream *stream, int fd);
void plx_stream_before_blocking(plx_stream *stream, int fd);

/* batch_sending.c */

/* Set when the process ends: nothing is deferred any more. */
extern atomic_bool plx_batch_ends;
/* Sends all. With the lock. */
void plx_batch_flush(plx_batch *batch, plx_flush why);
/* Sends what is left over: true if nothing is, or it has failed. With the lock. */
bool plx_stream_send_rest(plx_stream *stream, int fd);
/* The same for a socket that the application will not write to: it gets a larger buffer, if the system permits. */
bool plx_stream_send_last(plx_stream *stream, int fd);
/* Locks its batch, which may become another one meanwhile; NULL if it has none any more. */
plx_batch *plx_stream_lock(plx_stream *stream);

/* A send that does not wait. */
static inline long plx_send_now(int fd, const void *bytes, size_t length)
{
    return plx_syscall(SYS_sendto, fd, (long)bytes, (long)length, MSG_DONTWAIT | MSG_NOSIGNAL, 0, 0);
}

/* batch_ring.c. A ring is never closed: that would interrupt system calls of all threads that used it. */
/* Whether this kernel has all that a ring needs: 0 or -code. */
int plx_batch_ring_probe(void);
/* Sends every entry and sets its result. */
void plx_batch_ring_send(plx_batch *batch);
/* Receives from all of `received` into the inbox; false if nothing was. */
bool plx_batch_ring_receive(plx_batch *batch);

/* batch_inbox.c */
void plx_inbox_keep_unread(plx_batch *batch);
/* Takes what is unread out of the inbox, which is used again. */
void plx_inbox_detach(plx_batch *batch, plx_stream *stream);
/* The same, before others get it too; it is reported by this batch as before. */
void plx_inbox_share(plx_batch *batch, plx_stream *stream, int fd);
int plx_inbox_report(plx_batch *batch, plx_event *events, int n, int max_events);
void plx_inbox_receive(plx_batch *batch, const plx_event *events, int n);
/* Something is unread that another batch has received. */
void plx_inbox_take_over(plx_batch *batch, plx_stream *stream, int fd);
void plx_inbox_drop(plx_stream *stream, int fd);

/* batch_flusher.c: a thread that sends what is deferred for long, and what sockets had no room for. */
int plx_flusher_start(void);

/* batch_tasks.c: what that thread is told. */

/* What is left over of a descriptor that was closed: a copy of that, and the bytes. Of the flusher alone, once it is
 * in the list. */
typedef struct plx_orphan {
    struct plx_orphan *next;
    int fd;
    plx_stream rest;
    int64_t until;
} plx_orphan;

extern struct plx_tasks {
    int epfd, wake;
    _Atomic(plx_batch *) batches;
    _Atomic(plx_orphan *) fresh;
    atomic_bool sleeps; /* the flusher does, until it is woken */
} plx_tasks;

/* Has it told, once, when a descriptor has room: by its number, or that of an orphan: >= 0 or -code. */
int plx_flusher_watch(int operation, int fd, uint64_t data);

/* There is a batch more to look after. */
void plx_flusher_add(plx_batch *batch);
plx_batch *plx_flusher_batches(void);
/* Wakes it if it sleeps until something is deferred. */
void plx_flusher_on_deferral(void);
void plx_flusher_await_room(int fd);
/* Takes over the rest of a descriptor that is being closed: false if that can't be. */
bool plx_flusher_adopt_rest(plx_stream *stream, int fd);
/* The kernel resets the connection when it is closed. */
static inline void plx_reset_on_close(int fd)
{
    struct linger reset = { 1, 0 };
    setsockopt(fd, SOL_SOCKET, SO_LINGER, &reset, sizeof reset);
}

#endif
#endif
