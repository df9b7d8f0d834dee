/* SPDX-License-Identifier: Apache-2.0
 *
 * batch_inbox.c: what is received before the application reads. See batch.h.
 *
 * A socket is received from only if the batch's thread has read it last. So that thread is in no other read of it, and
 * no other thread is: this thread had the channel's lock for reading, and one that takes it later says so under the
 * batch's lock (become_foreign), which is held for the receive. Bytes never overtake each other.
 *
 * What is not read until the next wait is reported then, as long as it is there, like what is in the socket.
 */
#include "batch/batch.h"
#ifdef PLX_HAVE_BATCH
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { INBOX_BYTES = PLX_BATCH_ENTRIES * PLX_BATCH_RECEIVED, TURNS_PASSED_OVER = 256 };

/* With the lock; once only. */
static bool note_unread(plx_batch *batch, const plx_stream *stream, int fd, uint32_t want)
{
    for (uint32_t i = 0; i < batch->unread_count; i++)
        if (batch->unread[i].fd == fd && batch->unread[i].stamp == stream->in_stamp)
            return true;
    if (batch->unread_count == batch->unread_capacity) {
        uint32_t capacity = batch->unread_capacity == 0 ? 16 : batch->unread_capacity * 2;
        plx_batch_unread *grown = realloc(batch->unread, capacity * sizeof *grown);
        if (grown == NULL)
            return false;
        batch->unread = grown;
        batch->unread_capacity = capacity;
    }
    batch->unread[batch->unread_count++] = (plx_batch_unread){ fd, stream->in_stamp, stream->cookie, want };
    return true;
}

/* Where there is no memory for a copy the inbox is given up instead. */
void plx_inbox_detach(plx_batch *batch, plx_stream *stream)
{
    uint32_t length = plx_stream_unread_length(stream);
    if (length == 0 || stream->in_copy != NULL)
        return;
    stream->in_copy = malloc(length);
    if (stream->in_copy == NULL) {
        batch->inbox = NULL;
        return;
    }
    memcpy(stream->in_copy, stream->in, length);
    stream->in = stream->in_copy;
}

static void free_copy(plx_stream *stream)
{
    free(stream->in_copy);
    stream->in_copy = NULL;
}

/* With the lock, before a wait. */
void plx_inbox_keep_unread(plx_batch *batch)
{
    uint32_t left = 0;
    for (uint32_t i = 0; i < batch->unread_count; i++) {
        plx_stream *stream = &plx_streams[batch->unread[i].fd];
        if (stream->in_stamp != batch->unread[i].stamp)
            continue;
        if (plx_stream_unread_length(stream) > 0)
            batch->unread[left++] = batch->unread[i];
        else if (atomic_load(&stream->batch) == batch)
            free_copy(stream);
    }
    batch->unread_count = left;
    left = 0;
    for (uint32_t i = 0; i < batch->received_count; i++) {
        int fd = batch->received[i];
        plx_stream *stream = &plx_streams[fd];
        if (atomic_load(&stream->batch) != batch || plx_stream_unread_length(stream) == 0)
            continue;
        plx_inbox_detach(batch, stream);
        stream->passed_over = batch->turn + TURNS_PASSED_OVER;
        batch->counts.unread++;
        if (!note_unread(batch, stream, fd, stream->want))
            batch->received[left++] = fd; /* no memory; nothing is received until there is some */
    }
    batch->received_count = left;
}

void plx_inbox_share(plx_batch *batch, plx_stream *stream, int fd)
{
    plx_inbox_detach(batch, stream);
    if (plx_stream_unread_length(stream) > 0)
        note_unread(batch, stream, fd, stream->want);
}

/* What its selector watches for comes next, by plx_batch_watch. */
void plx_inbox_take_over(plx_batch *batch, plx_stream *stream, int fd)
{
    pthread_mutex_lock(&batch->lock);
    note_unread(batch, stream, fd, 0);
    pthread_mutex_unlock(&batch->lock);
}

/* It is being closed. The kernel answers unread bytes by a reset. */
void plx_inbox_drop(plx_stream *stream, int fd)
{
    if (plx_stream_unread_length(stream) > 0)
        plx_reset_on_close(fd);
    atomic_store(&stream->in_length, 0);
    stream->in_stamp++;
    free_copy(stream);
}

