/* SPDX-License-Identifier: Apache-2.0
 *
 * bytes.c: the bytes that a connection waits with. What is unread is one block, so that it is joined with what comes by
 * one copy. Its first bytes are taken away and put back without moving the others: it may be long, and be reported in
 * many parts.
 */
#include "arena/connections.h"

#include <stdlib.h>
#include <string.h>

enum { SMALLEST = 256 };

/* Makes room for `more` bytes behind those there are: 0 or -code, and what was there stays. */
static int reserve(plx_connection *c, uint32_t more)
{
    uint64_t capacity = c->unread != NULL ? c->unread->capacity : SMALLEST - sizeof *c->unread;
    if (c->unread != NULL && c->unread->start >= c->unread->length) { /* else moving might cost more than was taken */
        memmove(c->unread->bytes, plx_unread_bytes(c), c->unread->length);
        c->unread->start = 0;
    }
    uint64_t needed = (c->unread != NULL ? (uint64_t)c->unread->start : 0) + plx_unread_length(c) + more;
    if (c->unread != NULL && needed <= capacity)
        return 0;
    while (capacity < needed)
        capacity = capacity * 2 + sizeof *c->unread;
    if (needed > INT32_MAX)
        return -PLX_NO_MEMORY;
    plx_unread *bigger = realloc(c->unread, sizeof *bigger + (size_t)capacity);
    if (bigger == NULL)
        return -PLX_NO_MEMORY;
    if (c->unread == NULL)
        bigger->start = bigger->length = 0;
    bigger->capacity = (uint32_t)capacity;
    c->unread = bigger;
    return 0;
}

int plx_unread_append(plx_connection *c, const void *bytes, uint32_t length)
{
    int code = length > 0 ? reserve(c, length) : 0;
    if (code == 0 && length > 0) {
        memcpy(c->unread->bytes + c->unread->start + c->unread->length, bytes, length);
        c->unread->length += length;
    }
    return code;
}

int plx_unread_prepend(plx_connection *c, const void *bytes, uint32_t length)
{
    if (length == 0)
        return 0;
    if (c->unread == NULL || c->unread->start < length) {
        int code = reserve(c, length);
        if (code < 0)
            return code;
        char *first = c->unread->bytes + c->unread->start;
        memmove(first + length, first, c->unread->length);
        c->unread->start += length;
    }
    c->unread->start -= length;
    c->unread->length += length;
    memcpy(c->unread->bytes + c->unread->start, bytes, length);
    return 0;
}

void plx_unread_drop(plx_connection *c, uint32_t length)
{
    if (c->unread == NULL)
        return;
    if (length >= c->unread->length) {
        free(c->unread);
        c->unread = NULL;
        return;
    }
    c->unread->start += length;
    c->unread->length -= length;
}

int plx_unsent_append(plx_connection *c, const plx_order *order, uint32_t skip)
{
    bool copies = !(order->what & PLX_ORDER_RESIDENT);
    uint32_t left = order->length - skip;
    const char *at = (const char *)(uintptr_t)order->address + skip;
    if (left > INT32_MAX - c->pending)
        return -PLX_TOO_LONG;
    plx_piece *piece = malloc(sizeof *piece + (copies ? left : 0));
    if (piece == NULL)
        return -PLX_NO_MEMORY;
    *piece = (plx_piece){ .at = copies ? memcpy(piece + 1, at, left) : at,
                          .left = left,
                          .notify = (order->what & PLX_ORDER_NOTIFY) != 0 };
    if (c->first == NULL)
        c->first = piece;
    else
        c->last->next = piece;
    c->last = piece;
    c->pending += left;
    return 0;
}

static void drop(plx_piece *piece)
{
    if (piece->fence != NULL)
        --*piece->fence;
    free(piece);
}

uint32_t plx_unsent_drop(plx_connection *c, size_t sent)
{
    plx_piece *piece = c->first;
    uint32_t ended = 0;
    piece->at += sent;
    piece->left -= (uint32_t)sent;
    c->pending -= (uint32_t)sent;
    if (piece->left == 0) {
        ended = piece->notify;
        c->first = piece->next;
        drop(piece);
    }
    return ended;
}

void plx_unsent_clear(plx_connection *c, bool but_first)
{
    plx_piece *piece = c->first, *stays = but_first ? piece : NULL, *next;
    c->first = stays;
    c->pending = 0;
    if (stays != NULL) {
        piece = stays->next;
        stays->next = NULL;
        c->last = stays;
        c->pending = stays->left;
    }
    for (; piece != NULL; piece = next) {
        next = piece->next;
        if (stays != NULL && piece->fence != NULL) { /* which waits for what comes before, too */
            stays->fence = piece->fence;
            piece->fence = NULL;
        }
        drop(piece);
    }
}
