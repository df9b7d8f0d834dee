/* SPDX-License-Identifier: Apache-2.0
 *
 * batch_streams.c: the calls on a descriptor for which the kernel may be owed something. See batch.h.
 */
#include "batch/batch.h"
#ifdef PLX_HAVE_BATCH
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>

enum { WRITES_TO_AGE = 4 }; /* that take long enough to look at the clock */

static bool is_of_turn(plx_batch *batch, const void *thread)
{
    return atomic_load_explicit(&batch->thread, memory_order_relaxed) == thread;
}

/* With the lock. */
static long take_error(plx_stream *stream)
{
    if (plx_owed_for(stream) != PLX_OWED_ERROR)
        return 0;
    plx_owe(stream, PLX_OWED_NOTHING);
    return stream->error;
}

/* With the lock: sends what is owed. True if the socket had no room for all of it. */
static bool leaves_rest(plx_batch *batch, plx_stream *stream, int fd)
{
    if (plx_owed_for(stream) == PLX_OWED_DEFERRED)
        plx_batch_flush(batch, PLX_FLUSH_CALL);
    if (plx_has_rest(stream))
        return !plx_stream_send_rest(stream, fd);
    return plx_owed_for(stream) == PLX_OWED_DEFERRED;
}

/* The same: 0, or -EAGAIN if there was no room, or another -code that a send met. */
static long send_owed(plx_batch *batch, plx_stream *stream, int fd)
{
    return leaves_rest(batch, stream, fd) ? -EAGAIN : take_error(stream);
}

/* With the lock. */
static bool has_room(const plx_batch *batch, plx_stream *stream, size_t length)
{
    if (length > PLX_BATCH_BYTES - batch->used)
        return false;
    if (plx_owed_for(stream) != PLX_OWED_DEFERRED)
        return batch->count < PLX_BATCH_ENTRIES;
    return stream->entry == batch->count - 1 && batch->entries[stream->entry].length + length <= PLX_BATCH_LARGEST;
}

static void append(plx_batch *batch, plx_stream *stream, int fd, const struct iovec *slices, int count, size_t length)
{
    uint32_t end = batch->used;
    for (int i = 0; i < count; i++) {
        if (slices[i].iov_len > 0)
            memcpy(batch->bytes + end, slices[i].iov_base, slices[i].iov_len);
        end += (uint32_t)slices[i].iov_len;
    }
    if (plx_owed_for(stream) == PLX_OWED_DEFERRED) {
        batch->entries[stream->entry].length += (uint32_t)length;
    } else {
        stream->entry = batch->count;
        batch->entries[batch->count++] =
            (plx_batch_entry){ .fd = fd, .offset = batch->used, .length = (uint32_t)length };
        plx_owe(stream, PLX_OWED_DEFERRED);
    }
    batch->used = end;
    batch->counts.writes++;
    batch->counts.bytes += length;
}

/* With the lock, by the thread of the turn. */
static void defer(plx_batch *batch, plx_stream *stream, int fd, const struct iovec *slices, int count, size_t length)
{
    append(batch, stream, fd, slices, count, length);
    int64_t since = atomic_load_explicit(&batch->since, memory_order_relaxed);
    if (since == 0) {
        atomic_store(&batch->since, plx_now());
        plx_flusher_on_deferral();
    } else if (batch->counts.writes % WRITES_TO_AGE == 0 && plx_now() - since > PLX_BATCH_LONG_TURN * 1000) {
        plx_batch_flush(batch, PLX_FLUSH_AGE); /* what this thread does between writes takes long */
    }
}

static size_t length_of(const struct iovec *slices, int count)
{
    size_t length = 0;
    for (int i = 0; i < count && length <= PLX_BATCH_LARGEST; i++)
        length += slices[i].iov_len > PLX_BATCH_LARGEST ? PLX_BATCH_LARGEST + 1 : slices[i].iov_len;
    return length;
}

/* With the lock. A thread that was late may have waited for what came of its bytes, such as a reset: its next write is
 * to fail then, as without a batch. */
