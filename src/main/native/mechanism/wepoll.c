/* SPDX-License-Identifier: Apache-2.0
 *
 * wepoll.c: Windows, on wepoll (https://github.com/piscisaureus/wepoll): epoll's interface over an I/O completion port
 * and the polls of AFD, the driver below Winsock. Its source is one file, which is fetched for the build (Makefile) and
 * included here, because it must be known what has become of its polls.
 *
 * - A wakeup is a packet that is posted to the port (PostQueuedCompletionStatus) and belongs to no poll, which ends
 *   epoll_wait with no events; wepoll understands it with NULL_OVERLAPPED_WAKEUPS_PATCH. What says that there was one
 *   is set->woken: packets coalesce, come with events, and may arrive after their wakeup was taken.
 * - epoll_wait measures its timeout by a clock of 16 ms and may return early: the deadline is kept here.
 * - EPOLLPRI is always asked for: nothing else tells of out-of-band data, which is reported until it is read.
 * - A poll that is pending writes to memory when it ends. A removal cancels it and looks, without waiting, whether it
 *   has ended; what else that fetches is level-triggered and comes again, so no PLX_CAP_ONESHOT. Closing waits until
 *   all have ended: epoll_close frees the memory whether they have or not.
 * - A poll belongs to a socket, its registration to a number, which another socket may have by now: a change makes a
 *   new registration.
 * - GetLastError has the code after a failure.
 */
#include "system/clock.h"
#include "mechanism/mechanism.h"
#ifdef _WIN32

#define NULL_OVERLAPPED_WAKEUPS_PATCH
/* A program that is linked with libpollux.a may have a wepoll of its own. */
#define WEPOLL_EXPORT static
#define RECEIVED_WAKEUP_EVENT plx_received_wakeup_event
#include <wepoll/wepoll.c>

#include <string.h>

_Static_assert(PLX_IN == (int)EPOLLIN && PLX_PRI == (int)EPOLLPRI && PLX_OUT == (int)EPOLLOUT &&
                   PLX_ERR == (int)EPOLLERR && PLX_HUP == (int)EPOLLHUP,
               "the low five bits are epoll's own");
_Static_assert(sizeof(struct epoll_event) == sizeof(plx_event), "events are converted in place");

enum { SAME_BITS = PLX_IN | PLX_PRI | PLX_OUT | PLX_ERR | PLX_HUP, MAX_DRAINED = 32, PATIENCE_MILLIS = 500 };

typedef struct {
    plx_set head;
    HANDLE port;
    port_state_t *state; /* wepoll's own */
    LONG volatile woken; /* 1 from a wakeup until an await has reported it */
} wepoll_set;

static int last_error(void)
{
    DWORD code = GetLastError();
    return code != 0 ? -(int)code : -ERROR_GEN_FAILURE;
}

static int wepoll_open(plx_set **result)
{
    wepoll_set *set = calloc(1, sizeof *set);
    if (set == NULL)
        return -ERROR_NOT_ENOUGH_MEMORY;
    set->port = epoll_create1(0);
    if (set->port == NULL) {
        int code = last_error();
        free(set);
        return code;
    }
    ts_tree_node_t *node = ts_tree_find_and_ref(&epoll__handle_tree, (uintptr_t)set->port);
    set->state = port_state_from_handle_tree_node(node);
    ts_tree_node_unref(node);
    *result = &set->head;
    return 0;
}

/* Lets wepoll see which polls have ended. Of what else is ready it is told again, as long as it is ready. */
static void collect(const wepoll_set *set, int millis)
{
    struct epoll_event dropped[MAX_DRAINED];
    (void)epoll_wait(set->port, dropped, MAX_DRAINED, millis);
}

/* Whether polls of removed sockets are pending. */
static bool is_removing(const wepoll_set *set)
{
    return !queue_is_empty(&set->state->sock_deleted_queue);
}

static void drain(const wepoll_set *set)
{
    for (int millis = 0; is_removing(set) && millis < PATIENCE_MILLIS; millis++)
        collect(set, millis > 0);
}

static void wepoll_close(plx_set *base)
{
    wepoll_set *set = (wepoll_set *)base;
    port_state_t *state = set->state;
    tree_node_t *socket;
    EnterCriticalSection(&state->lock);
    while ((socket = tree_root(&state->sock_tree)) != NULL)
        sock_delete(state, sock_state_from_tree_node(socket));
    LeaveCriticalSection(&state->lock);
    drain(set);
    if (!is_removing(set)) /* else the memory is better lost than written to after it was freed */
        epoll_close(set->port);
    free(set);
}

static const char *wepoll_features(const plx_set *base)
{
    (void)base;
    return "AFD polls, completion port";
}

static bool wepoll_owns(const plx_set *base, SOCKET s)
{
    (void)base, (void)s;
    return false; /* it has no sockets */
}

static int control(const wepoll_set *set, int op, SOCKET s, uint32_t want, uint64_t cookie)
{
    struct epoll_event event = {
        .events = (want & (uint32_t)SAME_BITS) | (want & PLX_RDHUP ? (uint32_t)EPOLLRDHUP : 0) | EPOLLPRI,
        .data.u64 = cookie,
    };
    return epoll_ctl(set->port, op, s, &event) == 0 ? 0 : last_error();
}

