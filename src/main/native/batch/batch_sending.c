/* SPDX-License-Identifier: Apache-2.0
 *
 * batch_sending.c: sends what is deferred, and what sockets had no room for before. See batch.h.
 */
#include "batch/batch.h"
#include "selector/writable.h"
#ifdef PLX_HAVE_BATCH
#include <stdlib.h>
#include <string.h>

enum { LAST_ROOM = 4 * PLX_BATCH_LARGEST };

plx_stream *plx_streams;
int plx_stream_count;
atomic_int plx_stream_highest;
atomic_bool plx_batch_ends;

plx_batch *plx_stream_lock(plx_stream *stream)
{
    for (;;) {
        plx_batch *batch = atomic_load(&stream->batch);
        if (batch == NULL)
            return NULL;
        pthread_mutex_lock(&batch->lock);
        if (atomic_load(&stream->batch) == batch)
            return batch;
        pthread_mutex_unlock(&batch->lock);
    }
}

static void keep_rest(plx_batch *batch, plx_stream *stream, const plx_batch_entry *entry, uint32_t sent)
{
    uint32_t length = entry->length - sent;
    batch->counts.remainders++;
    plx_note_write(entry->fd, false);
    stream->rest = malloc(length);
    if (stream->rest == NULL) { /* what follows must not be sent without it */
        stream->error = -ENOMEM;
        atomic_store_explicit(&stream->state, PLX_LATE_ERROR, memory_order_release);
        return;
    }
    memcpy(stream->rest, batch->bytes + entry->offset + sent, length);
    stream->rest_length = length;
    stream->rest_sent = 0;
    atomic_store_explicit(&stream->state, PLX_REMAINDER, memory_order_release);
    plx_flusher_await_room(entry->fd);
}

static bool may_send_more(long result)
{
    return result == -EAGAIN || result == -EINTR;
}

static void settle(plx_batch *batch, const plx_batch_entry *entry)
{
    plx_stream *stream = &plx_streams[entry->fd];
    long sent = may_send_more(entry->result) ? 0 : entry->result;
    if (sent == (long)entry->length) {
        atomic_store_explicit(&stream->state, 0, memory_order_release);
    } else if (sent >= 0) {
        keep_rest(batch, stream, entry, (uint32_t)sent);
    } else {
        batch->counts.late_errors++;
        stream->error = (int)sent;
        atomic_store_explicit(&stream->state, PLX_LATE_ERROR, memory_order_release);
    }
}

void plx_batch_flush(plx_batch *batch, plx_flush why)
{
    if (batch->count == 0)
        return;
    if (batch->count == 1) {
        plx_batch_entry *only = &batch->entries[0];
        only->result = (int32_t)plx_send_now(only->fd, batch->bytes + only->offset, only->length);
    } else {
        plx_batch_ring_send(batch);
    }
    for (uint32_t i = 0; i < batch->count; i++)
        settle(batch, &batch->entries[i]);
    batch->counts.batches++;
    batch->counts.batches_by_reason[why]++;
    batch->count = batch->used = 0;
    atomic_store_explicit(&batch->since, 0, memory_order_relaxed);
}

bool plx_stream_send_rest(plx_stream *stream, int fd)
{
    uint32_t left = stream->rest_length - stream->rest_sent;
    long sent = plx_send_now(fd, stream->rest + stream->rest_sent, left);
    if (may_send_more(sent))
        return false;
    if (sent >= 0 && sent < (long)left) {
        stream->rest_sent += (uint32_t)sent;
        return false;
    }
    free(stream->rest);
    stream->rest = NULL;
    stream->error = sent < 0 ? (int)sent : 0;
    atomic_store_explicit(&stream->state, sent < 0 ? PLX_LATE_ERROR : 0, memory_order_release);
    if (stream->shuts_output)
        plx_syscall(SYS_shutdown, fd, SHUT_WR, 0, 0, 0, 0);
    stream->shuts_output = false;
    return true;
}

bool plx_stream_send_last(plx_stream *stream, int fd)
{
    int size = 0;
    socklen_t length = sizeof size;
    if (plx_stream_send_rest(stream, fd))
        return true;
    if (getsockopt(fd, SOL_SOCKET, SO_SNDBUF, &size, &length) < 0)
        return false;
    int larger = size / 2 + LAST_ROOM; /* the kernel doubles what it is given */
    if (setsockopt(fd, SOL_SOCKET, SO_SNDBUFFORCE, &larger, sizeof larger) < 0) /* a privilege */
        setsockopt(fd, SOL_SOCKET, SO_SNDBUF, &larger, sizeof larger);
    return plx_stream_send_rest(stream, fd);
}
#endif
