/* SPDX-License-Identifier: Apache-2.0
 *
 * pollux.h: one readiness interface over the mechanisms of the operating system: epoll(7), kqueue(2), /dev/poll
 * (poll(7D)), wepoll and poll(2).
 *
 * A set watches descriptors. The caller adds, modifies and removes descriptors, waits for events (plx_await), and may
 * end a wait from any thread (plx_wakeup). Each descriptor has a cookie, 64 bits of the caller's choice, which comes
 * back in each of its events: a pointer to the caller's own object, or a number.
 *
 *     plx_set *set;
 *     plx_event e[64];
 *     if ((code = plx_open(NULL, &set)) < 0)                    plx_strerror(-code, ...)
 *     if ((code = plx_add(set, fd, PLX_IN, (uintptr_t)conn)) < 0)
 *     while ((n = plx_await(set, e, 64, -1)) >= 0 || n == -EINTR)
 *         for (int i = 0; i < n; i++)                           e[i].cookie, e[i].events
 *     plx_close(set);
 *
 * Whole programs: example/echo.c, example/sources.c. To compile one: cc program.c $(pkg-config --cflags --libs pollux)
 *
 * What the mechanisms do differently:
 *
 *                            epoll          kqueue          /dev/poll     wepoll        poll
 *   system                   Linux          macOS, BSDs     illumos       Windows       all but Windows
 *   PLX_IN, PLX_OUT          yes            yes             yes           yes           yes
 *   PLX_PRI                  yes            no (1)          yes           yes (2)       yes
 *   PLX_RDHUP                yes            beside IN       illumos       yes           where poll(2) has it (3)
 *   PLX_ERR                  yes            beside IN, OUT  yes           yes           yes
 *   PLX_HUP                  yes            no              yes           yes           yes
 *   PLX_ONESHOT              yes            refused         refused       refused       refused
 *   PLX_EDGE                 yes            yes             refused       refused       refused
 *   changes during an await  yes            no              no            no            no
 *   closed, not removed      forgotten (4)  forgotten       PLX_NVAL      forgotten     PLX_NVAL
 *   its number used again    no event       no event (7)    events (5)    no event      events (5)
 *   regular file             -EPERM         readable (6)    always ready  -WSAENOTSOCK  always ready
 *   plx_handle               yes            yes             -1            -1            -1
 *
 *   (1) Only old releases of macOS, which report out-of-band data unasked.
 *   (2) Unasked too: nothing else tells of it.
 *   (3) Linux, illumos, FreeBSD.
 *   (4) The open file stays watched, under its cookie, as long as a duplicate of the descriptor is open (epoll(7),
 *       questions and answers, 6).
 *   (5) Those of the new descriptor, under the old cookie.
 *   (6) Up to the end of the file.
 *   (7) Until plx_modify: from then on those of the new descriptor.
 *
 * Units: times are nanoseconds of the monotonic clock, which changes of the system time do not affect.
 *
 * Errors: every int result is >= 0 or -code, where code is an errno value (on Windows a WSA or Win32 code; where this
 * file names two codes the second one is that of Windows). There is no errno to read and there are no globals.
 * plx_strerror has the words.
 *
 * Threads: different sets have nothing to do with each other. Of one set, plx_await, plx_add, plx_modify and plx_remove
 * are for one thread at a time, not always the same one; if the thread changes, a lock or the like must lie between.
 * Where PLX_CAP_LIVE, plx_add, plx_modify and plx_remove may be called by any thread, also while another one is in
 * plx_await, and are in force for that wait. plx_wakeup, and what only describes a set, may overlap anything but
 * plx_close; plx_close may overlap nothing. Calls without a set may overlap anything. plx_wakeup alone may be called in
 * a signal handler. A call is not to be left by pthread_cancel or longjmp. After fork(2) a set belongs to the parent:
 * the child calls nothing on it, and opens its own.
 *
 * Memory: what a thread wrote before plx_wakeup is seen by the thread whose plx_await reports PLX_WAKEUP (release and
 * acquire); this holds for each of several wakeups that are reported as one. What a thread wrote before plx_add or
 * plx_modify is seen by the thread whose plx_await reports the descriptor for the first time after that.
 *
 * Strings: what is returned is constant and outlives its set; plx_strerror returns the caller's own buffer.
 */
#ifndef PLX_POLLUX_H
#define PLX_POLLUX_H

#include <stddef.h>
#include <stdint.h>

/* The version of this header; plx_version tells that of the library which runs. The number is in the project's pom.xml.
 * The build of the library passes it on, and make install writes it here. */
#ifndef PLX_VERSION_MAJOR
#define PLX_VERSION_MAJOR VERSION_OF_POM_MAJOR
#define PLX_VERSION_MINOR VERSION_OF_POM_MINOR
#define PLX_VERSION_PATCH VERSION_OF_POM_PATCH
#endif
#define PLX_VERSION (PLX_VERSION_MAJOR << 16 | PLX_VERSION_MINOR << 8 | PLX_VERSION_PATCH) /* 0x010203 is 1.2.3 */

