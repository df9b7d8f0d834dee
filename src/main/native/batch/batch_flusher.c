/* SPDX-License-Identifier: Apache-2.0
 *
 * batch_flusher.c: a thread of its own, for what the threads that select don't do in time. It sends what is deferred
 * for long, since its thread computes or sleeps, and what sockets had no room for, as soon as they have.
 *
 * Something is deferred for a millisecond at most, so while that happens every now and then one look in a millisecond
 * is enough: what is young then is looked at again when it would be too old, unless its thread has sent it. After some
 * looks for nothing it sleeps until it is woken.
 */
#include "batch/batch.h"
#ifdef PLX_HAVE_BATCH
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <time.h>

static const int64_t MILLISECOND = 1000000;
static const int64_t LIMIT = PLX_BATCH_MICROS * 1000LL;
static const uint64_t WAKE = UINT64_MAX, ORPHAN = 1ULL << 32;
enum { MAX_IDLE_LOOKS = 8, EVENTS = 64, EXIT_MILLIS = 1000, LOST_MILLIS = 10 };

static struct {
    pthread_mutex_t working; /* held while it is awake; for ever, once the process ends */
    bool runs;
    long process; /* that it runs in: a child that was forked has no thread of it, and nothing to send */
    bool lacks_pwait2;
    plx_orphan *orphans;
    int64_t lost_at;    /* when those that can't be watched are looked at again, at the earliest */
    int64_t orphans_at; /* when they are looked at if nothing is told of them */
    int idle_looks;
} flusher = { .working = PTHREAD_MUTEX_INITIALIZER };

static bool is_old(int64_t age)
{
    return age >= LIMIT / 2;
}

/* Sends what is old enough. Returns the nanoseconds until something else will be, -1 if nothing is deferred. */
static int64_t send_old(void)
{
    int64_t next = -1, now = plx_now();
    for (plx_batch *batch = plx_flusher_batches(); batch != NULL; batch = batch->next) {
        int64_t since = atomic_load(&batch->since);
        if (since == 0)
            continue;
        int64_t left = since + LIMIT - now;
        if (is_old(now - since)) {
            pthread_mutex_lock(&batch->lock);
            if (atomic_load(&batch->since) == since) {
                plx_batch_flush(batch, PLX_FLUSH_AGE);
                batch->late_turn = atomic_load_explicit(&batch->turn, memory_order_relaxed);
            }
            pthread_mutex_unlock(&batch->lock);
            left = LIMIT;
        }
        next = next < 0 || left < next ? left : next;
    }
    return next;
}

/* A socket that has room and refuses the bytes all the same, for lack of memory, would tell of its room for ever. TCP
 * says EAGAIN then, as where there is no room. */
static bool can_be_watched(const plx_stream *stream, bool had_room)
{
    return stream->error == 0 || (stream->error == -EAGAIN && !had_room);
}

static void send_rest_of(int fd, bool had_room)
{
    plx_stream *stream = plx_stream_of(fd);
    plx_batch *batch = stream == NULL ? NULL : plx_stream_lock(stream);
    if (batch == NULL)
        return;
    if (plx_has_rest(stream) && !plx_stream_send_rest(stream, fd)) {
        if (can_be_watched(stream, had_room))
            plx_flusher_await_room(fd);
        else
            atomic_store(&plx_tasks.is_lost, true);
    }
    if (stream->registrations == 0 && plx_owed_for(stream) == PLX_OWED_NOTHING)
        atomic_store(&stream->batch, NULL);
    pthread_mutex_unlock(&batch->lock);
}

/* Looks at all of them, if some can't be watched, but not more often than that: each may be watched again then, and
 * tell at once of room that is of no use. */
static bool send_lost(void)
{
    int64_t now = atomic_load(&plx_tasks.is_lost) ? plx_now() : 0;
    if (now == 0 || now < flusher.lost_at)
        return false;
    flusher.lost_at = now + LOST_MILLIS * MILLISECOND;
    atomic_store(&plx_tasks.is_lost, false);
    for (int fd = 0; fd <= atomic_load(&plx_stream_highest); fd++) {
        plx_stream *stream = plx_stream_of(fd);
        if (stream != NULL && plx_has_rest(stream))
            send_rest_of(fd, false);
    }
    return true;
}