static bool may_join(plx_batch *batch, const plx_stream *stream, const void *thread, size_t length)
{
    return is_of_turn(batch, thread) && atomic_load_explicit(&batch->is_active, memory_order_relaxed) &&
           batch->late_turn != atomic_load_explicit(&batch->turn, memory_order_relaxed) && stream->registrations == 1 &&
           length > 0 && length <= PLX_BATCH_LARGEST && !atomic_load_explicit(&plx_batch_ends, memory_order_relaxed);
}

/* With the lock: the number of bytes, or PLX_NOT_DEFERRED, or -code. */
static long write_to(plx_batch *batch, plx_stream *stream, int fd, const void *thread, const struct iovec *slices,
                     int count)
{
    size_t length = length_of(slices, count);
    bool joins = may_join(batch, stream, thread, length);
    if (joins && !has_room(batch, stream, length))
        plx_batch_flush(batch, PLX_FLUSH_FULL);
    if (!joins || plx_owed_for(stream) != PLX_OWED_DEFERRED || !has_room(batch, stream, length)) {
        long code = send_owed(batch, stream, fd);
        if (code < 0)
            return code;
    }
    if (!joins || !has_room(batch, stream, length))
        return PLX_NOT_DEFERRED;
    defer(batch, stream, fd, slices, count, length);
    return (long)length;
}

long plx_stream_write(plx_stream *stream, int fd, const void *thread, const struct iovec *slices, int count)
{
    plx_batch *batch = atomic_load_explicit(&stream->batch, memory_order_acquire);
    if (batch == NULL)
        return PLX_NOT_DEFERRED;
    bool is_own = is_of_turn(batch, thread);
    if (is_own) {
        uint32_t writes = atomic_load_explicit(&batch->turn_writes, memory_order_relaxed);
        atomic_store_explicit(&batch->turn_writes, writes + 1, memory_order_relaxed);
    }
    bool defers = is_own && atomic_load_explicit(&batch->is_active, memory_order_relaxed);
    if (!defers && plx_owed_for(stream) == PLX_OWED_NOTHING)
        return PLX_NOT_DEFERRED;
    batch = plx_stream_lock(stream);
    if (batch == NULL)
        return PLX_NOT_DEFERRED;
    long result = write_to(batch, stream, fd, thread, slices, count);
    pthread_mutex_unlock(&batch->lock);
    return result;
}

/* Without the lock: 0 if the kernel is owed nothing any more. */
static long send_before_call(plx_stream *stream, int fd)
{
    plx_batch *batch = plx_owed_for(stream) == PLX_OWED_NOTHING ? NULL : plx_stream_lock(stream);
    if (batch == NULL)
        return 0;
    long result = send_owed(batch, stream, fd);
    pthread_mutex_unlock(&batch->lock);
    return result;
}

/* Without the lock: >= 0, or -code. */
static long await_room(int fd, int64_t millis)
{
    struct pollfd room = { .fd = fd, .events = POLLOUT };
    return plx_syscall(SYS_poll, (long)&room, 1, millis, 0, 0, 0);
}

static bool waits(int fd)
{
    long flags = plx_syscall(SYS_fcntl, fd, F_GETFL, 0, 0, 0, 0);
    return flags >= 0 && (flags & O_NONBLOCK) == 0;
}

/* A socket that has room may refuse the bytes for lack of memory, and tell of its room again at once. */
static void pause_before_trying_again(bool is_first)
{
    const struct timespec pause = { 0, 1000000 };
    if (!is_first)
        nanosleep(&pause, NULL);
}

long plx_stream_before_call(plx_stream *stream, int fd)
{
    long result;
    bool is_first = true;
    for (; (result = send_before_call(stream, fd)) == -EAGAIN && waits(fd); is_first = false) {
        pause_before_trying_again(is_first);
        long code = await_room(fd, -1);
        if (code < 0)
            return code; /* -EINTR: the JDK looks whether the channel is closed, and asks again */
    }
    return result;
}

/* What a send met is told after the last byte, as the kernel would. */
static long take_late_error(plx_stream *stream)
{
    plx_batch *batch = plx_owed_for(stream) != PLX_OWED_ERROR ? NULL : plx_stream_lock(stream);
    if (batch == NULL)
        return 0;
    long error = take_error(stream);
    pthread_mutex_unlock(&batch->lock);
    return error;
}

