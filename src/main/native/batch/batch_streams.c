/* SPDX-License-Identifier: Apache-2.0
 *
 * batch_streams.c: the calls on a descriptor for which something may be deferred. See batch.h.
 *
 * What is deferred for a descriptor is in its batch (PLX_DEFERRED), or is left over from a send that its socket had no
 * room for (PLX_REMAINDER), or was lost with an error that is not reported yet (PLX_LATE_ERROR); one of these.
 */
#include "batch/batch.h"
#ifdef PLX_HAVE_BATCH
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>

enum { WRITES_TO_AGE = 4 }; /* that take long enough to look at the clock */

static uint32_t state_of(plx_stream *stream)
{
    return atomic_load_explicit(&stream->state, memory_order_acquire);
}

static bool is_of_turn(plx_batch *batch, const void *thread)
{
    return atomic_load_explicit(&batch->thread, memory_order_relaxed) == thread;
}

/* With the lock. */
static long take_error(plx_stream *stream)
{
    if (state_of(stream) != PLX_LATE_ERROR)
        return 0;
    if (stream->error != -ENOMEM) /* bytes are missing: nothing may follow them */
        atomic_store_explicit(&stream->state, 0, memory_order_release);
    return stream->error;
}

/* With the lock: sends what is deferred. True if the socket had no room for all of it. */
static bool leaves_rest(plx_batch *batch, plx_stream *stream, int fd)
{
    if (state_of(stream) == PLX_DEFERRED)
        plx_batch_flush(batch, PLX_FLUSH_CALL);
    return state_of(stream) == PLX_REMAINDER && !plx_stream_send_rest(stream, fd);
}

/* The same: 0, or -EAGAIN if there was no room, or another -code that a send met. */
static long send_deferred(plx_batch *batch, plx_stream *stream, int fd)
{
    return leaves_rest(batch, stream, fd) ? -EAGAIN : take_error(stream);
}

static bool has_room(const plx_batch *batch, const plx_stream *stream, uint32_t state, size_t length)
{
    if (length > PLX_BATCH_BYTES - batch->used)
        return false;
    if (state != PLX_DEFERRED)
        return batch->count < PLX_BATCH_ENTRIES;
    return stream->entry == batch->count - 1 && batch->entries[stream->entry].length + length <= PLX_BATCH_LARGEST;
}

