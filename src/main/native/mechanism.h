/* SPDX-License-Identifier: Apache-2.0
 *
 * mechanism.h: what a mechanism supplies. One mechanism, one file, one plx_mechanism; pollux.c lists them.
 */
#ifndef PLX_MECHANISM_H
#define PLX_MECHANISM_H

#include "pollux.h"

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

typedef struct plx_mechanism {
    const char *name;
    const char *update_call, *await_call;
    unsigned caps;
    int (*open)(plx_set **set); /* names another mechanism in the set if that is what runs instead */
    const char *(*features)(const plx_set *set);
    intptr_t (*handle)(const plx_set *set);
    int (*change)(plx_set *set, const plx_change *change); /* 0 or -code */
    int (*await)(plx_set *set, plx_event *events, int cap, int64_t ns);
    int (*wakeup)(plx_set *set);
    void (*close)(plx_set *set);
} plx_mechanism;

/* The head of every mechanism's own set. */
struct plx_set {
    const plx_mechanism *mechanism;
};

extern const plx_mechanism plx_epoll;
extern const plx_mechanism plx_kqueue;
extern const plx_mechanism plx_devpoll;
extern const plx_mechanism plx_wepoll;
extern const plx_mechanism plx_poll;

#endif
