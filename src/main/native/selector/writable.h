/* SPDX-License-Identifier: Apache-2.0
 *
 * writable.h: whether sockets are writable, for a selector that wants to know it once: to have a mechanism watch for it
 * and forget it again would be two system calls for each. Not part of pollux.h.
 */
#ifndef PLX_WRITABLE_H
#define PLX_WRITABLE_H

#include "pollux.h"

#include <stdbool.h>

/* Sets the events of each of these n to PLX_OUT, PLX_ERR and PLX_HUP as they are for the descriptor that its cookie
 * begins with, 0 if it can't be told. By one poll(2) for all, or by none. Returns how many have any. */
int plx_ask_writable(plx_event *events, int n);

/* Whether there is something to read from a descriptor now: of a mechanism's own, whether an await would find events.
 * Takes no descriptor, so that it can be asked when none is left. Any thread. */
int plx_is_readable(int fd);

/* A write of the application was complete: the next question needs no system call. Or it was not. Only one question,
 * since not all writes are seen: sendfile(2), another process. Any thread. */
void plx_note_write(int fd, bool complete);

#endif
