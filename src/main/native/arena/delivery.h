/* SPDX-License-Identifier: Apache-2.0
 *
 * delivery.h: received bytes on their way to the caller. plx_received is in transport.h.
 */
#ifndef PLX_DELIVERY_H
#define PLX_DELIVERY_H

#include "arena/transport.h"

/* Reports unread data that was undelivered, as far as there is room. */
void plx_deliver(plx_arena *arena);

#endif