/* The first time it may only see that all was read; who asks again waits for an answer. */
static void send_before_asking_again(plx_stream *stream, const void *thread)
{
    plx_batch *batch = atomic_load_explicit(&stream->batch, memory_order_acquire);
    if (batch == NULL || !is_of_turn(batch, thread))
        return;
    uint32_t turn = atomic_load_explicit(&batch->turn, memory_order_relaxed);
    bool is_first = atomic_load_explicit(&stream->empty_turn, memory_order_relaxed) != turn;
    atomic_store_explicit(&stream->empty_turn, turn, memory_order_relaxed);
    if (is_first || atomic_load_explicit(&batch->since, memory_order_relaxed) == 0)
        return;
    pthread_mutex_lock(&batch->lock);
    plx_batch_flush(batch, PLX_FLUSH_READ);
    pthread_mutex_unlock(&batch->lock);
}

long plx_stream_on_empty_read(plx_stream *stream, const void *thread, long result)
{
    if (result == -EAGAIN)
        send_before_asking_again(stream, thread);
    long error = take_late_error(stream);
    return error < 0 ? error : result;
}

bool plx_stream_shuts_output(plx_stream *stream, int fd)
{
    plx_batch *batch = plx_owed_for(stream) == PLX_OWED_NOTHING ? NULL : plx_stream_lock(stream);
    if (batch == NULL)
        return false;
    bool later = leaves_rest(batch, stream, fd);
    if (later && plx_owed_for(stream) == PLX_OWED_DEFERRED)
        batch->entries[stream->entry].shuts_output = true;
    else if (later)
        plx_owe(stream, PLX_OWED_LAST_REST);
    pthread_mutex_unlock(&batch->lock);
    return later;
}

/* With the lock: leaves the batch, unless something is to be sent or told first. */
static void leave(plx_stream *stream)
{
    stream->registrations = 0;
    if (plx_owed_for(stream) == PLX_OWED_NOTHING)
        atomic_store(&stream->batch, NULL);
}

void plx_stream_before_blocking(plx_stream *stream, int fd)
{
    plx_batch *batch = plx_stream_lock(stream);
    if (batch == NULL)
        return;
    leaves_rest(batch, stream, fd);
    leave(stream);
    pthread_mutex_unlock(&batch->lock);
}

/* With the lock: it has no rest any more. */
static void drop_rest(plx_stream *stream, int fd)
{
    if (!plx_has_rest(stream))
        return;
    plx_flusher_forget(fd);
    plx_stream_free_rest(stream);
}

/* The same for what stays in the batch, since there is no memory for it elsewhere. */
static void drop_deferred(plx_batch *batch, plx_stream *stream)
{
    if (plx_owed_for(stream) == PLX_OWED_DEFERRED)
        batch->entries[stream->entry].fd = -1;
}

/* Seconds that the kernel lets a closing thread wait for; -1 if SO_LINGER is off. */
static int linger_seconds(int fd)
{
    struct linger linger = { 0, 0 };
    socklen_t length = sizeof linger;
    bool is_set = getsockopt(fd, SOL_SOCKET, SO_LINGER, &linger, &length) == 0 && linger.l_onoff;
    return is_set ? linger.l_linger : -1;
}

/* Whether the kernel drops what is to be sent when this is closed: SO_LINGER without time, or unread bytes. */
static bool is_reset_by_close(int fd)
{
    int unread = 0;
    return linger_seconds(fd) == 0 || (ioctl(fd, FIONREAD, &unread) == 0 && unread > 0);
}

/* With the lock: what a socket has no room for outlives it, or the peer sees that it is missing. True if the
 * flusher has it. */
static bool leave_rest(plx_batch *batch, plx_stream *stream, int fd, plx_end how)
{
    if (plx_has_rest(stream) && !is_reset_by_close(fd)) {
        if (plx_stream_send_last(stream, fd))
            return false;
        if (plx_flusher_adopt_rest(stream, fd, how))
            return true;
    }
    drop_rest(stream, fd);
    drop_deferred(batch, stream);
    plx_reset_on_close(fd);
    return false;
}

