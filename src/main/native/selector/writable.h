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

/* A write of the application was complete: the next question needs no system call. Or it was not. Only one question,
 * since not all writes are seen: sendfile(2), another process. Any thread. */
void plx_note_write(int fd, bool complete);

#endif