/* Puts a new registration in the place of the one that a number has; if it is refused the old one stays. wepoll itself
 * would keep a poll that is pending. If the socket was closed, and its number given to another, that is the poll of the
 * old one, and when it ends wepoll forgets the number. */
static int replace(const wepoll_set *set, sock_state_t *old, SOCKET s, uint32_t want, uint64_t cookie)
{
    port_unregister_socket(set->state, old);
    int code = control(set, EPOLL_CTL_ADD, s, want, cookie);
    sock_state_t *added = port_find_socket(set->state, s);
    if (added != NULL)
        port_unregister_socket(set->state, added);
    (void)port_register_socket(set->state, old, s);
    if (added != NULL) {
        sock_delete(set->state, old);
        (void)port_register_socket(set->state, added, s);
        drain(set); /* else an await that only polls could find the old poll's end, and nothing else */
    }
    return code;
}

/* wepoll itself may find out that a socket is closed no sooner than it polls, and then forgets it without a word. */
static int wepoll_add(plx_set *base, SOCKET s, uint32_t want, uint64_t cookie)
{
    const wepoll_set *set = (const wepoll_set *)base;
    if (!plx_is_open((intptr_t)s))
        return -WSAENOTSOCK;
    sock_state_t *old = port_find_socket(set->state, s);
    return old != NULL ? replace(set, old, s, want, cookie) : control(set, EPOLL_CTL_ADD, s, want, cookie);
}

static int wepoll_modify(plx_set *base, SOCKET s, uint32_t want, uint64_t cookie)
{
    const wepoll_set *set = (const wepoll_set *)base;
    return port_find_socket(set->state, s) != NULL ? wepoll_add(base, s, want, cookie) : -ERROR_NOT_FOUND;
}

static int wepoll_remove(plx_set *base, SOCKET s)
{
    const wepoll_set *set = (const wepoll_set *)base;
    int code = control(set, EPOLL_CTL_DEL, s, 0, 0);
    if (is_removing(set))
        collect(set, 0);
    return code == -ERROR_NOT_FOUND || code == -WSAENOTSOCK || code == -ERROR_INVALID_HANDLE ? 0 : code;
}

/* The number of events written to events[0..max_events), or -code. */
static int fetch(const wepoll_set *set, plx_event *events, int max_events, int64_t ns)
{
    int n = epoll_wait(set->port, (struct epoll_event *)(void *)events, max_events, plx_millis(ns));
    if (n < 0)
        return last_error();
    for (int i = 0; i < n; i++) {
        struct epoll_event e;
        memcpy(&e, &events[i], sizeof e);
        events[i] =
            (plx_event){ e.data.u64,
                         (e.events & (uint32_t)SAME_BITS) | (e.events & EPOLLRDHUP ? (uint32_t)PLX_RDHUP : 0), 0 };
    }
    return n;
}

/* Reports a wakeup that has come since it was last asked, if there is room: else it is the next await's. */
static int take_wakeup(wepoll_set *set, plx_event *events, int n, int max_events)
{
    if (n == max_events || InterlockedExchange(&set->woken, 0) == 0)
        return n;
    events[n] = plx_wakeup_event();
    return n + 1;
}

static int wepoll_await(plx_set *base, plx_event *events, int max_events, int64_t ns)
{
    wepoll_set *set = (wepoll_set *)base;
    int64_t start = ns > 0 ? plx_now() : 0, left = ns;
    int woken = take_wakeup(set, events, 0, max_events);
    while (woken < max_events) {
        int n = fetch(set, events + woken, max_events - woken, woken ? 0 : left);
        if (n < 0)
            return woken ? woken : n;
        if (woken == 0)
            woken = take_wakeup(set, events, n, max_events) - n;
        if (n > 0)
            return n + woken;
        /* Polls that ended with nothing have others take their place, whose outcome counts. */
        if ((woken || left == 0) && queue_is_empty(&set->state->sock_update_queue))
            break;
        if (left > 0) {
            int64_t elapsed = plx_now() - start;
            left = elapsed < ns ? ns - elapsed : 0;
        }
    }
    return woken;
}

static int wepoll_wakeup(plx_set *base)
{
    wepoll_set *set = (wepoll_set *)base;
    if (InterlockedExchange(&set->woken, 1) != 0 || PostQueuedCompletionStatus(set->port, 0, 0, NULL))
        return 0;
    int code = last_error();
    InterlockedExchange(&set->woken, 0); /* so that the next wakeup tries again */
    return code;
}

const plx_mechanism plx_wepoll = {
    .change_call = "epoll_ctl (wepoll)",
    .await_call = "epoll_wait (wepoll)",
    .caps = PLX_CAP_MERGED,
    .open = wepoll_open,
    .features = wepoll_features,
    .owns = wepoll_owns,
    .add = wepoll_add,
    .modify = wepoll_modify,
    .remove = wepoll_remove,
    .await = wepoll_await,
    .wakeup = wepoll_wakeup,
    .close = wepoll_close,
};
#endif
