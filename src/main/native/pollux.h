/* SPDX-License-Identifier: Apache-2.0
 *
 * pollux.h: one readiness interface over the mechanisms of the operating system: epoll(7), kqueue(2), /dev/poll
 * (poll(7D)), wepoll, poll(2).
 *
 * A set watches descriptors. The caller says what changes (plx_update), waits (plx_await), and may end a
 * wait from any thread (plx_wakeup). The caller remembers what it asked for; the library keeps no second copy
 * unless the mechanism needs one.
 *
 *     plx_set *set;
 *     plx_event e[64], refused;
 *     plx_change add = { .fd = fd, .want = PLX_IN };            had is 0: fd is new to the set
 *     if ((code = plx_open(NULL, &set)) < 0)                    plx_strerror(-code, ...)
 *     if (plx_update(set, &add, 1, &refused) > 0)               plx_strerror(refused.error, ...)
 *     while ((n = plx_await(set, e, 64, -1)) >= 0 || n == -EINTR)
 *         for (int i = 0; i < n; i++)                           e[i].fd, e[i].events
 *     plx_close(set);
 *
 * A whole program: example/echo.c. To compile one: cc program.c $(pkg-config --cflags --libs pollux)
 *
 * Units: times are nanoseconds of the monotonic clock, which nobody sets.
 *
 * Errors: every int result is >= 0 or -code, where code is an errno value (on Windows a WSA or Win32 code).
 * There is no errno to read and there are no globals. Names for people: plx_strerror.
 *
 * Threads: different sets have nothing to do with each other. Of one set, plx_await and, unless PLX_CAP_LIVE, plx_update are
 * for one thread at a time, not always the same one; if it changes, a lock or the like must lie between. plx_wakeup, and
 * what only tells something of a set, may overlap anything but plx_close; plx_close may overlap nothing. Calls without a set may
 * overlap anything. plx_wakeup alone may be called in a signal handler. A call is not to be left by pthread_cancel or longjmp.
 * After fork(2) a set belongs to the parent: the child calls nothing on it, and opens its own.
 *
 * Strings: what is returned is constant and outlives its set; plx_strerror returns the caller's own buffer.
 */
#ifndef PLX_POLLUX_H
#define PLX_POLLUX_H

#include <stddef.h>
#include <stdint.h>

#if defined(__GNUC__) && !defined(_WIN32)
#define PLX_API __attribute__((visibility("default")))
#else
#define PLX_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* A set of descriptors and the mechanism that watches them. */
typedef struct plx_set plx_set;

/* Events. IN, PRI, OUT, RDHUP are asked for and reported; ERR, HUP, NVAL are reported unasked, as by poll(2). A kqueue
 * watches for IN and OUT only: PRI and RDHUP come beside IN, ERR beside either, HUP and NVAL not at all. */
enum {
    PLX_IN = 1,
    PLX_PRI = 2,
    PLX_OUT = 4,
    PLX_ERR = 8,
    PLX_HUP = 16,
    PLX_NVAL = 32,
    PLX_RDHUP = 64,
    PLX_ONESHOT = 1 << 8, /* plx_change.want only, where PLX_CAP_ONESHOT: disarmed when reported, until modified */
    PLX_EDGE = 1 << 9,    /* plx_change.want only, where PLX_CAP_EDGE: reported on changes of readiness */
    PLX_CERTAIN = 1 << 10, /* plx_change.want only, with had != 0: where the kernel says that it holds nothing for fd,
                             because that was closed, the change is refused with its code (ENOENT), and fd not added */
    PLX_FAILED = 1 << 15  /* plx_event only: a change of fd was refused, the reason is in .error. In an entry of
                             plx_await, the events beside it are those that fd is not watched for because of that */
};

/* plx_event.fd of a consumed wakeup. */
enum { PLX_WAKE = -1 };

/* What a set can do beyond the minimum: plx_caps. */
enum {
    PLX_CAP_POLLABLE = 1, /* plx_handle is a descriptor that can be waited on */
    PLX_CAP_GEN = 2,      /* plx_change.gen comes back in plx_event.gen */
    PLX_CAP_EDGE = 4,
    PLX_CAP_ONESHOT = 8,
    PLX_CAP_LIVE = 16,  /* plx_update from any thread, in force for an await in progress */
    PLX_CAP_MERGED = 32 /* one await reports a registration in one entry at most */
};

/* One change. had: what the mechanism holds now (0: not registered); want: what it shall hold (0: remove; PLX_ERR alone:
 * stay, but ask for nothing). gen is the caller's, to tell the descriptor's number from its next life, or anything else. */
typedef struct {
    int32_t fd;
    uint32_t gen, had, want;
} plx_change;

/* One report: 16 bytes, native byte order, the same on every target. On Windows fd is the SOCKET.
 * error is 0, or a (positive) code where events has PLX_FAILED or PLX_NVAL. */
typedef struct {
    int32_t fd;
    uint32_t gen, events;
    int32_t error;
} plx_event;

