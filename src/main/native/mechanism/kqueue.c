/* SPDX-License-Identifier: Apache-2.0
 *
 * kqueue.c: kqueue(2), kevent(2): macOS and the BSDs. Changes are in kqueue_changes.c, and pipes without reader in
 * kqueue_pipes.c.
 *
 * - PLX_IN is EVFILT_READ, PLX_OUT is EVFILT_WRITE; PLX_PRI and PLX_RDHUP come with PLX_IN only. Reading and writing
 *   are two filters, and are reported apart.
 * - EV_EOF is set on half a connection (the other end's shutdown, or ours), so it makes its own filter ready and is no
 *   PLX_HUP, which would make both; fflags is the socket's error. EV_EOF of a pipe has fflags 0.
 * - macOS reports out-of-band data where EV_OOBAND goes in, which it never does here. Old releases reported it unasked,
 *   at the mark: that becomes PLX_PRI.
 * - A filter belongs to a number and goes when that is closed, so the cookie is found by the number, without udata.
 * - EVFILT_USER is younger than kqueue: a header may lack it, and a kernel may be older than its header.
 */
#include "mechanism/mechanism.h"
#ifdef PLX_BSD
#include "system/array.h"
#include "mechanism/kqueue.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <unistd.h>

enum { LONGEST = 2147483 }; /* seconds, 24 days: some kernels refuse 2^31, some 100 million */

/* Makes room for the wanted number of events, or for as many as there is memory for, and returns that number. */
static int reserve_buffer(kqueue_set *set, int wanted)
{
    void *buffer = set->buffer;
    if (wanted > set->buffer_size)
        plx_grow(&buffer, sizeof *set->buffer, &set->buffer_size, wanted);
    set->buffer = buffer;
    return wanted < set->buffer_size ? wanted : set->buffer_size;
}

/* Adds the filter of wakeups, or triggers it: 0 or -code; errno stays as it was. */
static int change_user(const kqueue_set *set, bool adds)
{
#ifdef EVFILT_USER
    int saved = errno, code = 0;
    struct kevent user = { .ident = 0, .filter = EVFILT_USER };
    user.flags = adds ? EV_ADD | EV_CLEAR : 0;
    user.fflags = adds ? 0 : NOTE_TRIGGER;
    if (kevent(set->kq, &user, 1, NULL, 0, &plx_at_once) < 0)
        code = -errno;
    errno = saved;
    return code;
#else
    (void)set, (void)adds;
    return -EINVAL;
#endif
}

static int open_waker(kqueue_set *set)
{
    set->has_user = change_user(set, true) == 0;
    if (set->has_user)
        return 0;
    int code = plx_waker_open_pipe(&set->waker);
    if (code < 0)
        return code;
    struct kevent readable = { .ident = (uintptr_t)set->waker.read_fd, .filter = EVFILT_READ, .flags = EV_ADD };
    if (kevent(set->kq, &readable, 1, NULL, 0, &plx_at_once) < 0) {
        code = -errno;
        plx_waker_close(&set->waker);
    }
    return code;
}

/* A kqueue is not inherited by fork(2): no child can have it before it is close-on-exec. */
static int kqueue_open(plx_set **result)
{
    int code;
    kqueue_set *set = calloc(1, sizeof *set);
    if (set == NULL)
        return -ENOMEM;
    for (int i = 0; i < LISTS; i++)
        set->lists[i] = (fd_list){ NONE, NONE };
    if (reserve_buffer(set, 1) < 1) {
        code = -ENOMEM;
        goto free_set;
    }
    set->kq = kqueue();
    if (set->kq < 0) {
        code = -errno;
        goto free_buffer;
    }
    if (fcntl(set->kq, F_SETFD, FD_CLOEXEC) < 0) {
        code = -errno;
        goto close_kq;
    }
    code = open_waker(set);
    if (code < 0)
        goto close_kq;
    *result = &set->head;
    return 0;

close_kq:
    close(set->kq);
free_buffer:
    free(set->buffer);
free_set:
    free(set);
    return code;
}

