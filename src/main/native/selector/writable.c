/* SPDX-License-Identifier: Apache-2.0
 *
 * writable.c: poll(2) for one moment, and what is known without it. See writable.h.
 */
#include "selector/writable.h"
#include "system/rawcall.h"

#ifdef _WIN32
int plx_is_readable(int fd)
{
    (void)fd;
    return 0; /* wepoll has no descriptor to ask */
}
#else
#include <poll.h>

int plx_is_readable(int fd)
{
    struct pollfd asked = { .fd = fd, .events = POLLIN };
    return poll(&asked, 1, 0) > 0 && (asked.revents & POLLIN) != 0;
}
#endif

#ifndef __linux__ /* no other mechanism makes a system call for each change */
int plx_ask_writable(plx_event *events, int n)
{
    for (int i = 0; i < n; i++)
        events[i].events = 0;
    return 0;
}

void plx_note_write(int fd, bool complete)
{
    (void)fd, (void)complete;
}
#else
#include <stdatomic.h>
#include <stdint.h>

enum { ASKED_AT_A_TIME = 64, REMEMBERED = 1 << 16 };

/* Whether the last write to a descriptor was complete; cleared when that has answered a question. */
static _Atomic(bool) has_taken_all[REMEMBERED];

void plx_note_write(int fd, bool complete)
{
    if ((unsigned)fd < REMEMBERED)
        atomic_store_explicit(&has_taken_all[fd], complete, memory_order_relaxed);
}

static bool is_known_writable(int fd)
{
    return (unsigned)fd < REMEMBERED && atomic_load_explicit(&has_taken_all[fd], memory_order_relaxed) &&
           atomic_exchange_explicit(&has_taken_all[fd], false, memory_order_relaxed);
}

static int fd_of(const plx_event *event)
{
    return (int)(uint32_t)event->cookie;
}

static int poll_now(struct pollfd *asked, int n)
{
#ifdef SYS_poll
    return (int)plx_syscall(SYS_poll, (long)asked, n, 0, 0, 0, 0);
#else
    return poll(asked, (nfds_t)n, 0);
#endif
}

static uint32_t events_of(int revents)
{
    uint32_t events = (revents & POLLOUT ? PLX_OUT : 0) | (revents & POLLERR ? PLX_ERR : 0);
    return revents & POLLNVAL ? 0 : events | (revents & POLLHUP ? PLX_HUP : 0);
}

/* Asks for those of them that are not known; returns how many have any events. */
static int ask_some(plx_event *events, int n)
{
    struct pollfd asked[ASKED_AT_A_TIME];
    int unknown = 0, ready = 0;
    for (int i = 0; i < n; i++) {
        bool is_known = is_known_writable(fd_of(&events[i]));
        events[i].events = is_known ? PLX_OUT : 0;
        ready += is_known;
        if (!is_known)
            asked[unknown++] = (struct pollfd){ .fd = fd_of(&events[i]), .events = POLLOUT };
    }
    if (unknown == 0 || poll_now(asked, unknown) <= 0)
        return ready;
    for (int i = 0, k = 0; i < n; i++) {
        if (events[i].events != 0)
            continue;
        events[i].events = events_of(asked[k++].revents);
        ready += events[i].events != 0;
    }
    return ready;
}

int plx_ask_writable(plx_event *events, int n)
{
    int ready = 0;
    for (int i = 0; i < n; i += ASKED_AT_A_TIME)
        ready += ask_some(&events[i], n - i < ASKED_AT_A_TIME ? n - i : ASKED_AT_A_TIME);
    return ready;
}
#endif
