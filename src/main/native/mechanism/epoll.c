/* SPDX-License-Identifier: Apache-2.0
 *
 * epoll.c: epoll(7), Linux. epoll_ctl(2), epoll_wait(2), epoll_pwait2 (Linux 5.11).
 *
 * - System calls are made in line (rawcall.h): glibc's wrapper of a wait is a cancellation point and costs 15 to 20 ns
 *   in a process with threads, and a return after a system call can cost far more.
 * - The eventfd is edge-triggered and never read: an event of it is consumed by being reported. A pipe in its place is
 *   level-triggered and drained: it would fill up, and Linux 5.5 to 5.13 make an edge only if it was empty.
 * - The kernel's events are 12 bytes on x86-64 and 16 elsewhere; they are received in the caller's buffer of
 *   16-byte events and spread out in place, from the last to the first.
 * - Closing the last descriptor of an open file removes it, closing one of several does not (epoll(7), questions
 *   and answers, 6): then the kernel reports the cookie of a descriptor that is no more.
 */
#include "mechanism/mechanism.h"
#ifdef __linux__
#include "system/rawcall.h"
#include "system/waker.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/syscall.h>

_Static_assert(PLX_IN == (int)EPOLLIN && PLX_PRI == (int)EPOLLPRI && PLX_OUT == (int)EPOLLOUT &&
                   PLX_ERR == (int)EPOLLERR && PLX_HUP == (int)EPOLLHUP,
               "the low five bits are epoll's own");
_Static_assert(sizeof(struct epoll_event) <= sizeof(plx_event), "an event fits where it is spread out");

enum { SAME_BITS = PLX_IN | PLX_PRI | PLX_OUT | PLX_ERR | PLX_HUP };

typedef struct {
    plx_set head;
    int epfd;
    bool lacks_pwait2; /* a wait has found that it is missing: to find out at once would make plx_open slower */
    plx_waker waker;
} epoll_set;

/* An old sandbox answers EPERM where an old kernel answers ENOSYS: either way it is not there. */
static bool is_missing(long code)
{
    return code == -ENOSYS || code == -EPERM;
}

static bool probe_pwait2(void)
{
    struct epoll_event event;
    plx_timespec now = { 0, 0 };
    return !is_missing(plx_syscall(SYS_epoll_pwait2, -1, (long)&event, 1, (long)&now, 0, 0)); /* else -EBADF */
}

static int epoll_open(plx_set **result)
{
    struct epoll_event wake = { .events = EPOLLIN, .data.u64 = PLX_NO_COOKIE };
    int code;
    epoll_set *set = calloc(1, sizeof *set);
    if (set == NULL)
        return -ENOMEM;
    plx_syscall_setup();
    code = set->epfd = (int)plx_syscall(SYS_epoll_create1, EPOLL_CLOEXEC, 0, 0, 0, 0, 0);
    if (code < 0)
        goto free_set;
    code = plx_waker_open(&set->waker);
    if (code < 0)
        goto close_epfd;
    if (!plx_waker_is_pipe(&set->waker))
        wake.events |= (uint32_t)EPOLLET;
    code = (int)plx_syscall(SYS_epoll_ctl, set->epfd, EPOLL_CTL_ADD, set->waker.read_fd, (long)&wake, 0, 0);
    if (code < 0)
        goto close_waker;
    *result = &set->head;
    return 0;

close_waker:
    plx_waker_close(&set->waker);
close_epfd:
    plx_syscall(SYS_close, set->epfd, 0, 0, 0, 0, 0);
free_set:
    free(set);
    return code;
}

static void epoll_close(plx_set *base)
{
    epoll_set *set = (epoll_set *)base;
    plx_waker_close(&set->waker);
    plx_syscall(SYS_close, set->epfd, 0, 0, 0, 0, 0);
    free(set);
}

static const char *epoll_features(const plx_set *base)
{
    const epoll_set *set = (const epoll_set *)base;
    bool has_pwait2 = probe_pwait2();
    if (plx_waker_is_pipe(&set->waker))
        return has_pwait2 ? "pipe, epoll_pwait2" : "pipe, no epoll_pwait2";
    return has_pwait2 ? "eventfd, epoll_pwait2" : "eventfd, no epoll_pwait2";
}

static intptr_t epoll_handle(const plx_set *base)
{
    return ((const epoll_set *)base)->epfd;
}

static bool epoll_owns(const plx_set *base, int fd)
{
    const epoll_set *set = (const epoll_set *)base;
    return fd == set->epfd || plx_waker_owns(&set->waker, fd);
}

