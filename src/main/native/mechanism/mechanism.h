/* SPDX-License-Identifier: Apache-2.0
 *
 * mechanism.h: what a mechanism supplies. One mechanism, one plx_mechanism, one file (a kqueue has three), one
 * row in PLX_MECHANISMS.
 */
#ifndef PLX_MECHANISM_H
#define PLX_MECHANISM_H

#include "pollux.h"

#include <limits.h>
#include <stdbool.h>
#ifdef _WIN32
#include <winsock2.h>
#else
#include <errno.h>
#endif

/* A row of the table below, where this build is for its system. A build for tests has the emulated ones too. */
#ifdef __linux__
#define PLX_ON_LINUX(row) row
#else
#define PLX_ON_LINUX(row)
#endif
#if defined(__APPLE__) || defined(__FreeBSD__) || defined(__NetBSD__) || defined(__OpenBSD__) || defined(PLX_BSD)
#define PLX_BSD 1
#define PLX_ON_BSD(row) row
#else
#define PLX_ON_BSD(row)
#endif
#if defined(__sun) || defined(PLX_SUN)
#define PLX_SUN 1
#define PLX_ON_SUN(row) row
#else
#define PLX_ON_SUN(row)
#endif
#ifdef _WIN32
#define PLX_ON_WINDOWS(row) row
#define PLX_ON_UNIX(row)
#else
#define PLX_ON_WINDOWS(row)
#define PLX_ON_UNIX(row) row
#endif

/* All mechanisms, best first: where there is one, its plx_mechanism, its name. */
#define PLX_MECHANISMS(EACH)                                                                                           \
    PLX_ON_LINUX(EACH(plx_epoll, "epoll"))                                                                             \
    PLX_ON_BSD(EACH(plx_kqueue, "kqueue"))                                                                             \
    PLX_ON_SUN(EACH(plx_devpoll, "/dev/poll"))                                                                         \
    PLX_ON_WINDOWS(EACH(plx_wepoll, "wepoll"))                                                                         \
    PLX_ON_UNIX(EACH(plx_poll, "poll"))

/* A descriptor as the system calls take it, and the codes of errors that are found before one is made. */
#ifdef _WIN32
typedef uintptr_t plx_descriptor; /* a SOCKET */
static const uintptr_t plx_last_descriptor = INTPTR_MAX;
enum {
    PLX_NO_SUCH_MECHANISM = ERROR_NOT_SUPPORTED,
    PLX_NO_MEMORY = ERROR_NOT_ENOUGH_MEMORY,
    PLX_NOT_OPEN = WSAENOTSOCK,
    PLX_BAD_ARGUMENT = WSAEINVAL,
    PLX_UNSUPPORTED = WSAEOPNOTSUPP,
    PLX_NO_ROOM = WSAENOBUFS,
    PLX_TOO_LONG = WSAEMSGSIZE
};
#else
typedef int plx_descriptor;
static const uintptr_t plx_last_descriptor = INT_MAX;
enum { PLX_NO_SUCH_MECHANISM = ENODEV, PLX_NO_MEMORY = ENOMEM, PLX_NOT_OPEN = EBADF, PLX_BAD_ARGUMENT = EINVAL };
enum { PLX_UNSUPPORTED = EOPNOTSUPP, PLX_NO_ROOM = ENOBUFS, PLX_TOO_LONG = EMSGSIZE };
#endif

static inline bool plx_is_descriptor(intptr_t fd)
{
    return (uintptr_t)fd <= plx_last_descriptor;
}

/* The operations of one mechanism. pollux.c is their only caller, and has checked every argument: descriptors are
 * plx_is_descriptor and none of the set's own, want has only bits of IN, PRI, OUT and RDHUP, and ONESHOT and EDGE where
 * caps says so, no cookie is PLX_NO_COOKIE, max_events is at least 1.
 *
 * A result is >= 0 or -code. No operation writes to a global, errno apart, or waits for a thread that is in await.
 * Threads are as pollux.h says: await, add, modify and remove have one caller at a time, but where PLX_CAP_LIVE, add,
 * modify and remove may overlap each other and await. features, handle and wakeup may overlap all but close. */
typedef struct plx_mechanism {
    const char *change_call, *await_call; /* the system calls, for messages */
    unsigned caps;

    /* Opens a set that watches nothing. Every descriptor of it is close-on-exec from its creation. Leaves its mechanism
     * NULL, or names another one if that is what runs instead. After an error nothing is left open or allocated. */
    int (*open)(plx_set **set);

    /* plx_features: a string that outlives the set. Cannot fail. */
    const char *(*features)(const plx_set *set);

    /* plx_handle: a descriptor that stays the same until close; NULL unless PLX_CAP_POLLABLE. Cannot fail. */
    intptr_t (*handle)(const plx_set *set);

    /* Whether the set itself has opened that descriptor: then it is neither watched nor removed. Cannot fail. */
    bool (*owns)(const plx_set *set, plx_descriptor fd);

    /* Watches a descriptor, in the place of what was watched under that number, if anything; reports what is ready
     * already. An error adds nothing. Where not PLX_CAP_LIVE an addition may be kept for the next await, which then
     * reports a refusal with PLX_FAILED. */
    int (*add)(plx_set *set, plx_descriptor fd, uint32_t want, uint64_t cookie);

    /* Watches a descriptor for other events or with another cookie, and reports again what is ready now, with EDGE too.
     * What the set does not hold is refused as not found. After an error all is as before. May be kept as an addition
     * may. No event that await returns from now on has the old cookie. */
    int (*modify)(plx_set *set, plx_descriptor fd, uint32_t want, uint64_t cookie);

    /* Removes a descriptor, which has happened when this returns: fd may be closed, and its number used again. What the
     * set does not hold, or what was closed, is removed with success. */
    int (*remove)(plx_set *set, plx_descriptor fd);

    /* Makes the changes that were kept, then waits until there is an event, a wakeup, a signal (-EINTR), or ns are over
     * (0 events): negative for ever, 0 not at all, else no less than that. Writes at most max_events events, and keeps
     * those that have no room for the next await; an error loses none either. With PLX_CAP_MERGED one event at most for
     * each descriptor. */
    int (*await)(plx_set *set, plx_event *events, int max_events, int64_t ns);

    /* Has the await in progress, or else the next one, report PLX_WAKEUP once, however often it was called. Any thread,
     * async-signal-safe, leaves errno alone, never blocks. */
    int (*wakeup)(plx_set *set);

    /* Frees the set and closes what it has opened, and nothing else. No other operation is in progress, or comes
     * later. Cannot fail. */
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

/* poll.c, for each mechanism with a struct pollfd: what to ask for, and the event of what was returned. */
short plx_poll_events(uint32_t want);
plx_event plx_poll_event(uint64_t cookie, short revents);

/* pollux.c: the descriptor that plx_wakeup writes to, -1 if there is none: for people who look for a lost wakeup. */
int plx_find_waker(const plx_set *set);

static inline plx_event plx_wakeup_event(void)
{
    return (plx_event){ .cookie = 0, .events = PLX_WAKEUP, .error = 0 };
}

#endif