static void append(plx_batch *batch, plx_stream *stream, int fd, const struct iovec *slices, int count, size_t length)
{
    uint32_t end = batch->used;
    for (int i = 0; i < count; i++) {
        memcpy(batch->bytes + end, slices[i].iov_base, slices[i].iov_len);
        end += (uint32_t)slices[i].iov_len;
    }
    if (state_of(stream) == PLX_DEFERRED) {
        batch->entries[stream->entry].length += (uint32_t)length;
    } else {
        stream->entry = batch->count;
        batch->entries[batch->count++] = (plx_batch_entry){ fd, batch->used, (uint32_t)length, 0 };
        atomic_store_explicit(&stream->state, PLX_DEFERRED, memory_order_release);
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
    } else if (batch->counts.writes % WRITES_TO_AGE == 0 && plx_now() - since > PLX_BATCH_MICROS * 1000 / 2) {
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

long plx_stream_write(plx_stream *stream, int fd, const void *thread, const struct iovec *slices, int count)
{
    plx_batch *batch = atomic_load_explicit(&stream->batch, memory_order_acquire);
    if (batch == NULL)
        return PLX_NOT_DEFERRED;
    bool is_own = is_of_turn(batch, thread);
    if (is_own)
        batch->turn_writes++;
    if (!(is_own && batch->is_active) && state_of(stream) == 0)
        return PLX_NOT_DEFERRED;
    batch = plx_stream_lock(stream);
    if (batch == NULL)
        return PLX_NOT_DEFERRED;
    size_t length = length_of(slices, count);
    bool joins = is_of_turn(batch, thread) && batch->is_active && stream->registrations == 1 && length > 0 &&
                 length <= PLX_BATCH_LARGEST && !atomic_load_explicit(&plx_batch_ends, memory_order_relaxed);
    if (joins && !has_room(batch, stream, state_of(stream), length))
        plx_batch_flush(batch, PLX_FLUSH_FULL);
    long result = joins && state_of(stream) == PLX_DEFERRED ? 0 : send_deferred(batch, stream, fd);
    if (result == 0) {
        result = PLX_NOT_DEFERRED;
        if (joins) {
            defer(batch, stream, fd, slices, count, length);
            result = (long)length;
        }
    }
    pthread_mutex_unlock(&batch->lock);
    return result;
}

/* Without the lock: 0 if nothing is deferred any more. */
static long send_before_call(plx_stream *stream, int fd)
{
    plx_batch *batch = state_of(stream) == 0 ? NULL : plx_stream_lock(stream);
    if (batch == NULL)
        return 0;
    long result = send_deferred(batch, stream, fd);
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

long plx_stream_before_call(plx_stream *stream, int fd)
{
    long result;
    while ((result = send_before_call(stream, fd)) == -EAGAIN && waits(fd)) {
        long code = await_room(fd, -1);
        if (code < 0)
            return code; /* -EINTR: the JDK looks whether the channel is closed, and asks again */
    }
    return result;
}

/* With the lock. */
static long copy_received(plx_stream *stream, const struct iovec *slices, int count)
{
    uint32_t left = atomic_load_explicit(&stream->in_length, memory_order_relaxed), copied = 0;
    for (int i = 0; i < count && left > 0; i++) {
        uint32_t part = slices[i].iov_len < left ? (uint32_t)slices[i].iov_len : left;
        memcpy(slices[i].iov_base, stream->in, part);
        stream->in += part;
        copied += part;
        left -= part;
    }
    atomic_store_explicit(&stream->in_length, left, memory_order_release);
    return copied;
}

long plx_stream_read(plx_stream *stream, const void *thread, const struct iovec *slices, int count)
{
    plx_batch *batch = atomic_load_explicit(&stream->batch, memory_order_acquire);
    bool is_own = batch != NULL && is_of_turn(batch, thread);
    if (plx_stream_unread_length(stream) > 0 || stream->reader != (is_own ? batch->epoch : 0)) {
        batch = plx_stream_lock(stream);
        if (batch == NULL)
            return PLX_NOT_DEFERRED;
        stream->reader = is_of_turn(batch, thread) ? batch->epoch : 0; /* another thread than the one that receives */
        long copied = plx_stream_unread_length(stream) > 0 ? copy_received(stream, slices, count) : PLX_NOT_DEFERRED;
        pthread_mutex_unlock(&batch->lock);
        if (copied != PLX_NOT_DEFERRED)
            return copied;
    }
    if (!is_own || stream->drained_turn != batch->turn || state_of(stream) == PLX_LATE_ERROR)
        return PLX_NOT_DEFERRED;
    stream->drained_turn = batch->turn - 1; /* who asks again asks the kernel */
    return -EAGAIN;
}

/* What a send met is told after the last byte, as the kernel would. */
static long take_late_error(plx_stream *stream)
{
    plx_batch *batch = state_of(stream) != PLX_LATE_ERROR ? NULL : plx_stream_lock(stream);
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
    bool is_first = stream->empty_turn != batch->turn;
    stream->empty_turn = batch->turn;
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
    plx_batch *batch = state_of(stream) == 0 ? NULL : plx_stream_lock(stream);
    if (batch == NULL)
        return false;
    bool later = stream->shuts_output = leaves_rest(batch, stream, fd);
    pthread_mutex_unlock(&batch->lock);
    return later;
}

/* With the lock: leaves the batch, unless something is to be remembered for the next call. */
static void leave(plx_stream *stream)
{
    stream->registrations = 0;
    stream->reader = 0;
    if (atomic_load(&stream->in_length) > 0)
        return;
    free(stream->in_copy);
    stream->in_copy = NULL;
    if (state_of(stream) == 0)
        atomic_store(&stream->batch, NULL);
}

void plx_stream_before_blocking(plx_stream *stream, int fd)
{
    plx_batch *batch = plx_stream_lock(stream);
    if (batch == NULL)
        return;
    leaves_rest(batch, stream, fd);
    plx_inbox_detach(batch, stream);
    leave(stream);
    pthread_mutex_unlock(&batch->lock);
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
static bool is_reset_by_close(plx_stream *stream, int fd)
{
    int unread = 0;
    if (plx_stream_unread_length(stream) > 0 || linger_seconds(fd) == 0)
        return true;
    return ioctl(fd, FIONREAD, &unread) == 0 && unread > 0;
}

/* With the lock: what a socket has no room for outlives it, or the peer sees that it is missing. */
static void leave_rest(plx_stream *stream, int fd)
{
    if (!is_reset_by_close(stream, fd) && (plx_stream_send_last(stream, fd) || plx_flusher_adopt_rest(stream, fd)))
        return;
    plx_flusher_watch(EPOLL_CTL_DEL, fd, 0);
    free(stream->rest);
    stream->rest = NULL;
    stream->shuts_output = false;
    plx_reset_on_close(fd);
}

/* Without the lock: as long as the kernel would let the closing thread wait. */
static void await_rest(plx_stream *stream, int fd)
{
    int64_t until = plx_now() + linger_seconds(fd) * 1000000000LL;
    while (send_before_call(stream, fd) == -EAGAIN) {
        int64_t left = (until - plx_now()) / 1000000;
        if (left <= 0 || await_room(fd, left) < 0)
            return;
    }
}

void plx_stream_before_close(plx_stream *stream, int fd)
{
    if (state_of(stream) == PLX_REMAINDER)
        await_rest(stream, fd);
    plx_batch *batch = plx_stream_lock(stream);
    if (batch == NULL)
        return;
    if (leaves_rest(batch, stream, fd))
        leave_rest(stream, fd);
    atomic_store_explicit(&stream->state, 0, memory_order_release); /* the number may become another socket's */
    plx_inbox_drop(stream, fd);
    leave(stream);
    pthread_mutex_unlock(&batch->lock);
}

static bool is_unix(int fd)
{
    int domain = 0;
    socklen_t length = sizeof domain;
    return getsockopt(fd, SOL_SOCKET, SO_DOMAIN, &domain, &length) == 0 && domain == AF_UNIX;
}

static void begin(plx_batch *batch, plx_stream *stream, int fd)
{
    if (fd > atomic_load(&plx_stream_highest))
        atomic_store(&plx_stream_highest, fd);
    stream->registrations = 1;
    stream->empty_turn = stream->passed_over = batch->turn;
    stream->reader = 0;
    stream->want = 0;
    stream->drained_turn = batch->turn - 1;
    stream->is_unix = batch->receives && is_unix(fd);
    atomic_store(&stream->batch, batch);
}

/* With the lock of the batch that has it. */
static void join_too(plx_batch *before, plx_batch *batch, plx_stream *stream, int fd)
{
    leaves_rest(before, stream, fd);
    plx_inbox_share(before, stream, fd);
    stream->registrations++; /* deferred for none of them, while there are several */
    stream->reader = 0;
    if (stream->registrations == 1 && state_of(stream) == 0)
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
        if (plx_stream_unread_length(stream) > 0)
            plx_inbox_take_over(batch, stream, fd);
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
    plx_inbox_detach(batch, stream);
    if (stream->registrations > 0)
        stream->registrations--;
    if (stream->registrations == 0)
        leave(stream);
    pthread_mutex_unlock(&batch->lock);
}
#endif