static void kqueue_close(plx_set *base)
{
    kqueue_set *set = (kqueue_set *)base;
    close(set->kq);
    if (!set->has_user)
        plx_waker_close(&set->waker);
    free(set->buffer);
    free(set->records);
    free(set);
}

static const char *kqueue_features(const plx_set *base)
{
    return ((const kqueue_set *)base)->has_user ? "kevent, EVFILT_USER" : "kevent, pipe";
}

static intptr_t kqueue_handle(const plx_set *base)
{
    return ((const kqueue_set *)base)->kq;
}

static bool kqueue_owns(const plx_set *base, int fd)
{
    const kqueue_set *set = (const kqueue_set *)base;
    return fd == set->kq || (!set->has_user && plx_waker_owns(&set->waker, fd));
}

static bool is_watched(const kqueue_set *set, int fd)
{
    return fd < set->record_count && set->records[fd].watched;
}

static int kqueue_add(plx_set *base, int fd, uint32_t want, uint64_t cookie)
{
    kqueue_set *set = (kqueue_set *)base;
    int code = plx_kqueue_reserve_record(set, fd);
    return code < 0 ? code : plx_kqueue_watch(set, fd, want, cookie, true);
}

static int kqueue_modify(plx_set *base, int fd, uint32_t want, uint64_t cookie)
{
    kqueue_set *set = (kqueue_set *)base;
    return is_watched(set, fd) ? plx_kqueue_watch(set, fd, want, cookie, false) : -ENOENT;
}

static int kqueue_remove(plx_set *base, int fd)
{
    kqueue_set *set = (kqueue_set *)base;
    if (is_watched(set, fd)) {
        set->records[fd].watched = false;
        set->records[fd].broken = 0;
        plx_kqueue_remove_filters(set, fd);
    }
    return 0;
}

static plx_event readable(const kqueue_set *set, const struct kevent *e)
{
    uint32_t events = PLX_IN;
#ifdef EV_OOBAND
    if (e->flags & EV_OOBAND)
        events = e->data > 0 || e->flags & EV_EOF ? PLX_PRI | PLX_IN : PLX_PRI;
#endif
    if (e->flags & EV_EOF)
        events |= (set->records[e->ident].want & (uint32_t)PLX_RDHUP) | (e->fflags != 0 ? (uint32_t)PLX_ERR : 0);
    return (plx_event){ set->records[e->ident].cookie, events, 0 };
}

static plx_event writable(const kqueue_set *set, const struct kevent *e)
{
    bool failed = e->flags & EV_EOF && (e->fflags != 0 || plx_is_kind(e->ident, S_IFIFO));
    uint32_t events = failed ? PLX_OUT | PLX_ERR : PLX_OUT;
    return (plx_event){ set->records[e->ident].cookie, events, 0 };
}

/* Appends what the first n of the eventlist say to the events written so far: how many there are then. If both filters
 * of a descriptor were refused that is one event, since two might not fit. The two entries follow each other. */
static int report(kqueue_set *set, int n, plx_event *events, int written)
{
    const struct kevent *failed = NULL; /* what the last event is of, if that has PLX_FAILED */
    for (int i = 0; i < n; i++) {
        const struct kevent *e = &set->buffer[i];
        if (e->flags & EV_ERROR) {
            uint32_t missing = plx_kqueue_note_refusal(set, e);
            if (missing == 0)
                continue;
            if (failed == NULL || failed->ident != e->ident)
                events[written++] = (plx_event){ set->records[e->ident].cookie, PLX_FAILED, (int32_t)e->data };
            events[written - 1].events |= missing;
            failed = e;
        } else if (e->filter == EVFILT_WRITE && e->flags & EV_ONESHOT) {
            plx_kqueue_add_broken_pipe(set, (int)e->ident);
        } else if (e->filter == EVFILT_WRITE) {
            events[written++] = writable(set, e);
        } else if (set->has_user ? e->filter == EVFILT_READ : e->ident != (uintptr_t)set->waker.read_fd) {
            events[written++] = readable(set, e);
        } else if (!set->has_user && e->flags & EV_EOF && e->data == 0) {
            set->hung_up = true;
        } else {
            if (!set->has_user)
                plx_waker_drain(&set->waker);
            events[written++] = plx_wakeup_event();
        }
    }
    return written;
}

