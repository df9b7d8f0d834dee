/* SPDX-License-Identifier: Apache-2.0
 *
 * mechanism.h: what a mechanism supplies. One mechanism, one file, one plx_mechanism; pollux.c lists them.
 */
#ifndef PLX_MECHANISM_H
#define PLX_MECHANISM_H

#include "pollux.h"

typedef struct plx_mechanism {
    const char *name;
    const char *update_call, *await_call;
    unsigned caps;
    int (*open)(plx_set **set);
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
extern const plx_mechanism plx_poll;

#endif
