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
    setup_params p = { .flags = SETUP_SUBMIT_ALL };
    int code = bytes == MAP_FAILED ? -errno : plx_queues_open(&batch->ring, PLX_BATCH_ENTRIES, &p);
    if (code < 0) {
        if (bytes != MAP_FAILED)
            munmap(bytes, PLX_BATCH_BYTES);
        free(batch);
        return code;
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

int plx_batch_open(bool receives, plx_batch **result)
{
    pthread_mutex_lock(&opening);
    int code = plx_batch_ring_probe();
    plx_batch *batch = NULL;
    if (code == 0)
        code = make_streams();
    if (code == 0)
        code = plx_flusher_start();
    if (code == 0 && (batch = closed_batch()) == NULL)
        code = make_batch(&batch);
    if (code == 0 && batch != NULL) {
        batch->is_open = true;
        batch->is_active = false;
        batch->receives = receives;
        batch->epoch++;
        batch->turns_of_thread = 0;
        batch->average = batch->turn_writes = 0;
        memset(&batch->counts, 0, sizeof batch->counts);
        atomic_store(&batch->thread, NULL);
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
    madvise(batch->bytes, PLX_BATCH_BYTES, MADV_DONTNEED);
    batch->unread_count = batch->received_count = 0;
    pthread_mutex_unlock(&batch->lock);
    atomic_store(&batch->thread, NULL);
    pthread_mutex_lock(&opening);
    batch->is_open = false;
    pthread_mutex_unlock(&opening);
}

const char *plx_batch_obstacle(void)
{
    static char text[128];
    plx_syscall_setup();
    int code = plx_batch_ring_probe();
    return code < 0 ? plx_uring_reason(-code, plx_strerror(-code, text, sizeof text)) : NULL;
}

/* Whether a write of this turn will have company. A loop whose thread changes has to be waited for too often. */
static bool pays(const plx_batch *batch)
{
    int least = batch->is_active ? PLX_BATCH_WRITES_TO_GO_ON : PLX_BATCH_WRITES_TO_BEGIN;
    return batch->turns_of_thread >= PLX_BATCH_TURNS_OF_ONE_THREAD && batch->average >= least * AVERAGE_UNIT;
}

static bool has_wanted(const plx_batch *batch)
{
    for (uint32_t i = 0; i < batch->unread_count; i++)
        if (batch->unread[i].want & PLX_IN)
            return true;
    return false;
}

bool plx_batch_end_turn(plx_batch *batch, const void *thread)
{
    bool is_wanted = false;
    bool has_received = batch->received_count > 0 || batch->unread_count > 0;
    if (has_received || atomic_load_explicit(&batch->since, memory_order_relaxed) != 0) {
        pthread_mutex_lock(&batch->lock);
        plx_batch_flush(batch, PLX_FLUSH_WAIT);
        plx_inbox_keep_unread(batch);
        is_wanted = has_wanted(batch);
        pthread_mutex_unlock(&batch->lock);
    }
    if (atomic_load_explicit(&batch->thread, memory_order_relaxed) != thread) {
        batch->turns_of_thread = 0;
        batch->is_active = false;
        batch->epoch++;
        atomic_store_explicit(&batch->thread, thread, memory_order_relaxed);
    }
    return is_wanted;
}

int plx_batch_begin_turn(plx_batch *batch, plx_event *events, int n, int max_events)
{
    if (batch->unread_count > 0)
        n = plx_inbox_report(batch, events, n, max_events);
    bool is_idle = n <= 0 && batch->turn_writes == 0;
    if (is_idle || atomic_load_explicit(&batch->thread, memory_order_relaxed) == NULL)
        return n;
    int writes = batch->turn_writes < PLX_BATCH_ENTRIES ? batch->turn_writes : PLX_BATCH_ENTRIES;
    batch->average += (writes * AVERAGE_UNIT - batch->average) / AVERAGED_TURNS;
    batch->turn_writes = 0;
    batch->turn++;
    batch->turns_of_thread++;
    bool active = pays(batch);
    if (batch->is_active && !active)
        batch->counts.switched_off++;
    batch->is_active = active;
    if (batch->receives && n >= PLX_BATCH_RECEIVES_TO_BEGIN && batch->turns_of_thread >= PLX_BATCH_TURNS_OF_ONE_THREAD)
        plx_inbox_receive(batch, events, n);
    return n;
}
#endif
