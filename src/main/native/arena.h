/* SPDX-License-Identifier: Apache-2.0
 *
 * arena.h: many stream sockets served by one thread, in turns, in memory that the caller and the arena share.
 *
 * plx_arena_turn is the one call of a server's loop. It carries out the caller's orders (send these bytes, close that
 * connection), waits, and reports what arrived: connections, and data that lies in the arena's memory already. On
 * Linux 6.1 and later that is io_uring(7): a turn costs one system call, however many connections it serves.
 * Elsewhere it is a mechanism of pollux.h: all reads and writes of the turn are made inside that one call.
 *
 *     plx_arena *arena;
 *     plx_arena_view v;
 *     int orders = 0;
 *     if ((code = plx_arena_open(NULL, NULL, &arena)) < 0)      plx_strerror(-code, ...)
 *     plx_arena_map(arena, &v);
 *     plx_arena_listen(arena, listener);
 *     while ((n = plx_arena_turn(arena, orders, -1)) >= 0 || n == -EINTR)
 *         for (int i = orders = 0; i < n; i++)
 *             switch (v.arrivals[i].what) {
 *             case PLX_ARRIVAL_DATA:                            an echo: the reply is the request, where it lies
 *                 v.orders[orders++] = (plx_order){ v.arrivals[i].connection, v.arrivals[i].address,
 *                                                   v.arrivals[i].length, PLX_ORDER_SEND };
 *                 break;
 *             case PLX_ARRIVAL_END: case PLX_ARRIVAL_ERROR:
 *                 v.orders[orders++] = (plx_order){ v.arrivals[i].connection, 0, 0, PLX_ORDER_CLOSE };
 *             }
 *     plx_arena_close(arena);
 *
 * A connection begins with PLX_ARRIVAL_ACCEPTED, or when plx_arena_adopt or plx_arena_connect returns it, and ends with
 * PLX_ARRIVAL_CLOSED or PLX_ARRIVAL_RELEASED, always. A listening socket is a connection too, which accepts instead of
 * receiving: the same orders pause, resume, close and release it. A connection's name is a number of 56 bits that is
 * not reused while stale copies may exist; its low 32 bits are below plx_arena_sizes.connections, so a caller finds its
 * own record of the connection in an array. An order for a connection that has ended is ignored.
 *
 * Who has which memory: an arrival's bytes are the caller's until the next plx_arena_turn begins to wait. The caller
 * may change them in place, and send them from where they are. What is ordered to be sent or kept must stay as it is
 * until that plx_arena_turn has returned; what could not be sent by then has been copied, unless the order says
 * PLX_ORDER_RESIDENT.
 *
 * Back-pressure: while a peer does not read what it was sent, or its connection is paused, nothing of it is reported
 * as data, and soon nothing is received from it: what came before that is kept, the buffers of one turn at most. With
 * PLX_ORDER_DUPLEX only a pause has that effect.
 *
 * Threads: all calls on an arena are for one thread, from the first plx_arena_turn on always the same one; open,
 * listen, adopt and connect may come before, on another thread, if a lock or the like lies between. plx_arena_wakeup
 * and plx_arena_is_waiting are for any thread. plx_arena_close may overlap nothing; best it is called by the thread
 * that turned.
 *
 * Errors are values, as in pollux.h: every int result is >= 0 or -code.
 */
#ifndef PLX_ARENA_H
#define PLX_ARENA_H

#include "pollux.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct plx_arena plx_arena;

/* How much of everything there is, chosen when an arena is opened; 0 means the default. */
typedef struct {
    uint32_t connections;   /* at a time, listening ones included (1024); none is accepted when all are in use */
    uint32_t buffers;       /* receive buffers, on io_uring a power of two up to 32768 (256): those of one turn */
    uint32_t buffer_size;   /* bytes of each, up to 1 MiB (4096); more come as more than one, joined */
    uint32_t request_limit; /* bytes that PLX_ORDER_KEEP may keep (65536) */
    uint32_t pending_limit; /* unsent bytes of a connection beyond which PLX_ARRIVAL_UNSENT is reported (1 MiB) */
    uint32_t space;         /* bytes of room for the caller to make replies in (256 KiB) */
    uint32_t completions;   /* io_uring: length of its completion queue (at least 4096); only tests need another */
} plx_arena_sizes;

