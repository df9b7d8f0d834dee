/* SPDX-License-Identifier: Apache-2.0
 *
 * devpoll_emulation.h: what tests may set of the emulated /dev/poll, and ask it.
 */
#ifndef DEVPOLL_EMULATION_H
#define DEVPOLL_EMULATION_H

#include <stdatomic.h>
#include <stdbool.h>

typedef struct {
    /* Old Solaris, as at first: a write waits while a thread is inside DP_POLL, and room for as many entries as files
     * may be open is refused. illumos: the write is applied to a DP_POLL in progress, and the room is cut down. */
    atomic_bool illumos;
    atomic_int open_error;  /* what open(2) says, 0: nothing */
    atomic_int interrupted; /* so many writes end with EINTR */
    atomic_int shortened;   /* so many writes take their first entry only */
    atomic_int room;        /* what the last DP_POLL came with as dp_nfds */
    atomic_int written;     /* entries that were written */
} devpoll_emulation;

extern devpoll_emulation devpoll_emulated;

bool devpoll_is_open(int fd); /* whether it is an emulated device */

#endif
