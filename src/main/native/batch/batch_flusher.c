/* SPDX-License-Identifier: Apache-2.0
 *
 * batch_flusher.c: a thread of its own, for what the threads that select don't do in time. It sends what is deferred
 * for long, since its thread computes or sleeps, and what sockets had no room for, as soon as they have.
 *
 * While something is deferred every now and then, it looks twice in a millisecond. Then it sleeps until it is woken.
 */
#include "batch/batch.h"
#ifdef PLX_HAVE_BATCH
#include <signal.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>

static const int64_t LIMIT = PLX_BATCH_MICROS * 1000LL;
static const uint64_t WAKE = UINT64_MAX, ORPHAN = 1ULL << 32;
enum { MAX_IDLE_LOOKS = 16, EVENTS = 64, EXIT_MILLIS = 1000 };

static struct {
    pthread_mutex_t working; /* held while it is awake; for ever, once the process ends */
    bool runs;
    plx_orphan *orphans;
    int idle_looks;
} flusher = { .working = PTHREAD_MUTEX_INITIALIZER };

/* Sends what is old enough. Returns the nanoseconds until something else will be, -1 if nothing is deferred. */
static int64_t send_old(void)
{
    int64_t next = -1, now = plx_now();
    for (plx_batch *batch = plx_flusher_batches(); batch != NULL; batch = batch->next) {
        int64_t since = atomic_load(&batch->since);
        if (since == 0)
            continue;
        int64_t left = since + LIMIT - now;
        if (left <= LIMIT / 4) {
            pthread_mutex_lock(&batch->lock);
            if (atomic_load(&batch->since) == since)
                plx_batch_flush(batch, PLX_FLUSH_AGE);
            pthread_mutex_unlock(&batch->lock);
            left = LIMIT;
        }
        next = next < 0 || left < next ? left : next;
    }
    return next;
}

static void send_rest_of(int fd)
{
    plx_stream *stream = plx_stream_of(fd);
    plx_batch *batch = stream == NULL ? NULL : plx_stream_lock(stream);
    if (batch == NULL)
        return;
    if (atomic_load(&stream->state) == PLX_REMAINDER && !plx_stream_send_rest(stream, fd))
        plx_flusher_await_room(fd);
    if (stream->registrations == 0 && atomic_load(&stream->state) == 0 && atomic_load(&stream->in_length) == 0)
        atomic_store(&stream->batch, NULL);
    pthread_mutex_unlock(&batch->lock);
}

static void take_fresh_orphans(void)
{
    plx_orphan *fresh = atomic_exchange(&plx_tasks.fresh, NULL);
    while (fresh != NULL) {
        plx_orphan *next = fresh->next;
        plx_flusher_watch(EPOLL_CTL_ADD, fresh->fd, ORPHAN | (uint64_t)fresh->fd);
        fresh->next = flusher.orphans;
        flusher.orphans = fresh;
        fresh = next;
    }
}

/* Those that are done go, and those that are too old: their peers see that something is missing. */
static void send_orphans(int64_t now)
{
    for (plx_orphan **place = &flusher.orphans; *place != NULL;) {
        plx_orphan *each = *place;
        bool is_done = plx_stream_send_last(&each->rest, each->fd);
        if (!is_done && now < each->until) {
            plx_flusher_watch(EPOLL_CTL_MOD, each->fd, ORPHAN | (uint64_t)each->fd);
            place = &each->next;
            continue;
        }
        if (!is_done)
            plx_reset_on_close(each->fd);
        *place = each->next;
        plx_syscall(SYS_close, each->fd, 0, 0, 0, 0, 0);
        free(each->rest.rest);
        free(each);
    }
}

/* How long to wait: for ever if nothing was deferred for a while. The next thread that defers something wakes us. */
static int64_t nanos_to_wait(int64_t next)
{
    if (next >= 0) {
        flusher.idle_looks = 0;
        return next;
    }
    if (++flusher.idle_looks < MAX_IDLE_LOOKS)
        return LIMIT / 2;
    atomic_store(&plx_tasks.sleeps, true);
    next = send_old();
    if (next >= 0) {
        atomic_store(&plx_tasks.sleeps, false);
        return next;
    }
    return flusher.orphans == NULL ? -1 : 1000000000;
}

