/* SPDX-License-Identifier: Apache-2.0
 *
 * mechanism.h: what a mechanism supplies. One mechanism, one plx_mechanism, one file (a kqueue has three), one
 * name in PLX_MECHANISMS.
 */
#ifndef PLX_MECHANISM_H
#define PLX_MECHANISM_H

#include "pollux.h"

#include <limits.h>
#include <stdbool.h>

/* The mechanisms of the system that this is compiled for. A build for tests may define more: emulated ones. */
#ifdef __linux__
#define PLX_HAVE_EPOLL
#endif
#if defined(__APPLE__) || defined(__FreeBSD__) || defined(__NetBSD__) || defined(__OpenBSD__)
#define PLX_HAVE_KQUEUE
#endif
#ifdef __sun
#define PLX_HAVE_DEVPOLL
#endif
#ifdef _WIN32
#define PLX_HAVE_WEPOLL
#else
#define PLX_HAVE_POLL
#endif

/* Each is EACH(variable, name) where this build has it, else nothing. */
#ifdef PLX_HAVE_EPOLL
#define PLX_EPOLL(EACH) EACH(plx_epoll, "epoll")
#else
#define PLX_EPOLL(EACH)
#endif
#ifdef PLX_HAVE_KQUEUE
#define PLX_KQUEUE(EACH) EACH(plx_kqueue, "kqueue")
#else
#define PLX_KQUEUE(EACH)
#endif
#ifdef PLX_HAVE_DEVPOLL
#define PLX_DEVPOLL(EACH) EACH(plx_devpoll, "/dev/poll")
#else
#define PLX_DEVPOLL(EACH)
#endif
#ifdef PLX_HAVE_WEPOLL
#define PLX_WEPOLL(EACH) EACH(plx_wepoll, "wepoll")
#else
#define PLX_WEPOLL(EACH)
#endif
#ifdef PLX_HAVE_POLL
#define PLX_POLL(EACH) EACH(plx_poll, "poll")
#else
#define PLX_POLL(EACH)
#endif

/* All of this build, best first. */
#define PLX_MECHANISMS(EACH) PLX_EPOLL(EACH) PLX_KQUEUE(EACH) PLX_DEVPOLL(EACH) PLX_WEPOLL(EACH) PLX_POLL(EACH)

#define PLX_NAME(variable, name) name

/* A descriptor as the system calls take it. */
#ifdef _WIN32
typedef uintptr_t plx_descriptor; /* a SOCKET */
static const uintptr_t plx_last_descriptor = INTPTR_MAX;
#else
typedef int plx_descriptor;
static const uintptr_t plx_last_descriptor = INT_MAX;
#endif

static inline bool plx_is_descriptor(intptr_t fd)
{
    return (uintptr_t)fd <= plx_last_descriptor;
}

/* pollux.c has checked every argument: descriptors are plx_is_descriptor, want has only bits of IN, PRI, OUT and RDHUP,
 * and ONESHOT and EDGE where caps says so, no cookie is PLX_NO_COOKIE, max_events >= 1. A result is >= 0 or -code. */
typedef struct plx_mechanism {
    const char *name;                     /* PLX_NAME */
    const char *change_call, *await_call; /* the system calls, for messages */
    unsigned caps;

    /* Opens a set. Leaves its mechanism NULL, or names another one if that is what runs instead. */
    int (*open)(plx_set **set);

    /* plx_features: a constant. */
    const char *(*features)(const plx_set *set);

    /* plx_handle: -1 unless PLX_CAP_POLLABLE. */
    intptr_t (*handle)(const plx_set *set);

    /* Watches a descriptor, in the place of what was watched under that number, if anything. A refusal adds nothing.
     * Where not PLX_CAP_LIVE this may be kept for the next await, which then reports a refusal with PLX_FAILED. */
    int (*add)(plx_set *set, plx_descriptor fd, uint32_t want, uint64_t cookie);

    /* Watches a descriptor for other events or with another cookie, and reports anew what is ready now. What the set
     * does not hold is refused as not found. After a refusal all is as before. May be kept as an addition may. */
    int (*modify)(plx_set *set, plx_descriptor fd, uint32_t want, uint64_t cookie);

    /* Removes a descriptor, which has happened when this returns: fd may be closed and reused. What the set does not
     * hold, or was closed, is removed with success. */
    int (*remove)(plx_set *set, plx_descriptor fd);

    /* Waits: plx_await. */
    int (*await)(plx_set *set, plx_event *events, int max_events, int64_t ns);

    /* Has the await in progress, or else the next one, report PLX_WAKEUP once. Any thread, async-signal-safe, leaves
     * errno alone. */
    int (*wakeup)(plx_set *set);

    /* Frees the set and what it has opened. */
    void (*close)(plx_set *set);
} plx_mechanism;

/* The head of every mechanism's own set. */
struct plx_set {
    const plx_mechanism *mechanism;
};

#define PLX_DECLARE(variable, name) extern const plx_mechanism variable;
PLX_MECHANISMS(PLX_DECLARE)

/* A timeout in the milliseconds of poll(2): rounded up, and no more than they can count; -1 is for ever. */
static inline int plx_millis(int64_t ns)
{
    const int64_t a_milli = 1000000, millis = ns / a_milli + (ns % a_milli != 0);
    if (ns < 0)
        return -1;
    return millis < INT_MAX ? (int)millis : INT_MAX;
}

/* The event of a wakeup. */
static inline plx_event plx_wakeup_event(void)
{
    return (plx_event){ .cookie = 0, .events = PLX_WAKEUP, .error = 0 };
}

#endif