static bool take_fresh_orphans(void)
{
    plx_orphan *fresh = atomic_exchange(&plx_tasks.fresh, NULL);
    bool is_any = fresh != NULL;
    while (fresh != NULL) {
        plx_orphan *next = fresh->next;
        plx_flusher_watch(EPOLL_CTL_ADD, fresh->fd, ORPHAN | (uint64_t)fresh->fd);
        fresh->next = flusher.orphans;
        flusher.orphans = fresh;
        fresh = next;
    }
    return is_any;
}

/* Those that are done go, and those that are too old: their peers see that something is missing. Without `all`, those
 * alone that have room: if one's room made us watch the next one, whose room is of no use either, they would take turns
 * for ever. */
static void send_orphans(int64_t now, bool all)
{
    for (plx_orphan **place = &flusher.orphans; *place != NULL;) {
        plx_orphan *each = *place;
        if (!all && !each->had_room) {
            place = &each->next;
            continue;
        }
        bool is_done = plx_stream_send_last(&each->rest, each->fd);
        if (!is_done && now < each->until) {
            if (can_be_watched(&each->rest, each->had_room))
                plx_flusher_watch(EPOLL_CTL_MOD, each->fd, ORPHAN | (uint64_t)each->fd); /* else now and then */
            else
                atomic_store(&plx_tasks.is_lost, true);
            each->had_room = false;
            place = &each->next;
            continue;
        }
        if (!is_done)
            plx_reset_on_close(each->fd);
        *place = each->next;
        plx_syscall(SYS_close, each->fd, 0, 0, 0, 0, 0);
        plx_stream_free_rest(&each->rest);
        free(each);
    }
}

static void note_room_of_orphan(int fd)
{
    for (plx_orphan *each = flusher.orphans; each != NULL; each = each->next)
        if (each->fd == fd)
            each->had_room = true;
}

/* At least each second: some are too old by then. */
static void look_at_orphans(bool have_room, bool all)
{
    if (flusher.orphans == NULL)
        return;
    int64_t now = plx_now();
    all |= now >= flusher.orphans_at;
    if (all)
        flusher.orphans_at = now + 1000 * MILLISECOND;
    if (all || have_room)
        send_orphans(now, all);
}

/* How long to wait: for ever if nothing was deferred for a while. The next thread that defers something wakes us. */
static int64_t nanos_to_wait(int64_t next)
{
    if (next >= 0) {
        flusher.idle_looks = 0;
        return next;
    }
    if (++flusher.idle_looks < MAX_IDLE_LOOKS)
        return LIMIT;
    atomic_store(&plx_tasks.sleeps, true);
    next = send_old();
    if (next >= 0) {
        atomic_store(&plx_tasks.sleeps, false);
        return next;
    }
    return flusher.orphans == NULL ? -1 : 1000 * MILLISECOND;
}

/* An old sandbox refuses epoll_pwait2 (EPERM), an old kernel lacks it (ENOSYS). */
static long wait_older(struct epoll_event *events, const plx_timespec *timeout)
{
    struct pollfd polled = { .fd = plx_tasks.epfd, .events = POLLIN };
    long n = plx_syscall(SYS_ppoll, (long)&polled, 1, (long)timeout, 0, 0, 0);
    return n > 0 ? plx_syscall(SYS_epoll_wait, plx_tasks.epfd, (long)events, EVENTS, 0, 0, 0) : n;
}

/* Where ppoll(2) is refused too, rests are looked at by time alone. A futex(2) is not: each lock needs it. */
static void wait_blindly(const plx_timespec *timeout)
{
    plx_syscall(SYS_futex, (long)&plx_tasks.woken, PLX_FUTEX_WAIT, 0, (long)timeout, 0, 0);
    atomic_store(&plx_tasks.woken, 0);
}

