/* SPDX-License-Identifier: Apache-2.0
 *
 * batch_sending.c: sends what is deferred, and what sockets had no room for before. See batch.h.
 */
#include "batch/batch.h"
#include "selector/writable.h"
#ifdef PLX_HAVE_BATCH
#include <errno.h>
#include <fcntl.h>
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

/* Lacks of the system, which pass: what could not be sent for them is still there. */
static bool may_send_more(long result)
{
    return result == -EAGAIN || result == -EINTR || result == -ENOMEM || result == -ENOBUFS;
}

void plx_stream_free_rest(plx_stream *stream)
{
    free(stream->rest);
    free(stream->orphan);
    stream->rest = NULL;
    stream->orphan = NULL;
}

/* What is left of an entry becomes the stream's rest: false if there is no memory, also for what that needs when its
 * descriptor is closed. Then it would be too late: a Unix-domain socket can't tell its peer that bytes are missing. */
static bool keep_rest(plx_stream *stream, const plx_batch *batch, const plx_batch_entry *entry)
{
    stream->rest = malloc(entry->length);
    stream->orphan = malloc(sizeof *stream->orphan);
    if (stream->rest == NULL || stream->orphan == NULL) {
        plx_stream_free_rest(stream);
        return false;
    }
    memcpy(stream->rest, batch->bytes + entry->offset, entry->length);
    stream->rest_length = entry->length;
    stream->rest_sent = 0;
    plx_owe(stream, entry->shuts_output ? PLX_OWED_LAST_REST : PLX_OWED_REST);
    plx_flusher_await_room(entry->fd);
    return true;
}

static void shut_output(int fd)
{
    plx_syscall(SYS_shutdown, fd, SHUT_WR, 0, 0, 0, 0);
}

/* True if the entry, or what is left of it, has to stay. */
static bool stays(plx_batch *batch, plx_batch_entry *entry)
{
    if (entry->fd < 0)
        return false;
    plx_stream *stream = &plx_streams[entry->fd];
    uint32_t sent = entry->result < 0 ? 0 : (uint32_t)entry->result;
    bool has_failed = entry->result < 0 && !may_send_more(entry->result);
    entry->offset += sent;
    entry->length -= sent;
    if (!has_failed && entry->length > 0) {
        batch->counts.rests++;
        plx_note_write(entry->fd, false);
        return !keep_rest(stream, batch, entry);
    }
    if (has_failed) {
        batch->counts.late_errors++;
        stream->error = entry->result;
    }
    if (entry->shuts_output)
        shut_output(entry->fd);
    plx_owe(stream, has_failed ? PLX_OWED_ERROR : PLX_OWED_NOTHING);
    return false;
}

/* Those that stay become the first ones, with their bytes. */
static void settle(plx_batch *batch)
{
    uint32_t kept = 0, used = 0;
    for (uint32_t i = 0; i < batch->count; i++) {
        plx_batch_entry *entry = &batch->entries[i];
        if (!stays(batch, entry))
            continue;
        memmove(batch->bytes + used, batch->bytes + entry->offset, entry->length);
        entry->offset = used;
        used += entry->length;
        plx_streams[entry->fd].entry = kept;
        batch->entries[kept++] = *entry;
    }
    batch->count = kept;
    batch->used = used;
    atomic_store_explicit(&batch->since, kept == 0 ? 0 : plx_now(), memory_order_relaxed);
}

void plx_batch_flush(plx_batch *batch, plx_flush why)
{
    if (batch->count == 0)
        return;
    if (batch->count == 1 || !batch->has_ring)
        plx_batch_send_each(batch, 0, batch->count);
    else
        plx_batch_ring_send(batch);
    settle(batch);
    batch->counts.batches++;
    batch->counts.batches_by_reason[why]++;
}

bool plx_stream_send_rest(plx_stream *stream, int fd)
{
    uint32_t left = stream->rest_length - stream->rest_sent;
    long sent = plx_send_now(fd, stream->rest + stream->rest_sent, left);
    stream->error = sent < 0 ? (int)sent : 0;
    if (may_send_more(sent))
        return false;
    if (sent >= 0 && sent < (long)left) {
        stream->rest_sent += (uint32_t)sent;
        return false;
    }
    plx_stream_free_rest(stream);
    if (plx_owed_for(stream) == PLX_OWED_LAST_REST)
        shut_output(fd);
    plx_owe(stream, sent < 0 ? PLX_OWED_ERROR : PLX_OWED_NOTHING);
    return true;
}

static int read_largest_buffer(void)
{
    char text[32] = "";
    int fd = (int)plx_syscall(SYS_openat, AT_FDCWD, (long)"/proc/sys/net/core/wmem_max", O_RDONLY | O_CLOEXEC, 0, 0, 0);
    if (fd < 0)
        return 0;
    plx_syscall(SYS_read, fd, (long)text, sizeof text - 1, 0, 0, 0);
    plx_syscall(SYS_close, fd, 0, 0, 0, 0, 0);
    return atoi(text);
}

/* How large a buffer an ordinary user may ask for, in bytes of the caller; 0 if that can't be told. Read once: orphans
 * ask again and again. */
static int largest_buffer(void)
{
    static atomic_int known = -1;
    if (atomic_load(&known) < 0)
        atomic_store(&known, read_largest_buffer());
    return atomic_load(&known);
}

/* The kernel doubles what it is given. One that it has tuned by itself may be larger than anybody may ask for, and
 * asking would make it smaller. */
static bool has_enlarged(int fd)
{
    int size = 0;
    socklen_t length = sizeof size;
    if (getsockopt(fd, SOL_SOCKET, SO_SNDBUF, &size, &length) < 0)
        return false;
    int larger = size / 2 + LAST_ROOM;
    if (setsockopt(fd, SOL_SOCKET, SO_SNDBUFFORCE, &larger, sizeof larger) == 0) /* a privilege */
        return true;
    return size / 2 < largest_buffer() && setsockopt(fd, SOL_SOCKET, SO_SNDBUF, &larger, sizeof larger) == 0;
}

bool plx_stream_send_last(plx_stream *stream, int fd)
{
    return plx_stream_send_rest(stream, fd) || (has_enlarged(fd) && plx_stream_send_rest(stream, fd));
}
#endif