void plx_batch_watch(plx_batch *batch, int fd, uint32_t want, uint64_t cookie)
{
    if ((unsigned)fd >= (unsigned)plx_stream_count)
        return;
    plx_stream *stream = &plx_streams[fd];
    pthread_mutex_lock(&batch->lock);
    if (atomic_load(&stream->batch) == batch) {
        stream->want = want;
        stream->cookie = cookie;
    }
    for (uint32_t i = 0; i < batch->unread_count; i++) {
        if (batch->unread[i].fd == fd) {
            batch->unread[i].want = want;
            batch->unread[i].cookie = cookie;
        }
    }
    pthread_mutex_unlock(&batch->lock);
}

static bool is_unread(const plx_batch_unread *unread)
{
    const plx_stream *stream = &plx_streams[unread->fd];
    return stream->in_stamp == unread->stamp && plx_stream_unread_length(stream) > 0 && (unread->want & PLX_IN);
}

/* A registration has one event at most. */
static plx_event *event_of(plx_event *events, int n, const plx_batch_unread *unread)
{
    for (int i = 0; i < n; i++)
        if (events[i].cookie == unread->cookie)
            return &events[i];
    return NULL;
}

int plx_inbox_report(plx_batch *batch, plx_event *events, int n, int max_events)
{
    int all = n < 0 ? 0 : n;
    pthread_mutex_lock(&batch->lock);
    for (uint32_t i = 0; i < batch->unread_count; i++) {
        plx_batch_unread *unread = &batch->unread[i];
        if (!is_unread(unread))
            continue;
        plx_event *event = event_of(events, n, unread);
        if (event != NULL)
            event->events |= PLX_IN;
        else if (all < max_events)
            events[all++] = (plx_event){ unread->cookie, PLX_IN, 0 };
        else
            break; /* the next wait has them */
        if (unread->want & PLX_ONESHOT)
            unread->want = 0;
    }
    pthread_mutex_unlock(&batch->lock);
    return all > 0 ? all : n;
}

static bool may_receive(plx_batch *batch, const plx_event *event, const plx_stream *stream)
{
    return event->events == PLX_IN && atomic_load_explicit(&stream->batch, memory_order_relaxed) == batch &&
           stream->cookie == event->cookie && stream->reader == batch->epoch && stream->registrations == 1 &&
           !stream->is_unix && plx_stream_unread_length(stream) == 0 && stream->in_copy == NULL &&
           (int32_t)(batch->turn - stream->passed_over) >= 0 && (atomic_load(&stream->state) & PLX_LATE_ERROR) == 0;
}

static void collect(plx_batch *batch, const plx_event *events, int n)
{
    for (int i = 0; i < n && batch->received_count < PLX_BATCH_ENTRIES; i++) {
        int fd = (int)(uint32_t)events[i].cookie;
        if ((unsigned)fd < (unsigned)plx_stream_count && may_receive(batch, &events[i], &plx_streams[fd]))
            batch->received[batch->received_count++] = fd;
    }
}

static void take(plx_batch *batch, uint32_t i)
{
    plx_stream *stream = &plx_streams[batch->received[i]];
    int result = batch->entries[i].result;
    if (result > 0) {
        if (result < PLX_BATCH_RECEIVED)
            stream->drained_turn = batch->turn;
        stream->in = batch->inbox + (size_t)i * PLX_BATCH_RECEIVED;
        stream->in_stamp++;
        atomic_store_explicit(&stream->in_length, (uint32_t)result, memory_order_release);
        batch->counts.receives++;
        batch->counts.received_bytes += (uint32_t)result;
    } else if (result < 0 && result != -EAGAIN && result != -EINTR && atomic_load(&stream->state) == 0) {
        stream->error = result;
        atomic_store_explicit(&stream->state, PLX_LATE_ERROR, memory_order_release);
    }
}

void plx_inbox_receive(plx_batch *batch, const plx_event *events, int n)
{
    if (batch->received_count > 0)
        return;
    if (batch->inbox == NULL) {
        void *inbox = mmap(NULL, INBOX_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (inbox == MAP_FAILED)
            return;
        batch->inbox = inbox;
    }
    pthread_mutex_lock(&batch->lock);
    plx_batch_flush(batch, PLX_FLUSH_CALL); /* its entries hold the results */
    collect(batch, events, n);
    if (batch->received_count >= PLX_BATCH_RECEIVES_TO_BEGIN && plx_batch_ring_receive(batch)) {
        batch->counts.receive_batches++;
        for (uint32_t i = 0; i < batch->received_count; i++)
            take(batch, i);
    } else {
        batch->received_count = 0;
    }
    pthread_mutex_unlock(&batch->lock);
}
#endif
