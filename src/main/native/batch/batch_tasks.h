/* SPDX-License-Identifier: Apache-2.0
 *
 * batch_tasks.h: what the thread of batch_flusher.c is given to do, as the two files have it.
 */
#ifndef PLX_BATCH_TASKS_H
#define PLX_BATCH_TASKS_H

#include "batch/batch.h"

#ifdef PLX_HAVE_BATCH

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

#endif
#endif
