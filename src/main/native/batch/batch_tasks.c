/* SPDX-License-Identifier: Apache-2.0
 *
 * batch_tasks.c: what is given to the thread of batch_flusher.c, and how it is woken.
 */
#include "batch/batch.h"
#ifdef PLX_HAVE_BATCH
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/epoll.h>

enum { ORPHAN_SECONDS = 900 };

struct plx_tasks plx_tasks = { .epfd = -1, .wake = -1 };

plx_batch *plx_flusher_batches(void)
{
    return atomic_load_explicit(&plx_tasks.batches, memory_order_acquire);
}

static void wake_up(void)
{
    uint64_t one = 1;
    atomic_store(&plx_tasks.woken, 1);
    if (atomic_load(&plx_tasks.is_blind))
        plx_syscall(SYS_futex, (long)&plx_tasks.woken, PLX_FUTEX_WAKE, 1, 0, 0, 0);
    plx_syscall(SYS_write, plx_tasks.wake, (long)&one, sizeof one, 0, 0, 0);
}

void plx_flusher_on_deferral(void)
{
    if (atomic_load(&plx_tasks.sleeps) && atomic_exchange(&plx_tasks.sleeps, false))
        wake_up();
}

static long control(int operation, int fd, uint64_t data)
{
    if (atomic_load(&plx_tasks.is_blind))
        return -EOPNOTSUPP;
    struct epoll_event event = { .events = EPOLLOUT | EPOLLONESHOT, .data.u64 = data };
    return plx_syscall(SYS_epoll_ctl, plx_tasks.epfd, operation, fd, (long)&event, 0, 0);
}

/* At the limit of what an ordinary user may watch (ENOSPC), or without memory. Wakes the flusher only if it sleeps: it
 * says so of its own rests too, and would wake itself again and again. */
static void look_now_and_then(void)
{
    atomic_store(&plx_tasks.is_lost, true);
    plx_flusher_on_deferral();
}

void plx_flusher_watch(int operation, int fd, uint64_t data)
{
    if (control(operation, fd, data) < 0)
        look_now_and_then();
}

void plx_flusher_await_room(int fd)
{
    if (control(EPOLL_CTL_MOD, fd, (uint64_t)fd) < 0)
        plx_flusher_watch(EPOLL_CTL_ADD, fd, (uint64_t)fd);
}

void plx_flusher_forget(int fd)
{
    control(EPOLL_CTL_DEL, fd, 0);
}

bool plx_flusher_adopt_rest(plx_stream *stream, int fd, plx_end how)
{
    int kept = how == PLX_CLOSED ? fd : (int)plx_syscall(SYS_fcntl, fd, F_DUPFD_CLOEXEC, 0, 0, 0, 0);
    if (kept < 0)
        return false;
    plx_flusher_forget(fd);
    plx_orphan *new = stream->orphan;
    stream->orphan = NULL;
    new->fd = kept;
    new->had_room = false;
    new->rest = *stream;
    plx_owe(&new->rest, PLX_OWED_REST);
    new->until = plx_now() + ORPHAN_SECONDS * 1000000000LL;
    new->next = atomic_load(&plx_tasks.fresh);
    while (!atomic_compare_exchange_weak(&plx_tasks.fresh, &new->next, new))
        ;
    wake_up();
    stream->rest = NULL;
    return true;
}

void plx_flusher_add(plx_batch *batch)
{
    batch->next = plx_flusher_batches();
    /* one at a time: plx_batch_open has a lock */
    atomic_store_explicit(&plx_tasks.batches, batch, memory_order_release);
}
#endif
