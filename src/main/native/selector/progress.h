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

/* What else has a queue of arrivals that can be watched. */
enum { PLX_QUEUE_UNKNOWN, PLX_QUEUE_BYTES, PLX_QUEUE_CONNECTIONS };

/* Begins to watch the queue of a descriptor: which of these it is. Bytes: a datagram or Unix-domain socket. Until
 * plx_unwatch_queue its SO_PEEK_OFF is set, which nothing but a read with MSG_PEEK can see. */
int plx_watch_queue(intptr_t fd);

/* Bytes: a number that is another one if the application has read since the last look. Connections: how many wait to be
 * accepted. Negative if that can't be told now: the queue is empty, or full, and then the kernel refills it; or it is
 * another descriptor than it was. */
int64_t plx_look_at_queue(intptr_t fd, int queue);

void plx_unwatch_queue(intptr_t fd, int queue);

/* Whether the process and the system have a descriptor left, or that can't be told. Takes one for a moment. */
int plx_has_descriptor_left(intptr_t any_open);

#endif
