/* SPDX-License-Identifier: Apache-2.0
 *
 * poll.c: poll(2), everywhere; ppoll(2) on 64-bit Linux for nanoseconds, as a raw system call like epoll.c's. (32-bit
 * Linux has two of them, for two sizes of time_t, one of them only on younger kernels.)
 *
 * - The array of pollfd is ours to keep; place[fd] finds an entry, so that a change costs the same in a large set.
 *   Removal moves the last entry into the gap. Entry 0 is the waker, which has no edges: it is drained when seen.
 * - When the caller's buffer is full the scan goes on, next time, where it stopped: no descriptor starves.
 * - A waker that was closed is invalid, or has hung up (the other end of a pipe), in every poll: EBADF.
 * - More entries than RLIMIT_NOFILE: EINVAL from the kernel, passed on.
 */
#include "mechanism/mechanism.h"
#ifndef _WIN32
#include "system/array.h"
#include "system/rawcall.h"
#include "system/waker.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <stdlib.h>
#ifdef __linux__
#include <time.h>
#ifndef SYS_ppoll_time64
#define RAW_PPOLL
#endif
#endif

_Static_assert(PLX_IN == POLLIN && PLX_PRI == POLLPRI && PLX_OUT == POLLOUT && PLX_ERR == POLLERR &&
                   PLX_HUP == POLLHUP && PLX_NVAL == POLLNVAL,
               "the low six bits are poll's own");

enum { ASKED_BITS = PLX_IN | PLX_PRI | PLX_OUT, SAME_BITS = ASKED_BITS | PLX_ERR | PLX_HUP | PLX_NVAL };

typedef struct {
    plx_set head;
    plx_waker waker;
    struct pollfd *fds; /* fds[0] is the waker */
    uint64_t *cookies;  /* cookies[i] belongs to fds[i] */
    int count;          /* of both */
    int room, cookie_room;
    int *place; /* place[fd] is its index in fds, 0 if it has none */
    int places;
    int next; /* where the next scan starts */
} poll_set;

/* Makes room for that number of entries, and a place for that descriptor: 0 or -code. */
static int reserve(poll_set *set, int entries, int fd)
{
    void *fds = set->fds, *cookies = set->cookies, *place = set->place;
    int code = plx_grow(&fds, sizeof *set->fds, &set->room, entries);
    set->fds = fds;
    if (code == 0)
        code = plx_grow(&cookies, sizeof *set->cookies, &set->cookie_room, entries);
    set->cookies = cookies;
    if (code == 0)
        code = plx_grow(&place, sizeof *set->place, &set->places, fd + 1);
    set->place = place;
    return code;
}

static void poll_close(plx_set *base)
{
    poll_set *set = (poll_set *)base;
    plx_waker_close(&set->waker);
    free(set->place);
    free(set->cookies);
    free(set->fds);
    free(set);
}

static int poll_open(plx_set **result)
{
    poll_set *set = calloc(1, sizeof *set);
    if (set == NULL)
        return -ENOMEM;
    plx_syscall_setup();
    int code = plx_waker_open(&set->waker);
    if (code < 0) {
        free(set);
        return code;
    }
    code = reserve(set, 1, 0);
    if (code < 0) {
        poll_close(&set->head);
        return code;
    }
    set->fds[0] = (struct pollfd){ .fd = set->waker.read_fd, .events = POLLIN };
    set->count = set->next = 1;
    *result = &set->head;
    return 0;
}

static const char *poll_features(const plx_set *base)
{
    bool is_pipe = plx_waker_is_pipe(&((const poll_set *)base)->waker);
#ifdef RAW_PPOLL
    return is_pipe ? "pipe, ppoll" : "eventfd, ppoll";
#else
    return is_pipe ? "pipe, poll" : "eventfd, poll";
#endif
}

static bool poll_owns(const plx_set *base, int fd)
{
    return plx_waker_owns(&((const poll_set *)base)->waker, fd);
}

static int index_of(const poll_set *set, int fd)
{
    return fd < set->places ? set->place[fd] : 0;
}

short plx_poll_events(uint32_t want)
{
    uint32_t events = want & (uint32_t)ASKED_BITS;
#ifdef POLLRDHUP
    if (want & PLX_RDHUP)
        events |= POLLRDHUP;
#endif
    return (short)events;
}