/* What arrived. Of one connection a turn has at most one arrival of each kind. */
enum {
    PLX_ARRIVAL_ACCEPTED = 1, /* a new connection; detail: the listening one's name */
    PLX_ARRIVAL_DATA = 2,     /* address, length: what was kept, and what came since, joined */
    PLX_ARRIVAL_END = 3,      /* the peer will write no more; it may still read. Not before all data was reported,
                                 nor in the same turn: the caller may still have kept some of it, or paused */
    PLX_ARRIVAL_ERROR = 4,    /* detail: a (positive) code. The connection is of no more use: close it. A listening one
                                 has paused, say, without descriptors (EMFILE): PLX_ORDER_RESUME has it try again, when
                                 a connection was closed or after a while; a caller that resumes at once spins. One
                                 that is to be closed when all is sent has it too, if that fails */
    PLX_ARRIVAL_SENT = 5,     /* detail: number of orders with PLX_ORDER_NOTIFY that are finished */
    PLX_ARRIVAL_UNSENT = 6,   /* detail: bytes that wait to be sent, now more than pending_limit */
    PLX_ARRIVAL_CLOSED = 7,   /* the connection has ended, and its descriptor is closed */
    PLX_ARRIVAL_RELEASED = 8, /* the connection has ended; detail: its descriptor, the caller's now, in blocking mode;
                                 address, length: bytes that were received and not consumed */
    PLX_ARRIVAL_WAKEUP = 9,   /* plx_arena_wakeup was called; belongs to no connection */
    PLX_ARRIVAL_FENCED = 10, /* what was to be sent before PLX_ORDER_FENCE is sent, or its connection has ended; belongs
                                to no connection */
    PLX_ARRIVAL_CONNECTED = 11 /* a connection of plx_arena_connect is connected now */
};

typedef struct {
    uint64_t connection;
    uint64_t address; /* of the bytes, a pointer as a number; in the arena's memory, those of a release apart */
    uint32_t length;
    uint32_t what;
    int64_t detail;
} plx_arrival; /* 32 bytes on every target */

/* What the caller wants done. Orders are carried out in their order. */
enum {
    PLX_ORDER_SEND = 1,  /* send address, length. Orders for one connection that follow each other go out joined. More
                            than 2 GiB cannot wait: the connection fails (EMSGSIZE, WSAEMSGSIZE) */
    PLX_ORDER_KEEP = 2,  /* address, length: the end of this turn's data, to be reported again with more behind it */
    PLX_ORDER_AGAIN = 3, /* the same, but to be reported at once, though nothing more came: when it is known what of the
                            sends that are ordered beside it has to wait */
    PLX_ORDER_PAUSE = 4, /* report no data and no end until resumed; address, length: the end of this turn's data,
                            to be reported then */
    PLX_ORDER_RESUME = 5,
    PLX_ORDER_SHUTDOWN = 6, /* when all is sent, tell the peer that no more comes; data is still received */
    PLX_ORDER_CLOSE = 7,    /* when all is sent, close the descriptor */
    PLX_ORDER_ABORT = 8,    /* close it at once; the peer gets what the kernel has been given. If bytes that were to be
                               sent are left, the connection is reset, so that the peer does not take what it got for
                               all; a Unix-domain one has no reset. So does PLX_ORDER_CLOSE after a send that failed,
                               and plx_arena_close. length: bytes that the caller was to send besides */
    PLX_ORDER_RELEASE = 9,  /* when all is sent, give the descriptor back; address, length: the end of this turn's data,
                               given back with it */
    PLX_ORDER_FENCE = 10,   /* report PLX_ARRIVAL_FENCED when all that was ordered to be sent before, on any connection,
                             is needed no more: what was resident may be changed then. What the same turn orders behind
                             it may be waited for too. The order belongs to no connection. One at a time: another one is
                             ignored until the first is reported */
    PLX_ORDER_DUPLEX = 11,  /* until the connection ends, report data and its end also while bytes wait to be sent: for
                              protocols in which neither direction waits for the other. The caller limits what it
                              orders: PLX_ARRIVAL_UNSENT tells when that is too much */