/* How many events there are. Nanoseconds of -1: for ever. */
static long wait_for(struct epoll_event *events, int64_t nanos)
{
    const plx_timespec timeout = plx_timespec_of(nanos < 0 ? 0 : nanos), *ends = nanos < 0 ? NULL : &timeout;
    if (!flusher.lacks_pwait2) {
        long n = plx_syscall(SYS_epoll_pwait2, plx_tasks.epfd, (long)events, EVENTS, (long)ends, 0, 0);
        if (n >= 0 || n == -EINTR)
            return n;
        flusher.lacks_pwait2 = true;
    }
    if (!atomic_load(&plx_tasks.is_blind)) {
        long n = wait_older(events, ends);
        if (n >= 0 || n == -EINTR)
            return n;
        atomic_store(&plx_tasks.is_blind, true);
        atomic_store(&plx_tasks.is_lost, true); /* those that are watched already */
        return 0;
    }
    wait_blindly(ends);
    return 0;
}

static int64_t nanos_to_look(void)
{
    int64_t nanos = nanos_to_wait(send_old());
    if (atomic_load(&plx_tasks.is_lost) && (nanos < 0 || nanos > LOST_MILLIS * MILLISECOND))
        return LOST_MILLIS * MILLISECOND;
    return nanos;
}

static void *run(void *unused)
{
    struct epoll_event events[EVENTS] = { 0 };
    prctl(PR_SET_NAME, "pollux-batch");
    prctl(PR_SET_TIMERSLACK, 1);
    pthread_mutex_lock(&flusher.working);
    for (;;) {
        int64_t nanos = nanos_to_look();
        pthread_mutex_unlock(&flusher.working);
        long n = wait_for(events, nanos);
        pthread_mutex_lock(&flusher.working);
        atomic_store(&plx_tasks.sleeps, false);
        bool have_room = false;
        for (int i = 0; i < n; i++) {
            if (events[i].data.u64 < ORPHAN) {
                send_rest_of((int)events[i].data.u64, true);
            } else if (events[i].data.u64 != WAKE) {
                note_room_of_orphan((int)(events[i].data.u64 & (ORPHAN - 1)));
                have_room = true;
            }
        }
        bool all = send_lost();
        all |= take_fresh_orphans();
        look_at_orphans(have_room, all);
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
        plx_batch *batch = stream == NULL || !plx_has_rest(stream) ? NULL : plx_stream_lock(stream);
        if (batch == NULL)
            continue;
        if (plx_has_rest(stream) && !plx_stream_send_last(stream, fd)) {
            is_left = true;
            if (gives_up)
                plx_reset_on_close(fd);
        }
        pthread_mutex_unlock(&batch->lock);
    }
    take_fresh_orphans();
    send_orphans(gives_up ? INT64_MAX : 0, true);
    return is_left || flusher.orphans != NULL;
}

static long this_process(void)
{
    return plx_syscall(SYS_getpid, 0, 0, 0, 0, 0, 0);
}

/* An orderly end, and Runtime.halt: what is deferred goes out, and for a while what sockets have no room for. */
static void send_all_on_exit(void)
{
    const struct timespec pause = { 0, 1000000 };
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += EXIT_MILLIS / 1000;
    int64_t end = plx_now() + EXIT_MILLIS * MILLISECOND;
    if (this_process() != flusher.process)
        return;
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

/* The eventfd is never read: an event of it is consumed by being reported. */
int plx_flusher_start(void)
{
    struct epoll_event event = { .events = EPOLLIN | EPOLLET, .data.u64 = WAKE };
    long code = 0;
    if (flusher.runs)
        return 0;
    if (plx_tasks.epfd < 0)
        code = plx_tasks.epfd = (int)plx_syscall(SYS_epoll_create1, EPOLL_CLOEXEC, 0, 0, 0, 0, 0);
    if (code >= 0 && plx_tasks.wake < 0)
        code = plx_tasks.wake = (int)plx_syscall(SYS_eventfd2, 0, EFD_CLOEXEC | EFD_NONBLOCK, 0, 0, 0, 0);
    if (code >= 0)
        code = plx_syscall(SYS_epoll_ctl, plx_tasks.epfd, EPOLL_CTL_ADD, plx_tasks.wake, (long)&event, 0, 0);
    if (code < 0 && code != -EEXIST)
        return (int)code;
    flusher.process = this_process();
    code = start_thread();
    flusher.runs = code == 0;
    if (flusher.runs)
        atexit(send_all_on_exit);
    return (int)code;
}
#endif
