/* SPDX-License-Identifier: Apache-2.0
 *
 * bytes.h: the bytes that a connection waits with: received and not consumed, ordered and not sent. Most connections
 * have none, and then no memory for them.
 */
#ifndef PLX_BYTES_H
#define PLX_BYTES_H

#include "arena/transport.h"

/* Puts bytes behind what is unread, or before it: 0 or -code. */
int plx_unread_append(plx_connection *c, const void *bytes, uint32_t length);
int plx_unread_prepend(plx_connection *c, const void *bytes, uint32_t length);
/* Takes the first bytes away. */
void plx_unread_drop(plx_connection *c, uint32_t length);
static inline uint32_t plx_unread_length(const plx_connection *c)
{
    return c->unread != NULL ? c->unread->length : 0;
}
/* Where they are; there must be some. */
static inline const char *plx_unread_bytes(const plx_connection *c)
{
    return c->unread->bytes + c->unread->start;
}

/* Puts what is left of an order, from skip on, behind what is unsent: 0 or -code. */
int plx_unsent_append(plx_connection *c, const plx_order *order, uint32_t skip);
/* Drops the first sent bytes of the first piece. The number of orders that ended with that. */
uint32_t plx_unsent_drop(plx_connection *c, size_t sent);
/* Drops everything, or everything but the first piece. */
void plx_unsent_clear(plx_connection *c, bool but_first);

#endif