    /* Beside PLX_ORDER_SEND. */
    PLX_ORDER_RESIDENT = 1 << 8, /* the bytes stay where and as they are until they are sent, or the connection ended */
    PLX_ORDER_NOTIFY = 1 << 9    /* report PLX_ARRIVAL_SENT when they are sent */
};

typedef struct {
    uint64_t connection;
    uint64_t address;
    uint32_t length;
    uint32_t what;
} plx_order; /* 24 bytes on every target */

/* Numbers that a server's diagnosis wants; they only grow. A turn waits if it may: ns is not 0, and there is nothing to
 * report already. The time of that is none in which the thread sends or receives: on io_uring, where one call does all
 * three, that is measured in some calls, ten in a second at most, and estimated in the others. */
typedef struct {
    uint64_t turns;
    uint64_t system_calls; /* made by plx_arena_turn, without those that read a clock */
    uint64_t sends;        /* begun: one for all that goes out joined */
    uint64_t receives;     /* that brought data */
    uint64_t short_sends;  /* after which bytes had to wait */
    uint64_t starved;      /* receives that ended because every buffer was in use */
    uint64_t overflows;    /* of the completion queue, after which it had to be fetched in parts */
    uint64_t waits;        /* turns that waited, also those whose wait was over at once */
    uint64_t waited;       /* nanoseconds that they did, without the wait in progress */
    uint64_t changes;      /* of what the mechanism watches; on io_uring requests to receive, to cancel that, to send
                              what is left of a send */
    uint64_t received_bytes, sent_bytes; /* of connections; sent: those that sockets have taken */
} plx_arena_counts;

/* Where everything is; the same as long as the arena is open. */
typedef struct {
    void *memory; /* all that follows lies in these bytes, for those who need it as one block */
    uint64_t memory_size;
    const plx_arrival *arrivals;
    plx_order *orders; /* room for two orders for each arrival there can be, and 4096 more */
    const plx_arena_counts *counts;
    void *space;
    uint32_t max_arrivals, max_orders, space_size;
} plx_arena_view;

/* The mechanisms in this build, best first, separated by commas: "io_uring,epoll,poll". */
PLX_API const char *plx_arena_mechanisms(void);

/* Opens an arena; mechanism NULL is the best one that works here, sizes NULL are the defaults. 0, or -code and *arena
 * is NULL: a code of plx_open; EINVAL, WSAEINVAL: sizes that cannot be; and for "io_uring":
 *   ENOSYS                                   the kernel has no io_uring, or a sandbox hides it
 *   EPERM                                    kernel.io_uring_disabled, or a sandbox
 *   EOPNOTSUPP                               the kernel's is older than Linux 6.1
 *   ENOMEM                                   or the user may not lock that much memory (RLIMIT_MEMLOCK, ulimit -l).
 *                                            Linux 6.18 counts 140 KiB for an arena of the default sizes; older
 *                                            kernels count less. The limit is for all processes of the user together,
 *                                            counts an arena for a moment after it is closed, and is none for a process
 *                                            with CAP_IPC_LOCK */
PLX_API int plx_arena_open(const char *mechanism, const plx_arena_sizes *sizes, plx_arena **arena);

/* Words for the (positive) code of a plx_arena_open that has failed: those of plx_strerror, and for "io_uring" the
 * reason that this system has. */
PLX_API const char *plx_arena_strerror(const char *mechanism, int code, char *buffer, size_t size);

/* The mechanism that runs. */
PLX_API const char *plx_arena_name(const plx_arena *arena);

/* What it runs on here, and where io_uring is missing, why: "epoll: eventfd, epoll_pwait2; no io_uring:
 * kernel.io_uring_disabled is 2". Lasts as long as the arena. */
PLX_API const char *plx_arena_features(const plx_arena *arena);

PLX_API void plx_arena_map(const plx_arena *arena, plx_arena_view *view);

PLX_API void plx_arena_count(const plx_arena *arena, plx_arena_counts *counts);

/* Whether the turn in progress waits, 1 or 0; *ns: for how long, or for how long it has not. Any thread. */
PLX_API int plx_arena_is_waiting(const plx_arena *arena, int64_t *ns);