/* The mechanisms in this build, best first, separated by commas: "epoll,poll", "kqueue,poll", "/dev/poll,poll", "wepoll". */
PLX_API const char *plx_mechanisms(void);

/* Opens a set; mechanism NULL is the best one. Every descriptor is close-on-exec from its creation. 0, or -code and *set is NULL:
 * -ENOENT (Windows: -ERROR_NOT_SUPPORTED): this build has no such mechanism; -EMFILE, -ENFILE, -ENOMEM: what they always mean;
 * -ENOSPC: the limit of watched descriptors (epoll); -ENOSYS, -EPERM: a sandbox is in the way. */
PLX_API int plx_open(const char *mechanism, plx_set **set);

/* The mechanism that really runs: "poll" where "/dev/poll" was asked for and the system has no such device. */
PLX_API const char *plx_name(const plx_set *set);

/* What the mechanism runs on here, for a diagnosis: "eventfd, epoll_pwait2". */
PLX_API const char *plx_features(const plx_set *set);

/* The system call behind plx_update and behind plx_await, for messages: "epoll_ctl", "epoll_wait". */
PLX_API const char *plx_update_call(const plx_set *set);
PLX_API const char *plx_await_call(const plx_set *set);

/* The PLX_CAP_ bits. */
PLX_API unsigned plx_caps(const plx_set *set);

/* A descriptor, -1 unless PLX_CAP_POLLABLE. After a plx_await that returned 0 it polls readable when another one would
 * return, as long as no change is kept (plx_update). On a kqueue it may stay readable until a plx_await returns 0: a
 * poll of it may be in vain, and who waits on it without that plx_await may return at once, again and again. */
PLX_API intptr_t plx_handle(const plx_set *set);

/* Applies n changes, in order; awaiting thread only (any thread where PLX_CAP_LIVE). Each is tried; those refused
 * go to failed[0..) with PLX_FAILED, and their count is returned. failed has room for n.
 * Removing what is gone already (ENOENT, EBADF) succeeds; an add that meets EEXIST becomes a modify, a modify that
 * meets ENOENT an add (unless PLX_CERTAIN). A mechanism may keep a change other than a removal for the next
 * plx_await: a refusal is then a PLX_FAILED entry of that await, which does not block; the next change of that
 * descriptor is not kept. A removal has happened when this returns: fd may be closed and reused. Who closes fd without it
 * may find it reported PLX_NVAL (poll, /dev/poll), or under its gen as long as a duplicate is open (epoll).
 * Refusals: EBADF: fd is not open; who finds that out later reports PLX_NVAL. EPERM: epoll cannot watch a file of that
 * kind; to poll and /dev/poll it is always ready, to a kqueue it is readable up to its end. ENOENT: PLX_CERTAIN.
 * ENOSPC: the limit of watched descriptors (epoll). ENOMEM: no memory; what was there stays. EINVAL, ELOOP: a set would
 * watch itself (NetBSD takes it). EACCES: /dev/poll in a child process. */
PLX_API int plx_update(plx_set *set, const plx_change *changes, int n, plx_event *failed);

/* Waits for events; one thread at a time. ns < 0: for ever; 0: polls; else a lower bound, rounded up to the clock (where
 * that counts milliseconds a wait ends after 24 days at the latest).
 * Returns the entries written to events[0..cap), 0 on timeout, -EINTR on a signal (never retried here: the deadline is
 * the caller's). Where not PLX_CAP_MERGED one fd may fill several entries, not adjacent. Result == cap: there may be
 * more, ask again. cap >= 1, >= 2 if there are wakeups: theirs may come first. A call made while another thread is inside is
 * the caller's error. -EINVAL: cap < 1, or more descriptors are watched than may be open (poll; raise RLIMIT_NOFILE);
 * -ENOMEM; -EBADF: somebody has closed the set's own descriptor. No code consumes an event. */
PLX_API int plx_await(plx_set *set, plx_event *events, int cap, int64_t ns);

/* Ends the await in progress, or else the next one, which reports one PLX_WAKE entry; coalesced. Any thread,
 * lock-free, async-signal-safe, leaves errno alone. 0; -EBADF: somebody has closed the set's own descriptor. Must not overlap
 * plx_close. */
PLX_API int plx_wakeup(plx_set *set);

/* Frees the set; nobody may be inside another call on it. NULL is fine. Closes no descriptor of the caller. */
PLX_API void plx_close(plx_set *set);

/* Reads and drops pending urgent data of a socket: the number of bytes dropped, 0 if there are none or
 * the descriptor is not a socket. Never blocks. Source: recv(2), MSG_OOB. */
PLX_API int plx_discard_oob(intptr_t socket);

/* "Too many open files (EMFILE): ...", for a positive code, in English, cut to size (256 is enough); returns buf. */
PLX_API const char *plx_strerror(int code, char *buf, size_t size);

#ifdef __cplusplus
}
#endif
#endif