#if defined(_WIN32) && defined(PLX_BUILDS_DLL)
#define PLX_API __declspec(dllexport)
#elif defined(__GNUC__) && !defined(_WIN32)
#define PLX_API __attribute__((visibility("default")))
#else
#define PLX_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* A set of descriptors and the mechanism that watches them. */
typedef struct plx_set plx_set;

/* Events: IN, PRI, OUT, RDHUP are asked for and reported; ERR, HUP, NVAL are reported unasked, and asking for them has
 * no effect, as with poll(2). The first six have poll(2)'s values on most systems; RDHUP has not (Linux: 0x2000). */
enum {
    PLX_IN = 1,     /* data to read, a connection to accept, or the end of the stream */
    PLX_PRI = 2,    /* out-of-band data, or another exceptional condition */
    PLX_OUT = 4,    /* writing would not block, or a connection was established or refused */
    PLX_ERR = 8,    /* an error; of the writing end of a pipe: it has no reader any more */
    PLX_HUP = 16,   /* the other side hung up; there may be data left to read */
    PLX_NVAL = 32,  /* the descriptor is not open: .error is EBADF */
    PLX_RDHUP = 64, /* the other side of a stream socket will write no more */

    /* How to report, beside the events that are asked for. */
    PLX_ONESHOT = 1 << 8, /* once, then not again until plx_modify; needs PLX_CAP_ONESHOT */
    PLX_EDGE = 1 << 9,    /* when the descriptor becomes ready, not as long as it is; needs PLX_CAP_EDGE */

    /* In plx_event.events only. */
    PLX_WAKEUP = 1 << 14, /* plx_wakeup was called; such an event belongs to no descriptor, and its cookie is 0 */
    PLX_FAILED = 1 << 15  /* an addition or modification was refused after it had returned; .error has the reason. The
                             events beside it are those that the descriptor is not watched for because of that */
};

/* The one value that no cookie may have. */
#define PLX_NO_COOKIE UINT64_MAX

/* What a set can do beyond the minimum: plx_caps. */
enum {
    PLX_CAP_POLLABLE = 1, /* plx_handle is a descriptor that can be waited for */
    PLX_CAP_EDGE = 2,     /* PLX_EDGE */
    PLX_CAP_ONESHOT = 4,  /* PLX_ONESHOT */
    PLX_CAP_LIVE = 8,     /* plx_add, plx_modify and plx_remove from any thread, in force for an await in progress */
    PLX_CAP_MERGED = 16   /* one await reports a descriptor in one event at most */
};

/* One report: 16 bytes, in native byte order, the same on every target. */
typedef struct {
    uint64_t cookie; /* what plx_add or plx_modify was given last */
    uint32_t events;
    int32_t error; /* a (positive) code where events has PLX_FAILED or PLX_NVAL, else 0 */
} plx_event;

/* The version of the library: PLX_VERSION of the header that it was compiled with. */
PLX_API int plx_version(void);

/* The mechanisms in this build, best first, separated by commas: "epoll,poll", "kqueue,poll", "/dev/poll,poll",
 * "wepoll". */
PLX_API const char *plx_mechanisms(void);

/* Opens a set; mechanism NULL is the best one. Every descriptor is close-on-exec from its creation. 0, or -code and
 * *set is NULL:
 *   ENODEV, ERROR_NOT_SUPPORTED              this build has no such mechanism; plx_strerror names those it has
 *   EMFILE, ENFILE, WSAEMFILE                too many open descriptors: of the process, of the system
 *   ENOMEM, ERROR_NOT_ENOUGH_MEMORY          no memory
 *   ENOSPC                                   the limit of watched descriptors is reached (epoll)
 *   ENOSYS, EPERM                            a sandbox is in the way */
PLX_API int plx_open(const char *mechanism, plx_set **set);

/* The mechanism that really runs: "poll" where "/dev/poll" was asked for and the system has no such device. */
PLX_API const char *plx_name(const plx_set *set);

/* What the mechanism runs on here, for a diagnosis: "eventfd, epoll_pwait2". */
PLX_API const char *plx_features(const plx_set *set);

/* The system call behind plx_add, plx_modify and plx_remove, and the one behind plx_await, for messages: "epoll_ctl",
 * "epoll_wait" (for its variants too). */
PLX_API const char *plx_change_call(const plx_set *set);
PLX_API const char *plx_await_call(const plx_set *set);

/* The PLX_CAP_ bits. */
PLX_API unsigned plx_caps(const plx_set *set);

/* A descriptor, -1 unless PLX_CAP_POLLABLE. After a plx_await that returned 0 it polls readable when another one would
 * return, as long as nothing was added or modified since. On a kqueue it may stay readable until a plx_await returns 0:
 * poll(2) may report it readable though there is no event, and who waits on it without that plx_await may return at
 * once, again and again. */
PLX_API intptr_t plx_handle(const plx_set *set);