static void watch(poll_set *set, int i, int fd, uint32_t want, uint64_t cookie)
{
    set->fds[i] = (struct pollfd){ .fd = fd, .events = plx_poll_events(want) };
    set->cookies[i] = cookie;
}

static int poll_add(plx_set *base, int fd, uint32_t want, uint64_t cookie)
{
    poll_set *set = (poll_set *)base;
    if (fd >= set->places && !plx_is_open(fd))
        return -EBADF; /* place[] grows only as far as descriptors can */
    if (set->count == INT_MAX || fd == INT_MAX)
        return -ENOMEM;
    int code = reserve(set, set->count + 1, fd);
    if (code < 0)
        return code;
    if (set->place[fd] == 0)
        set->place[fd] = set->count++;
    watch(set, set->place[fd], fd, want, cookie);
    return 0;
}

static int poll_modify(plx_set *base, int fd, uint32_t want, uint64_t cookie)
{
    poll_set *set = (poll_set *)base;
    int i = index_of(set, fd);
    if (i == 0)
        return -ENOENT;
    watch(set, i, fd, want, cookie);
    return 0;
}

static int poll_remove(plx_set *base, int fd)
{
    poll_set *set = (poll_set *)base;
    int i = index_of(set, fd);
    if (i == 0)
        return 0;
    int last = --set->count;
    set->fds[i] = set->fds[last];
    set->cookies[i] = set->cookies[last];
    set->place[set->fds[i].fd] = i;
    set->place[fd] = 0;
    return 0;
}

/* 0 or more entries, or -code. */
static long poll_nanos(struct pollfd *fds, int count, int64_t ns)
{
    int timeout = plx_millis(ns);
#ifdef RAW_PPOLL
#ifdef SYS_poll /* spares the kernel to fetch the timeout and to store what is left of it: 50 ns */
    if (ns < 0 || ns % 1000000 == 0)
        return plx_syscall(SYS_poll, (long)fds, count, timeout, 0, 0, 0);
#endif
    struct timespec exact = { ns / 1000000000, ns % 1000000000 };
    (void)timeout;
    return plx_syscall(SYS_ppoll, (long)fds, count, ns < 0 ? 0 : (long)&exact, 0, 0, 0);
#else
    int n = poll(fds, (nfds_t)count, timeout);
    return n < 0 ? -errno : n;
#endif
}

plx_event plx_poll_event(uint64_t cookie, short revents)
{
    uint32_t returned = (uint32_t)(unsigned short)revents;
    uint32_t events = returned & (uint32_t)SAME_BITS;
#ifdef POLLRDHUP
    if (returned & POLLRDHUP)
        events |= PLX_RDHUP;
#endif
    return (plx_event){ cookie, events, events & PLX_NVAL ? EBADF : 0 };
}

/* Reports entries from set->next on, once around, until the kernel's count or the caller's room is used up. */
static int scan(poll_set *set, plx_event *events, int written, int max_events, long ready)
{
    int i = set->next;
    for (int left = set->count - 1; left > 0 && ready > 0 && written < max_events; left--, i++) {
        if (i >= set->count)
            i = 1;
        if (set->fds[i].revents != 0) {
            events[written++] = plx_poll_event(set->cookies[i], set->fds[i].revents);
            ready--;
        }
    }
    set->next = ready > 0 && i < set->count ? i : 1;
    return written;
}

static int poll_await(plx_set *base, plx_event *events, int max_events, int64_t ns)
{
    poll_set *set = (poll_set *)base;
    long ready = poll_nanos(set->fds, set->count, ns);
    int written = 0;
    if (ready < 0)
        return (int)ready;
    if (ready > 0 && set->fds[0].revents != 0) {
        if (!(set->fds[0].revents & POLLIN))
            return -EBADF;
        plx_waker_drain(&set->waker);
        events[written++] = plx_wakeup_event();
        ready--;
    }
    return scan(set, events, written, max_events, ready);
}

static int poll_wakeup(plx_set *base)
{
    return plx_waker_signal(&((poll_set *)base)->waker);
}

const plx_mechanism plx_poll = {
    .change_call = "poll",
    .await_call = "poll",
    .caps = PLX_CAP_MERGED,
    .open = poll_open,
    .features = poll_features,
    .owns = poll_owns,
    .add = poll_add,
    .modify = poll_modify,
    .remove = poll_remove,
    .await = poll_await,
    .wakeup = poll_wakeup,
    .close = poll_close,
};
#endif