/* Takes over a listening stream socket, or a connected one and bytes that were received from it already, which become
 * its first data. The arena owns the descriptor, and its blocking mode, until the connection has ended, and sets
 * TCP_NODELAY; sockets that are accepted inherit it. The name of the connection, or -code, and the descriptor stays the
 * caller's, its blocking mode perhaps changed:
 *   EBADF, ENOTSOCK, WSAENOTSOCK             not an open socket
 *   EOPNOTSUPP, WSAEOPNOTSUPP                not a stream socket
 *   EINVAL, WSAEINVAL                        plx_arena_listen: it does not listen; plx_arena_adopt: it does
 *   ENOBUFS, WSAENOBUFS                      as many connections as there may be
 *   EMSGSIZE, WSAEMSGSIZE                    more than 2 GiB of bytes
 *   ENOMEM, ERROR_NOT_ENOUGH_MEMORY          no memory
 *   a code of plx_add
 * What the mechanism refuses only later is a PLX_ARRIVAL_ERROR of the next turn: on kqueue and io_uring always, else if
 * there were bytes. */
PLX_API int64_t plx_arena_listen(plx_arena *arena, intptr_t descriptor);
PLX_API int64_t plx_arena_adopt(plx_arena *arena, intptr_t descriptor, const void *bytes, size_t length);

/* Takes over a stream socket in non-blocking mode whose connect(2) is in progress, or done, as plx_arena_adopt does.
 * PLX_ARRIVAL_CONNECTED tells when it is connected. Before that nothing is received; what is ordered to be sent, to be
 * closed or to be released waits. If it does not become connected, PLX_ARRIVAL_ERROR tells why instead: ECONNREFUSED,
 * ETIMEDOUT and the like. The name of the connection or -code, as of plx_arena_adopt. */
PLX_API int64_t plx_arena_connect(plx_arena *arena, intptr_t descriptor);

/* The descriptor of a connection, which stays the arena's: for getpeername(2), say. EINVAL, WSAEINVAL: the connection
 * has ended. */
PLX_API intptr_t plx_arena_descriptor(const plx_arena *arena, uint64_t connection);

/* If bytes that were ordered wait to be sent: how many, and those that the kernel has and the peer has not
 * acknowledged, where that can be known. Else 0. A number that changes tells that the peer reads. */
PLX_API int64_t plx_arena_unsent(const plx_arena *arena, uint64_t connection);

/* Carries out that number of orders, waits for arrivals, and returns the number of arrivals. ns < 0: waits for ever;
 * 0: does not wait; else: waits up to ns nanoseconds. May return 0 early, after something that concerns only the arena.
 * All orders have been carried out, whatever is returned. Or -code:
 *   EINTR                                    a signal came
 *   EINVAL, WSAEINVAL                        orders is negative, or more than max_orders; nothing was carried out
 *   ENOMEM, ERROR_NOT_ENOUGH_MEMORY          no memory
 *   EEXIST                                   io_uring: another thread has turned before
 *   EBADF, ERROR_INVALID_HANDLE              the program has closed the arena's own descriptor */
PLX_API int plx_arena_turn(plx_arena *arena, int orders, int64_t ns);

/* Sends at once what the socket takes of these bytes, which need not stay: their number, 0 also if the connection has
 * ended, or other bytes wait to be sent, or the send has failed (the order for the rest will say so). To be called
 * between turns, before any order is given to send to this connection. It costs a system call, and saves large replies
 * a copy: what is ordered must stay as it is until the turn. */
PLX_API uint32_t plx_arena_try_send(plx_arena *arena, uint64_t connection, const void *bytes, uint32_t length);

/* Ends the turn in progress, or else the next one, which reports one PLX_ARRIVAL_WAKEUP; several are reported as one.
 * What was written before plx_arena_wakeup is seen by the thread that gets the report. Any thread, async-signal-safe.
 * 0, or -code: EBADF, ERROR_INVALID_HANDLE: the arena's own descriptor was closed. */
PLX_API int plx_arena_wakeup(plx_arena *arena);

/* Closes every connection at once, and the arena. NULL is fine. */
PLX_API void plx_arena_close(plx_arena *arena);

#ifdef __cplusplus
}
#endif
#endif