/* Watches a descriptor (on Windows a SOCKET) for the wanted events. To want 0 is to want ERR, HUP and NVAL only;
 * a kqueue then reports nothing. If the set watches the number already, these events and this cookie replace the old
 * ones: so a descriptor may be added whose number belonged to one that was closed without being removed. 0, or -code
 * and nothing was added:
 *   EBADF, WSAENOTSOCK                       not an open descriptor (who finds that out later reports PLX_NVAL)
 *   EPERM, WSAENOTSOCK                       epoll, wepoll: a file of that kind cannot be watched
 *   EINVAL, WSAEINVAL                        unknown bits in want, the cookie PLX_NO_COOKIE, a set would watch itself,
 *                                            or another descriptor of its own
 *   EOPNOTSUPP, WSAEOPNOTSUPP                PLX_ONESHOT or PLX_EDGE, and the mechanism lacks it
 *   ENOSPC                                   the limit of watched descriptors is reached (epoll)
 *   ENOMEM, ERROR_NOT_ENOUGH_MEMORY          no memory
 *   ELOOP                                    epoll: sets would watch each other, or nest too deep
 *   EACCES                                   /dev/poll in a child process
 * A kqueue finds out at the next plx_await: the refusal is an event with PLX_FAILED, and that await does not block.
 * Until then nothing is watched, and a descriptor that was closed meanwhile is another one if its number is used again.
 * The next change of that descriptor is then made at once, and refused by its own result. */
PLX_API int plx_add(plx_set *set, intptr_t fd, uint32_t want, uint64_t cookie);

/* Watches a descriptor that was added for other events, or with another cookie. What is ready now is reported, also
 * with PLX_EDGE and PLX_ONESHOT. 0, or a code of plx_add, and what was there stays, or:
 *   ENOENT, ERROR_NOT_FOUND                  the set does not watch that descriptor: it was never added, or the kernel
 *                                            knows that the one which was added has been closed (epoll, wepoll) */
PLX_API int plx_modify(plx_set *set, intptr_t fd, uint32_t want, uint64_t cookie);

/* Watches a descriptor no longer; it may be closed, and its number used again, when this has returned. Closing it first
 * is an error of the caller's that is forgiven: what is gone already is removed with success, and so is what was never
 * there. 0, or -code:
 *   ENOMEM, ERROR_NOT_ENOUGH_MEMORY          no memory
 *   EACCES                                   /dev/poll in a child process
 *   EBADF, EINVAL                            the set's own descriptor was closed (EINVAL: its number is used again) */
PLX_API int plx_remove(plx_set *set, intptr_t fd);

/* Waits for events; one thread at a time. ns < 0: for ever; 0: polls; else a lower bound, rounded up to the clock
 * (/dev/poll, wepoll, poll, and epoll before Linux 5.11 count milliseconds: a wait ends after 24 days at the latest).
 * Returns the events written to events[0..max_events), 0 on timeout, or -code; no code loses an event:
 *   EINTR                                    a signal came (never retried here: the deadline is the caller's)
 *   EINVAL, WSAEINVAL                        max_events < 1; or poll, and more descriptors are watched than may be open
 *                                            (raise RLIMIT_NOFILE)
 *   ENOMEM, ERROR_NOT_ENOUGH_MEMORY          no memory
 *   EBADF, ERROR_INVALID_HANDLE              the set's own descriptor was closed (EINVAL: its number is used again)
 * Where not PLX_CAP_MERGED one descriptor may fill several events, not adjacent. Result == max_events: there may be
 * more, ask again. No more than 1048576 come at once, whatever the room. Give it room for two: a single event may be
 * taken by a wakeup, on poll each time that there is one, and on epoll a wakeup may have to wait until there is room
 * beside what is ready. A call made while another thread is inside is the caller's error. */
PLX_API int plx_await(plx_set *set, plx_event *events, int max_events, int64_t ns);

/* Ends the await in progress, or else the next one, which reports one PLX_WAKEUP event; several are reported as one.
 * In a signal handler: the await that the signal interrupts returns -EINTR, and the next one reports PLX_WAKEUP. Any
 * thread, lock-free, async-signal-safe, leaves errno alone. 0, or -code: EBADF, ERROR_INVALID_HANDLE: the program
 * has closed the descriptor of the set that wakeups use, which is not always plx_handle. Must not overlap plx_close. */
PLX_API int plx_wakeup(plx_set *set);

/* Frees the set; no thread may be inside another call on it. NULL is fine. Closes no descriptor of the caller. */
PLX_API void plx_close(plx_set *set);

/* 1 if a number is an open descriptor of this process (on Windows: a socket), else 0. */
PLX_API int plx_is_open(intptr_t fd);

/* Reads and drops pending out-of-band data of a stream socket: the number of bytes dropped, 0 if there are none or the
 * descriptor is not a stream socket. Never blocks. Source: recv(2), MSG_OOB. */
PLX_API int plx_discard_out_of_band(intptr_t socket);

/* "Too many open files (EMFILE): ...", for a positive code, in English, cut to size (256 is enough); returns buf. */
PLX_API const char *plx_strerror(int code, char *buf, size_t size);

#ifdef __cplusplus
}
#endif
#endif
