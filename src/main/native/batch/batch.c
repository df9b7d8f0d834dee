/* SPDX-License-Identifier: Apache-2.0
 *
 * batch.c: what is deferred, for whom, and until when. See batch.h.
 */
#include "batch/batch.h"
#ifdef PLX_HAVE_BATCH
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>

enum { MAX_DESCRIPTORS = 1 << 20, AVERAGE_UNIT = 16, AVERAGED_TURNS = 8 };

static int make_streams(void)
{
    struct rlimit files;
    if (plx_streams != NULL)
        return 0;
    size_t count = MAX_DESCRIPTORS;
    if (getrlimit(RLIMIT_NOFILE, &files) == 0 && files.rlim_max < count)
        count = files.rlim_max;
    void *streams = mmap(NULL, count * sizeof *plx_streams, PROT_READ | PROT_WRITE,
                         MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (streams == MAP_FAILED)
        return -errno;
    plx_streams = streams;
    plx_stream_count = (int)count;
    return 0;
}

static int make_batch(plx_batch **result)
{
    plx_batch *batch = calloc(1, sizeof *batch);
    if (batch == NULL)
        return -ENOMEM;
    void *bytes = mmap(NULL, PLX_BATCH_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (bytes == MAP_FAILED) {
        free(batch);
        return -ENOMEM;
    }
    batch->bytes = bytes;
    pthread_mutex_init(&batch->lock, NULL);
    plx_flusher_add(batch);
    *result = batch;
    return 0;
}

static pthread_mutex_t opening = PTHREAD_MUTEX_INITIALIZER;

static plx_batch *closed_batch(void)
{
    for (plx_batch *batch = plx_flusher_batches(); batch != NULL; batch = batch->next)
        if (!batch->is_open)
            return batch;
    return NULL;
}

int plx_batch_open(plx_batch **result)
{
    plx_batch *batch = NULL;
    pthread_mutex_lock(&opening);
    int code = plx_batch_ring_probe();
    if (code == 0)
        code = make_streams();
    if (code == 0)
        code = plx_flusher_start();
    if (code == 0 && (batch = closed_batch()) == NULL)
        code = make_batch(&batch);
    if (code == 0) {
        pthread_mutex_lock(&batch->lock);
        batch->is_open = true;
        batch->ring_error = 0;
        atomic_store(&batch->is_active, false);
        batch->turns_with_writes = batch->average = 0;
        atomic_store(&batch->turn_writes, 0);
        memset(&batch->counts, 0, sizeof batch->counts);
        pthread_mutex_unlock(&batch->lock);
        *result = batch;
    }
    pthread_mutex_unlock(&opening);
    return code;
}

/* The JDK deregisters the keys of a selector that closes without a word to it. */
static void release_all(plx_batch *batch)
{
    for (int fd = 0; fd <= atomic_load(&plx_stream_highest); fd++)
        if (atomic_load_explicit(&plx_streams[fd].batch, memory_order_relaxed) == batch)
            plx_batch_release(fd);
}

void plx_batch_close(plx_batch *batch)
{
    release_all(batch);
    pthread_mutex_lock(&batch->lock);
    plx_batch_flush(batch, PLX_FLUSH_CALL);
    if (batch->count == 0)
        madvise(batch->bytes, PLX_BATCH_BYTES, MADV_DONTNEED);
    atomic_store(&batch->thread, NULL);
    pthread_mutex_unlock(&batch->lock);
    pthread_mutex_lock(&opening);
    batch->is_open = false;
    pthread_mutex_unlock(&opening);
}

void plx_batch_count(plx_batch *batch, plx_batch_counts *counts)
{
    pthread_mutex_lock(&batch->lock);
    *counts = batch->counts;
    pthread_mutex_unlock(&batch->lock);
}

const char *plx_batch_obstacle(void)
{
    static char text[128];
    plx_syscall_setup();
    int code = plx_batch_ring_probe();
    return code < 0 ? plx_uring_reason(-code, plx_strerror(-code, text, sizeof text)) : NULL;
}

/* What another thread has deferred until now was sent in the order in which it was written. */
static void hand_over(plx_batch *batch, const void *thread)
{
    atomic_store_explicit(&batch->thread, thread, memory_order_relaxed);
    atomic_store_explicit(&batch->is_active, false, memory_order_relaxed);
    batch->turns_with_writes = 0;
}

/* Whether a write of this turn will have company. A loop whose thread changes has to be waited for too often. */
static bool pays(const plx_batch *batch, bool is_active)
{
    uint32_t least = is_active ? PLX_BATCH_WRITES_TO_GO_ON : PLX_BATCH_WRITES_TO_BEGIN;
    return batch->turns_with_writes >= PLX_BATCH_TURNS_OF_ONE_THREAD && batch->average >= least * AVERAGE_UNIT;
}

static int make_ring(plx_batch *batch)
{
    pthread_mutex_lock(&batch->lock);
    int code = batch->has_ring ? 0 : plx_batch_ring_open(batch);
    pthread_mutex_unlock(&batch->lock);
    return code;
}

/* Decides whether writes are deferred until the next wait. A ring is made when it is first needed: most selectors never
 * need one. */
static int settle_turn(plx_batch *batch, uint32_t writes)
{
    bool was_active = atomic_load_explicit(&batch->is_active, memory_order_relaxed);
    if (writes > PLX_BATCH_ENTRIES)
        writes = PLX_BATCH_ENTRIES;
    batch->average = batch->average + (writes * AVERAGE_UNIT) / AVERAGED_TURNS - batch->average / AVERAGED_TURNS;
    batch->turns_with_writes++;
    bool is_active = batch->ring_error == 0 && pays(batch, was_active);
    int code = 0;
    if (is_active && !was_active) {
        code = batch->ring_error = make_ring(batch);
        is_active = code == 0;
    } else if (was_active && !is_active) {
        pthread_mutex_lock(&batch->lock);
        batch->counts.switched_off++;
        pthread_mutex_unlock(&batch->lock);
    }
    atomic_store_explicit(&batch->is_active, is_active, memory_order_relaxed);
    return code;
}

int plx_batch_end_turn(plx_batch *batch, const void *thread)
{
    bool is_new = atomic_load_explicit(&batch->thread, memory_order_relaxed) != thread;
    if (is_new || atomic_load_explicit(&batch->since, memory_order_relaxed) != 0) {
        pthread_mutex_lock(&batch->lock);
        plx_batch_flush(batch, PLX_FLUSH_WAIT);
        if (is_new)
            hand_over(batch, thread);
        pthread_mutex_unlock(&batch->lock);
    }
    uint32_t turn = atomic_load_explicit(&batch->turn, memory_order_relaxed);
    uint32_t writes = atomic_load_explicit(&batch->turn_writes, memory_order_relaxed);
    atomic_store_explicit(&batch->turn, turn + 1, memory_order_relaxed);
    if (writes == 0)
        return 0;
    atomic_store_explicit(&batch->turn_writes, 0, memory_order_relaxed);
    return thread == NULL ? 0 : settle_turn(batch, writes);
}
#endif