/* Without the lock: as long as the kernel would let the closing thread wait. */
static void await_rest(plx_stream *stream, int fd)
{
    int64_t until = plx_now() + linger_seconds(fd) * 1000000000LL;
    for (bool is_first = true; send_before_call(stream, fd) == -EAGAIN; is_first = false) {
        pause_before_trying_again(is_first);
        int64_t left = (until - plx_now()) / 1000000;
        if (left <= 0 || await_room(fd, left) < 0)
            return;
    }
}

bool plx_stream_before_end(plx_stream *stream, int fd, plx_end how)
{
    if (plx_has_rest(stream))
        await_rest(stream, fd);
    plx_batch *batch = plx_stream_lock(stream);
    if (batch == NULL)
        return false;
    bool is_left = leaves_rest(batch, stream, fd) && leave_rest(batch, stream, fd, how);
    plx_owe(stream, PLX_OWED_NOTHING); /* the number may become another socket's */
    leave(stream);
    pthread_mutex_unlock(&batch->lock);
    return is_left;
}

/* With the lock. */
static long copy_owed(plx_batch *batch, plx_stream *stream, char **bytes)
{
    bool is_rest = plx_has_rest(stream);
    const plx_batch_entry *entry = &batch->entries[stream->entry];
    const char *from = is_rest ? stream->rest + stream->rest_sent : batch->bytes + entry->offset;
    size_t length = is_rest ? stream->rest_length - stream->rest_sent : entry->length;
    *bytes = malloc(length);
    if (*bytes == NULL)
        return -ENOMEM;
    memcpy(*bytes, from, length);
    return (long)length;
}

long plx_stream_take_owed(plx_stream *stream, int fd, char **bytes)
{
    *bytes = NULL;
    plx_batch *batch = plx_stream_lock(stream);
    if (batch == NULL)
        return 0;
    long result = leaves_rest(batch, stream, fd) ? copy_owed(batch, stream, bytes) : take_error(stream);
    if (result > 0) {
        drop_rest(stream, fd);
        drop_deferred(batch, stream);
        plx_owe(stream, PLX_OWED_NOTHING);
    }
    pthread_mutex_unlock(&batch->lock);
    return result;
}

static void begin(plx_batch *batch, plx_stream *stream, int fd)
{
    if (fd > atomic_load(&plx_stream_highest))
        atomic_store(&plx_stream_highest, fd);
    stream->registrations = 1;
    atomic_store_explicit(&stream->empty_turn, atomic_load_explicit(&batch->turn, memory_order_relaxed) - 1,
                          memory_order_relaxed);
    atomic_store(&stream->batch, batch);
}

/* With the lock of the batch that has it. Deferred for none of them, while there are several. */
static void join_too(plx_batch *before, plx_batch *batch, plx_stream *stream, int fd)
{
    leaves_rest(before, stream, fd);
    stream->registrations++;
    if (stream->registrations == 1 && plx_owed_for(stream) == PLX_OWED_NOTHING)
        atomic_store(&stream->batch, batch);
}

void plx_batch_adopt(plx_batch *batch, int fd)
{
    static pthread_mutex_t adopting = PTHREAD_MUTEX_INITIALIZER; /* two selectors may do so at once */
    if ((unsigned)fd >= (unsigned)plx_stream_count)
        return;
    plx_stream *stream = &plx_streams[fd];
    pthread_mutex_lock(&adopting);
    plx_batch *before = plx_stream_lock(stream);
    if (before == NULL) {
        begin(batch, stream, fd);
    } else {
        join_too(before, batch, stream, fd);
        pthread_mutex_unlock(&before->lock);
    }
    pthread_mutex_unlock(&adopting);
}

void plx_batch_release(int fd)
{
    plx_stream *stream = plx_stream_of(fd);
    plx_batch *batch = stream == NULL ? NULL : plx_stream_lock(stream);
    if (batch == NULL)
        return;
    leaves_rest(batch, stream, fd);
    if (stream->registrations > 0)
        stream->registrations--;
    if (stream->registrations == 0)
        leave(stream);
    pthread_mutex_unlock(&batch->lock);
}
#endif