static void *run(void *unused)
{
    struct epoll_event events[EVENTS] = { 0 };
    prctl(PR_SET_NAME, "pollux-batch");
    prctl(PR_SET_TIMERSLACK, 1);
    pthread_mutex_lock(&flusher.working);
    for (;;) {
        int64_t nanos = nanos_to_wait(send_old());
        plx_timespec timeout = plx_timespec_of(nanos);
        long ns = nanos < 0 ? 0 : (long)&timeout;
        pthread_mutex_unlock(&flusher.working);
        long n = plx_syscall(SYS_epoll_pwait2, plx_tasks.epfd, (long)events, EVENTS, ns, 0, 0);
        pthread_mutex_lock(&flusher.working);
        atomic_store(&plx_tasks.sleeps, false);
        for (int i = 0; i < n; i++) {
            uint64_t data = events[i].data.u64, count;
            if (data == WAKE)
                plx_syscall(SYS_read, plx_tasks.wake, (long)&count, sizeof count, 0, 0, 0);
            else if (data < ORPHAN)
                send_rest_of((int)data);
        }
        take_fresh_orphans();
        send_orphans(flusher.orphans == NULL ? 0 : plx_now());
    }
    return unused;
}

static void flush_all(const struct timespec *until)
{
    for (plx_batch *batch = plx_flusher_batches(); batch != NULL; batch = batch->next) {
        if (pthread_mutex_timedlock(&batch->lock, until) != 0)
            continue;
        plx_batch_flush(batch, PLX_FLUSH_WAIT);
        pthread_mutex_unlock(&batch->lock);
    }
}

/* Sends what sockets have room for now: whether anything is left. With `gives_up`, peers see that it is missing. */
static bool leaves_rests(bool gives_up)
{
    bool is_left = false;
    for (int fd = 0; fd <= atomic_load(&plx_stream_highest); fd++) {
        plx_stream *stream = plx_stream_of(fd);
        plx_batch *batch =
            stream == NULL || atomic_load(&stream->state) != PLX_REMAINDER ? NULL : plx_stream_lock(stream);
        if (batch == NULL)
            continue;
        if (atomic_load(&stream->state) == PLX_REMAINDER && !plx_stream_send_last(stream, fd)) {
            is_left = true;
            if (gives_up)
                plx_reset_on_close(fd);
        }
        pthread_mutex_unlock(&batch->lock);
    }
    take_fresh_orphans();
    send_orphans(gives_up ? INT64_MAX : 0);
    return is_left || flusher.orphans != NULL;
}

/* An orderly end, and Runtime.halt: what is deferred goes out, and for a while what sockets have no room for. */
static void send_all_on_exit(void)
{
    const struct timespec pause = { 0, 1000000 };
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += EXIT_MILLIS / 1000;
    int64_t end = plx_now() + EXIT_MILLIS * 1000000LL;
    atomic_store(&plx_batch_ends, true);
    flush_all(&until);
    if (pthread_mutex_timedlock(&flusher.working, &until) != 0)
        return;
    while (leaves_rests(false) && plx_now() < end)
        nanosleep(&pause, NULL);
    leaves_rests(true);
}

static int start_thread(void)
{
    sigset_t all, before;
    pthread_t thread;
    pthread_attr_t attributes;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    pthread_attr_init(&attributes);
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    int error = pthread_create(&thread, &attributes, run, NULL);
    pthread_attr_destroy(&attributes);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return -error;
}

int plx_flusher_start(void)
{
    if (flusher.runs)
        return 0;
    struct epoll_event event = { .events = EPOLLIN, .data.u64 = WAKE };
    if (plx_tasks.epfd < 0)
        plx_tasks.epfd = epoll_create1(EPOLL_CLOEXEC);
    if (plx_tasks.epfd >= 0 && plx_tasks.wake < 0)
        plx_tasks.wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (plx_tasks.epfd < 0 || plx_tasks.wake < 0)
        return -errno;
    if (epoll_ctl(plx_tasks.epfd, EPOLL_CTL_ADD, plx_tasks.wake, &event) < 0 && errno != EEXIST)
        return -errno;
    int code = start_thread();
    flusher.runs = code == 0;
    if (flusher.runs)
        atexit(send_all_on_exit);
    return code;
}
#endif