static int control(const plx_set *base, int op, int fd, uint32_t want, uint64_t cookie)
{
    struct epoll_event event = {
        .events = (want & (uint32_t)SAME_BITS) | (want & PLX_RDHUP ? (uint32_t)EPOLLRDHUP : 0) |
                  (want & PLX_ONESHOT ? (uint32_t)EPOLLONESHOT : 0) | (want & PLX_EDGE ? (uint32_t)EPOLLET : 0),
        .data.u64 = cookie,
    };
    return (int)plx_syscall(SYS_epoll_ctl, ((const epoll_set *)base)->epfd, op, fd, (long)&event, 0, 0);
}

static int epoll_add(plx_set *set, int fd, uint32_t want, uint64_t cookie)
{
    int code = control(set, EPOLL_CTL_ADD, fd, want, cookie);
    return code == -EEXIST ? control(set, EPOLL_CTL_MOD, fd, want, cookie) : code;
}

static int epoll_modify(plx_set *set, int fd, uint32_t want, uint64_t cookie)
{
    return control(set, EPOLL_CTL_MOD, fd, want, cookie);
}

static int epoll_remove(plx_set *set, int fd)
{
    int code = control(set, EPOLL_CTL_DEL, fd, 0, 0);
    /* EPERM: a regular file has the number now, and no epoll holds it */
    return code == -ENOENT || code == -EBADF || code == -EPERM ? 0 : code;
}

static long wait_millis(const epoll_set *set, struct epoll_event *events, int max_events, int timeout)
{
#ifdef SYS_epoll_wait
    return plx_syscall(SYS_epoll_wait, set->epfd, (long)events, max_events, timeout, 0, 0);
#else /* younger architectures have only this one */
    return plx_syscall(SYS_epoll_pwait, set->epfd, (long)events, max_events, timeout, 0, 0);
#endif
}

/* Whole milliseconds need no epoll_pwait2, which has a timeout to fetch and a signal mask to look at. */
static long wait_nanos(epoll_set *set, struct epoll_event *events, int max_events, int64_t ns)
{
    if (!set->lacks_pwait2 && ns % 1000000 != 0) {
        plx_timespec timeout = plx_timespec_of(ns);
        long n = plx_syscall(SYS_epoll_pwait2, set->epfd, (long)events, max_events, (long)&timeout, 0, 0);
        if (!is_missing(n))
            return n;
        set->lacks_pwait2 = true;
    }
    return wait_millis(set, events, max_events, plx_millis(ns));
}

static plx_event event_of(const epoll_set *set, const struct epoll_event *e)
{
    if (e->data.u64 == PLX_NO_COOKIE) {
        if (plx_waker_is_pipe(&set->waker))
            plx_waker_drain(&set->waker);
        return plx_wakeup_event();
    }
    return (plx_event){ e->data.u64,
                        (e->events & (uint32_t)SAME_BITS) | (e->events & EPOLLRDHUP ? (uint32_t)PLX_RDHUP : 0), 0 };
}

static int epoll_await(plx_set *base, plx_event *events, int max_events, int64_t ns)
{
    epoll_set *set = (epoll_set *)base;
    struct epoll_event *raw = (void *)events;
    long n = ns <= 0 ? wait_millis(set, raw, max_events, ns < 0 ? -1 : 0) : wait_nanos(set, raw, max_events, ns);
    if (n < 0)
        return (int)n;
    long hung_up = -1; /* where the waker is in events, if the other end of its pipe was closed */
    for (long i = n - 1; i >= 0; i--) {
        struct epoll_event e;
        memcpy(&e, (const char *)events + (size_t)i * sizeof e, sizeof e);
        events[i] = event_of(set, &e);
        if (e.data.u64 == PLX_NO_COOKIE && !(e.events & EPOLLIN))
            hung_up = i;
    }
    if (hung_up < 0)
        return (int)n;
    events[hung_up] = events[n - 1]; /* what is reported once is lost by no error */
    return n > 1 ? (int)n - 1 : -EBADF;
}

static int epoll_wakeup(plx_set *base)
{
    return plx_waker_signal(&((epoll_set *)base)->waker);
}

const plx_mechanism plx_epoll = {
    .change_call = "epoll_ctl",
    .await_call = "epoll_wait",
    .caps = PLX_CAP_POLLABLE | PLX_CAP_EDGE | PLX_CAP_ONESHOT | PLX_CAP_LIVE | PLX_CAP_MERGED,
    .open = epoll_open,
    .features = epoll_features,
    .handle = epoll_handle,
    .owns = epoll_owns,
    .add = epoll_add,
    .modify = epoll_modify,
    .remove = epoll_remove,
    .await = epoll_await,
    .wakeup = epoll_wakeup,
    .close = epoll_close,
};
#endif