/* Applies changes now until the rest fits beside the events: how many events that wrote. *n is how many changes are
 * left, in the buffer. */
static int flush_excess(kqueue_set *set, plx_event *events, int slots, int *n)
{
    for (int written = 0;;) {
        int stop;
        *n = plx_kqueue_fill_changelist(set, slots - written, &stop);
        if ((stop == NONE && *n <= slots - written) || written == slots)
            return written;
        plx_kqueue_apply_now(set, set->buffer, *n);
        plx_kqueue_mark_applied_until(set, stop);
        written = report(set, *n, events, written);
    }
}

/* kevent(2) with the first n of the buffer as its changelist: takes what is ready for ns, or for ever. */
static int wait_for_kernel(const kqueue_set *set, int n, int slots, int64_t ns)
{
    int64_t seconds = ns / 1000000000;
    struct timespec timeout = { .tv_sec = LONGEST };
    if (seconds < LONGEST)
        timeout = (struct timespec){ .tv_sec = (time_t)seconds, .tv_nsec = (long)(ns % 1000000000) };
    return kevent(set->kq, set->buffer, (kevent_count)n, set->buffer, (kevent_count)slots, ns < 0 ? NULL : &timeout);
}

/* What is ready beside refusals: kevent(2) brings no events if it has errors to bring. The n entries in the buffer have
 * been reported. How many events there are now. */
static int report_beside_refusals(kqueue_set *set, int n, plx_event *events, int share, int written)
{
    if (n <= 0 || written == 0 || written == share || !(set->buffer[0].flags & EV_ERROR))
        return written;
    n = wait_for_kernel(set, 0, share - written, 0);
    return n > 0 ? report(set, n, events, written) : written; /* what fails here fails again next time */
}

static int kqueue_await(plx_set *base, plx_event *events, int max_events, int64_t ns)
{
    kqueue_set *set = (kqueue_set *)base;
    int wanted = max_events > INT_MAX - MAX_CHANGES ? max_events : max_events + MAX_CHANGES;
    int slots = reserve_buffer(set, wanted) - MAX_CHANGES;
    for (;;) {
        bool broken = !plx_is_empty(set, BROKEN);
        int share = plx_kqueue_kernels_share(set, slots), n, got = 0;
        int written = flush_excess(set, events, share, &n);
        if (written < share) {
            got = wait_for_kernel(set, n, share - written, written > 0 || broken ? 0 : ns);
            if (got < 0 && errno != EINTR)
                return written > 0 ? written : -errno;
            plx_kqueue_mark_applied_until(set, NONE); /* if a signal came too: kevent(2) */
            if (got < 0)
                return written > 0 ? written : -EINTR;
            written = report(set, got, events, written);
            written = report_beside_refusals(set, got, events, share, written);
        }
        written = plx_kqueue_report_broken(set, events, slots, written);
        if (written > 0 || (got == 0 && !broken))
            return written;
        if (set->hung_up)
            return -EBADF;
        /* Nothing but answers to removals, and those do not wait, or broken pipes that have been closed. */
    }
}

static int kqueue_wakeup(plx_set *base)
{
    const kqueue_set *set = (const kqueue_set *)base;
    return set->has_user ? change_user(set, false) : plx_waker_signal(&set->waker);
}

const plx_mechanism plx_kqueue = {
    .change_call = "kevent",
    .await_call = "kevent",
    .caps = PLX_CAP_POLLABLE | PLX_CAP_EDGE,
    .open = kqueue_open,
    .features = kqueue_features,
    .handle = kqueue_handle,
    .owns = kqueue_owns,
    .add = kqueue_add,
    .modify = kqueue_modify,
    .remove = kqueue_remove,
    .await = kqueue_await,
    .wakeup = kqueue_wakeup,
    .close = kqueue_close,
};
#endif
