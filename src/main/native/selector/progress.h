/* SPDX-License-Identifier: Apache-2.0
 *
 * progress.h: how much of a socket or pipe an application has read and written. Not part of pollux.h: a selector asks
 * it to tell a key that the application works on from one that it ignores.
 */
#ifndef PLX_PROGRESS_H
#define PLX_PROGRESS_H

#include <stdint.h>

typedef struct {
    int64_t unread;  /* bytes that can be read at once */
    int64_t read;    /* bytes the application has read. The end of the stream counts as one, when it arrives */
    int64_t written; /* bytes the application has written, and one when it has ended the stream */
} plx_progress;

/* Reads off what this system can tell of a descriptor: 3 if all is told, 1 for `unread` alone, 0 for nothing. What is
 * not told is 0. Only the application changes `read` and `written`, the end of the stream apart: what the peer or the
 * network does leaves them alone. Never blocks. */
int plx_tell_progress(intptr_t fd, plx_progress *progress);

#endif
