/* SPDX-License-Identifier: Apache-2.0
 *
 * kqueue.c: kqueue(2), kevent(2): macOS and the BSDs.
 *
 * - Changes are kept and go in with the kevent call that waits. One that is refused comes back as an EV_ERROR entry,
 *   and that call does not wait; a descriptor that was refused once has its next change made at once.
 * - Removals happen at once: closing a descriptor takes its filters along, silently, and its number may be reused.
 * - Reading and writing are two filters, reported apart. EV_EOF is set on half a connection (the other end's shutdown,
 *   or ours), so it makes its own filter ready and is no PLX_HUP, which would make both; fflags is the socket's error.
 * - PLX_IN is EVFILT_READ, PLX_OUT is EVFILT_WRITE; PLX_PRI and PLX_RDHUP come with PLX_IN only. macOS reports
 *   out-of-band data where EV_OOBAND goes in, which it never does here; old releases did at the mark: what they say
 *   becomes PLX_PRI.
 * - A filter belongs to a number and goes when that is closed, so the cookie is found by the number, without udata.
 * - EV_ADD of a filter that is there has what is ready now reported again, but does not change its EV_CLEAR.
 * - A pipe whose reader is gone is ready for writing, with an error. Most kernels refuse EVFILT_WRITE of it (FreeBSD,
 *   OpenBSD, old releases of macOS: EPIPE; NetBSD: EBADF), and FreeBSD drops the filter when it has reported the end
 *   (EV_ONESHOT is set). So such pipes are kept in a list and reported by each await. EV_EOF of a pipe has fflags 0.
 * - macOS watches most character devices with NOTE_LOWAT and data 1 only, else it says EINVAL (spec_vnops.c of XNU).
 * - EVFILT_USER is younger than kqueue: a header may lack it, a kernel may be older than its header. So is EV_RECEIPT,
 *   but a kernel that ignores it waits, or takes events that nobody reports: it is not used.
 */
#include "mechanism.h"
#ifdef PLX_HAVE_KQUEUE
#include "waker.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h> /* before sys/event.h, as kqueue(2) has it */
#include <sys/event.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { FILTERS = PLX_IN | PLX_OUT, ASKED = FILTERS | PLX_RDHUP | PLX_EDGE, MOST_CHANGES = 2, NONE = -1 };
enum { LONGEST = 2147483 }; /* seconds, 24 days: some kernels refuse 2^31, some 100 million */

/* Lists of descriptors: those whose changes are kept, and broken pipes. */
enum { KEPT, BROKEN, LISTS };

/* What is known of a descriptor, by its number. */
typedef struct {
    uint64_t cookie;
    uint16_t want; /* ASKED bits, of which FILTERS shall be in the kernel at the next await */
    uint8_t held;  /* the FILTERS that are in the kernel */
    bool watched;  /* added and not removed; want may be 0 all the same */
    bool stale;    /* the filters must be added again: they may be gone, or shall report what is ready now */
    bool refused;  /* its last change: the next one is made at once */
    bool listed[LISTS];
    uint32_t broken;     /* pipe_of: a pipe without reader whose EVFILT_WRITE the kernel refused or dropped; else 0 */
    int32_t next[LISTS]; /* or NONE */
} record;

/* First in, first out, linked through the records. */
typedef struct {
    int first, last; /* or NONE */
} fd_list;

typedef struct {
    plx_set head;
    int kq;
    bool has_user; /* EVFILT_USER, else the waker */
    bool broken_last; /* the last await that had room for one entry gave it to a broken pipe */
    plx_waker waker;
    record *records;
    int count;
    fd_list lists[LISTS];
    struct kevent *list; /* changes going in, events coming out */
    int room;
} kqueue_set;

static const struct timespec at_once = { 0, 0 };

static int grow(void **array, size_t element, int *length, int needed)
{
    int wanted = *length > 0 ? *length : 64;
    while (wanted < needed)
        wanted = wanted > INT_MAX / 2 ? INT_MAX : wanted * 2;
    char *bigger = realloc(*array, (size_t)wanted * element);
    if (bigger == NULL)
        return -ENOMEM;
    memset(bigger + (size_t)*length * element, 0, (size_t)(wanted - *length) * element);
    *array = bigger;
    *length = wanted;
    return 0;
}

/* Room for so many events, or as many as there is memory for. */
static int reserve_list(kqueue_set *set, int wanted)
{
    void *list = set->list;
    if (wanted > set->room)
        grow(&list, sizeof *set->list, &set->room, wanted);
    set->list = list;
    return wanted < set->room ? wanted : set->room;
}

/* Has a record for that descriptor: 0 or -code. The table grows only as far as descriptors can. */
static int reserve_record(kqueue_set *set, int fd)
{
    if (fd < set->count)
        return 0;
    if (!plx_is_open(fd))
        return -EBADF;
    void *records = set->records;
    int code = grow(&records, sizeof *set->records, &set->count, fd + 1);
    set->records = records;
    return code;
}

static int open_user(const kqueue_set *set)
{
#ifdef EVFILT_USER
    struct kevent user = { .ident = 0, .filter = EVFILT_USER, .flags = EV_ADD | EV_CLEAR };
    return kevent(set->kq, &user, 1, NULL, 0, &at_once) < 0 ? -errno : 0;
#else
    (void)set;
    return -EINVAL;
#endif
}

/* A header can be younger than the kernel. */
static int open_waker(kqueue_set *set)
{
    set->has_user = open_user(set) == 0;
    if (set->has_user)
        return 0;
    int code = plx_waker_open_pipe(&set->waker);
    if (code < 0)
        return code;
    struct kevent readable = { .ident = (uintptr_t)set->waker.read_fd, .filter = EVFILT_READ, .flags = EV_ADD };
    if (kevent(set->kq, &readable, 1, NULL, 0, &at_once) < 0) {
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
    if (reserve_list(set, 1) < 1) {
        code = -ENOMEM;
        goto free_set;
    }
    set->kq = kqueue();
    if (set->kq < 0) {
        code = -errno;
        goto free_list;
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
free_list:
    free(set->list);
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
    free(set->list);
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

/* Writes the change that brings one filter in line with a record: 1, or 0 if none is needed. */
static int change_of(int fd, const record *r, uint8_t bit, struct kevent *out)
{
    bool held = r->held & bit, wanted = r->want & bit;
    if (wanted ? held && !r->stale : !held)
        return 0;
    *out = (struct kevent){ .ident = (uintptr_t)fd, .filter = bit == PLX_OUT ? EVFILT_WRITE : EVFILT_READ };
    out->flags = !wanted ? EV_DELETE : r->want & PLX_EDGE ? EV_ADD | EV_CLEAR : EV_ADD;
    return 1;
}

/* The same for both: how many changes, at most MOST_CHANGES. */
static int changes_of(int fd, const record *r, struct kevent *out)
{
    int n = change_of(fd, r, PLX_IN, out);
    return n + change_of(fd, r, PLX_OUT, out + n);
}

/* Notes that the kernel has been told what changes_of says. */
static void settle(record *r)
{
    r->held = r->want & FILTERS;
    r->stale = r->refused = false;
}

/* Makes changes now: each becomes an EV_ERROR entry. The first refusal ends a call that has no room for answers. Then
 * they go in one by one; to make a change twice does no harm. */
static void make(const kqueue_set *set, struct kevent *changes, int n)
{
    int error = n > 0 && kevent(set->kq, changes, n, NULL, 0, &at_once) < 0 ? errno : 0;
    for (int i = 0; i < n; i++) {
        if (error != 0 && n > 1)
            changes[i].data = kevent(set->kq, &changes[i], 1, NULL, 0, &at_once) < 0 ? errno : 0;
        else
            changes[i].data = error;
        changes[i].flags = EV_ERROR;
    }
}

static bool is_kind(uintptr_t fd, mode_t kind)
{
    struct stat status;
    return fstat((int)fd, &status) == 0 && (status.st_mode & S_IFMT) == kind;
}

/* Tells a pipe from others that may get its number: never 0, which is what any other file has. A pipe has no inode on
 * NetBSD and OpenBSD, but the time when it was created. */
static uint32_t pipe_of(int fd)
{
    struct stat status;
    if (fstat(fd, &status) < 0 || !S_ISFIFO(status.st_mode))
        return 0;
    uint64_t identity = (uint64_t)status.st_ino ^ (uint64_t)status.st_dev << 40;
#ifndef __APPLE__ /* all pipes have inodes there */
    if (status.st_ino == 0)
        identity = (uint64_t)status.st_ctim.tv_sec << 30 ^ (uint64_t)status.st_ctim.tv_nsec;
#endif
    return (uint32_t)(identity ^ identity >> 32) | 1;
}

/* Puts a descriptor at the end of a list, once. */
static void append(kqueue_set *set, int which, int fd)
{
    fd_list *list = &set->lists[which];
    record *r = &set->records[fd];
    if (r->listed[which])
        return;
    r->listed[which] = true;
    r->next[which] = NONE;
    if (list->first == NONE)
        list->first = fd;
    else
        set->records[list->last].next[which] = fd;
    list->last = fd;
}

/* Takes the first descriptor out of a list that is not empty. */
static int take(kqueue_set *set, int which)
{
    int fd = set->lists[which].first;
    record *r = &set->records[fd];
    r->listed[which] = false;
    set->lists[which].first = r->next[which];
    return fd;
}

/* Adds a refused filter of a character device once more, content to hear that there is something: whether it was
 * taken. */
static bool add_device(const kqueue_set *set, const struct kevent *refusal)
{
#ifdef NOTE_LOWAT
    struct kevent change = *refusal;
    if (refusal->data != EINVAL || !is_kind(refusal->ident, S_IFCHR))
        return false;
    change.flags = set->records[refusal->ident].want & PLX_EDGE ? EV_ADD | EV_CLEAR : EV_ADD;
    change.fflags = NOTE_LOWAT;
    change.data = 1;
    return kevent(set->kq, &change, 1, NULL, 0, &at_once) == 0;
#else
    (void)set, (void)refusal;
    return false;
#endif
}

/* Whether EVFILT_WRITE was refused because nobody reads the pipe any more, and not because the descriptor is closed. */
static bool is_broken_pipe(const struct kevent *refusal)
{
    return (refusal->data == EPIPE || refusal->data == EBADF) && is_kind(refusal->ident, S_IFIFO);
}

/* Notes that the kernel has no EVFILT_WRITE of that pipe, which has no reader. */
static void report_by_list(kqueue_set *set, int fd)
{
    set->records[fd].held &= (uint8_t)~PLX_OUT;
    set->records[fd].broken = pipe_of(fd);
    append(set, BROKEN, fd);
}

/* What an EV_ERROR entry says of a settled record: the filter that is not watched, else 0. A removal has nothing to
 * say: its filter is gone either way. */
static uint8_t refused(kqueue_set *set, const struct kevent *e)
{
    record *r = &set->records[e->ident];
    uint8_t filter = e->filter == EVFILT_READ ? PLX_IN : PLX_OUT;
    if (e->data == 0 || !(r->held & filter) || add_device(set, e))
        return 0;
    if (filter == PLX_OUT && is_broken_pipe(e)) {
        report_by_list(set, (int)e->ident);
        return 0;
    }
    r->held &= (uint8_t)~filter;
    r->refused = true;
    return filter;
}

/* Makes the changes of one descriptor now: 0 or -code. */
static int make_changes_of(kqueue_set *set, int fd, record *r)
{
    struct kevent changes[MOST_CHANGES];
    int n = changes_of(fd, r, changes), code = 0;
    make(set, changes, n);
    settle(r);
    for (int i = 0; i < n; i++)
        if (refused(set, &changes[i]))
            code = -(int)changes[i].data;
    return code;
}

/* Takes the filters of a descriptor out of the kernel. */
static void remove_filters(kqueue_set *set, int fd, record *r)
{
    r->want = 0;
    make_changes_of(set, fd, r); /* ENOENT, EBADF: it is gone already */
}

/* Watches a descriptor that is new, or for other events: at the next await, or now if its last change was refused. If
 * that is refused too, a descriptor that is new is not watched, and another one is as before. */
static int watch(kqueue_set *set, int fd, uint32_t want, uint64_t cookie, bool is_new)
{
    record *r = &set->records[fd];
    const record before = *r;
    r->watched = true;
    r->broken = 0;
    if ((r->want ^ want) & PLX_EDGE)
        remove_filters(set, fd, r);
    r->stale |= is_new || (want & PLX_EDGE) != 0;
    r->cookie = cookie;
    r->want = (uint16_t)(want & (uint32_t)ASKED);
    if (!before.refused) {
        append(set, KEPT, fd);
        return 0;
    }
    int code = make_changes_of(set, fd, r);
    if (code < 0) {
        r->watched = !is_new;
        r->cookie = before.cookie;
        r->want = is_new ? 0 : before.want;
        make_changes_of(set, fd, r);
        r->refused = true;
    }
    return code;
}

static bool is_watched(const kqueue_set *set, int fd)
{
    return fd < set->count && set->records[fd].watched;
}

static int kqueue_add(plx_set *base, int fd, uint32_t want, uint64_t cookie)
{
    kqueue_set *set = (kqueue_set *)base;
    int code = reserve_record(set, fd);
    return code < 0 ? code : watch(set, fd, want, cookie, true);
}

static int kqueue_modify(plx_set *base, int fd, uint32_t want, uint64_t cookie)
{
    kqueue_set *set = (kqueue_set *)base;
    return is_watched(set, fd) ? watch(set, fd, want, cookie, false) : -ENOENT;
}

static int kqueue_remove(plx_set *base, int fd)
{
    kqueue_set *set = (kqueue_set *)base;
    if (is_watched(set, fd)) {
        record *r = &set->records[fd];
        r->watched = false;
        r->broken = 0;
        remove_filters(set, fd, r);
    }
    return 0;
}

/* Writes kept changes to set->list, as many as fit in slots, but those of one descriptor always: their number, and the
 * descriptor at which it stopped, NONE if that was all. */
static int collect(const kqueue_set *set, int slots, int *stop)
{
    int n = 0, fd = set->lists[KEPT].first;
    for (; fd != NONE; fd = set->records[fd].next[KEPT]) {
        int more = changes_of(fd, &set->records[fd], &set->list[n]);
        if (n > 0 && n + more > slots)
            break;
        n += more;
    }
    *stop = fd;
    return n;
}

/* Notes that the changes up to that descriptor have been made. */
static void settle_until(kqueue_set *set, int stop)
{
    while (set->lists[KEPT].first != stop)
        settle(&set->records[take(set, KEPT)]);
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

/* EV_EOF of a socket may be our own shutdown. */
static plx_event writable(const kqueue_set *set, const struct kevent *e)
{
    bool failed = e->flags & EV_EOF && (e->fflags != 0 || is_kind(e->ident, S_IFIFO));
    uint32_t events = failed ? PLX_OUT | PLX_ERR : PLX_OUT;
    return (plx_event){ set->records[e->ident].cookie, events, 0 };
}

/* Appends what the first n of set->list say to the events written so far: how many there are then. Both filters of a
 * descriptor refused are one event: more might not fit. The two follow each other, and no other event lies between. */
static int report(kqueue_set *set, int n, plx_event *events, int written)
{
    const struct kevent *failed = NULL; /* what the last event is of, if that has PLX_FAILED */
    for (int i = 0; i < n; i++) {
        const struct kevent *e = &set->list[i];
        if (e->flags & EV_ERROR) {
            uint32_t missing = refused(set, e);
            if (missing == 0)
                continue;
            if (failed == NULL || failed->ident != e->ident)
                events[written++] = (plx_event){ set->records[e->ident].cookie, PLX_FAILED, (int32_t)e->data };
            events[written - 1].events |= missing;
            failed = e;
        } else if (e->filter == EVFILT_WRITE && e->flags & EV_ONESHOT) {
            report_by_list(set, (int)e->ident);
        } else if (e->filter == EVFILT_WRITE) {
            events[written++] = writable(set, e);
        } else if (set->has_user ? e->filter == EVFILT_READ : e->ident != (uintptr_t)set->waker.read_fd) {
            events[written++] = readable(set, e);
        } else {
            if (!set->has_user)
                plx_waker_drain(&set->waker);
            events[written++] = plx_wakeup_event();
        }
    }
    return written;
}

/* Makes changes now until the rest fits: how many entries that wrote; *n is how many changes are left, in set->list. */
static int make_excess(kqueue_set *set, plx_event *events, int slots, int *n)
{
    for (int written = 0;;) {
        int stop;
        *n = collect(set, slots - written, &stop);
        if ((stop == NONE && *n <= slots - written) || written == slots)
            return written;
        make(set, set->list, *n);
        settle_until(set, stop);
        written = report(set, *n, events, written);
    }
}

/* Appends the broken pipes, each once, those first that have waited longest: how many entries there are then. One that
 * was changed, or closed, is forgotten, as a kqueue forgets filters; with PLX_EDGE one is reported only once. */
static int report_broken(kqueue_set *set, plx_event *events, int slots, int written)
{
    int last = set->lists[BROKEN].last, fd = NONE;
    while (fd != last && set->lists[BROKEN].first != NONE && written < slots) {
        fd = take(set, BROKEN);
        record *r = &set->records[fd];
        if (r->broken == 0 || r->broken != pipe_of(fd)) {
            r->broken = 0;
            continue;
        }
        events[written++] = (plx_event){ r->cookie, PLX_OUT | PLX_ERR, 0 };
        if (!(r->want & PLX_EDGE))
            append(set, BROKEN, fd);
    }
    return written;
}

/* How many entries the kernel may fill: while there are broken pipes one is theirs; if there is but one, every other
 * time. */
static int share_of_kernel(kqueue_set *set, int slots)
{
    if (set->lists[BROKEN].first == NONE)
        return slots;
    if (slots > 1)
        return slots - 1;
    set->broken_last = !set->broken_last;
    return set->broken_last ? 0 : 1;
}

/* Takes what is ready for ns, or for ever, while the changes go in: as kevent(2). */
static int wait_for_kernel(const kqueue_set *set, int n, int room, int64_t ns)
{
    int64_t seconds = ns / 1000000000;
    struct timespec timeout = { .tv_sec = LONGEST };
    if (seconds < LONGEST)
        timeout = (struct timespec){ .tv_sec = (time_t)seconds, .tv_nsec = (long)(ns % 1000000000) };
    return kevent(set->kq, set->list, n, set->list, room, ns < 0 ? NULL : &timeout);
}

static int kqueue_await(plx_set *base, plx_event *events, int max_events, int64_t ns)
{
    kqueue_set *set = (kqueue_set *)base;
    int wanted = max_events > INT_MAX - MOST_CHANGES ? max_events : max_events + MOST_CHANGES;
    int slots = reserve_list(set, wanted) - MOST_CHANGES;
    for (;;) {
        bool broken = set->lists[BROKEN].first != NONE;
        int share = share_of_kernel(set, slots), n, got = 0;
        int written = make_excess(set, events, share, &n);
        if (written < share) {
            got = wait_for_kernel(set, n, share - written, written > 0 || broken ? 0 : ns);
            if (got < 0 && errno != EINTR)
                return -errno;
            settle_until(set, NONE); /* if a signal came too: kevent(2) */
            if (got < 0)
                return written > 0 ? written : -EINTR;
            written = report(set, got, events, written);
        }
        written = report_broken(set, events, slots, written);
        if (written > 0 || (got == 0 && !broken))
            return written;
        /* Nothing but answers to removals, and those do not wait, or broken pipes that have been closed. */
    }
}

static int trigger_user(const kqueue_set *set)
{
#ifdef EVFILT_USER
    int saved = errno, code = 0;
    struct kevent user = { .ident = 0, .filter = EVFILT_USER, .fflags = NOTE_TRIGGER };
    if (kevent(set->kq, &user, 1, NULL, 0, &at_once) < 0)
        code = -errno;
    errno = saved;
    return code;
#else
    (void)set;
    return -EINVAL;
#endif
}

static int kqueue_wakeup(plx_set *base)
{
    const kqueue_set *set = (const kqueue_set *)base;
    return set->has_user ? trigger_user(set) : plx_waker_signal(&set->waker);
}

const plx_mechanism plx_kqueue = {
    .name = PLX_KQUEUE(PLX_NAME),
    .change_call = "kevent",
    .await_call = "kevent",
    .caps = PLX_CAP_POLLABLE | PLX_CAP_EDGE,
    .open = kqueue_open,
    .features = kqueue_features,
    .handle = kqueue_handle,
    .add = kqueue_add,
    .modify = kqueue_modify,
    .remove = kqueue_remove,
    .await = kqueue_await,
    .wakeup = kqueue_wakeup,
    .close = kqueue_close,
};
#endif
