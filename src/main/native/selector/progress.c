/* SPDX-License-Identifier: Apache-2.0
 *
 * progress.c: FIONREAD of ioctl(2), and on Linux TCP_INFO of tcp(7), as Linux 4.19 and later have it. The structure is
 * longer than that of many a <netinet/tcp.h>, and only ever grows, so it is read by its offsets.
 *
 * Datagram and Unix-domain sockets count nothing. But SO_PEEK_OFF of socket(7), once it is set, falls by each byte that
 * is read, so it tells whether there was a read.
 */
#include "selector/progress.h"

#include <limits.h>

#ifdef _WIN32
static int unread_bytes(int fd, int64_t *bytes)
{
    (void)fd, (void)bytes;
    return 0;
}
#else
#include <sys/ioctl.h>
#ifdef __sun
#include <sys/filio.h>
#include <unistd.h>
#endif

static int unread_bytes(int fd, int64_t *bytes)
{
    int n = 0;
    if (ioctl(fd, FIONREAD, &n) != 0)
        return 0;
    *bytes = n;
    return 1;
}
#endif

#ifdef __linux__
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum {
    LISTEN_QUEUE = 24, /* tcpi_unacked; that and the next one have another meaning for a connection */
    LISTEN_LIMIT = 28, /* tcpi_sacked */
    BYTES_RECEIVED = 128,
    SEGS_OUT = 136,
    SEGS_IN = 140,
    NOTSENT_BYTES = 144,
    BYTES_SENT = 200,
    BYTES_RETRANS = 208,
    LENGTH = 216
};

static int64_t counter(const unsigned char *info, int offset)
{
    uint64_t bytes;
    memcpy(&bytes, info + offset, sizeof bytes);
    return (int64_t)bytes;
}

static uint32_t short_counter(const unsigned char *info, int offset)
{
    uint32_t number;
    memcpy(&number, info + offset, sizeof number);
    return number;
}

static int number_of(int fd, int option)
{
    int number = -1;
    socklen_t length = sizeof number;
    return getsockopt(fd, SOL_SOCKET, option, &number, &length) == 0 ? number : -1;
}

/* Not for MPTCP, where each of several connections has counters of its own. */
static int read_tcp_info(int fd, unsigned char info[LENGTH])
{
    socklen_t length = LENGTH;
    return number_of(fd, SO_PROTOCOL) == IPPROTO_TCP && getsockopt(fd, IPPROTO_TCP, TCP_INFO, info, &length) == 0 &&
           length == LENGTH;
}

/* A system that stands in for Linux (gVisor) may leave counters at 0; with a connection there were segments. */
static int tcp_info(int fd, unsigned char info[LENGTH])
{
    if (!read_tcp_info(fd, info))
        return 0;
    return short_counter(info, SEGS_OUT) != 0 || short_counter(info, SEGS_IN) != 0;
}

/* What arrives between two calls must not look as if the application read: then both are made again. */
static int transferred(int fd, plx_progress *progress)
{
    unsigned char info[LENGTH];
    int64_t received;
    if (!tcp_info(fd, info))
        return 0;
    int tries = 3;
    do {
        received = counter(info, BYTES_RECEIVED);
        if (!unread_bytes(fd, &progress->unread) || !tcp_info(fd, info))
            return 0;
    } while (received != counter(info, BYTES_RECEIVED) && --tries > 0);
    progress->read = received - progress->unread;
    progress->written = counter(info, BYTES_SENT) - counter(info, BYTES_RETRANS) + short_counter(info, NOTSENT_BYTES);
    return 1;
}

int plx_has_descriptor_left(intptr_t any_open)
{
    int fd = fcntl((int)any_open, F_DUPFD_CLOEXEC, 0);
    if (fd < 0)
        return errno != EMFILE && errno != ENFILE;
    close(fd);
    return 1;
}

static int is_listening(int fd)
{
    return number_of(fd, SO_ACCEPTCONN) == 1;
}

/* A kernel's queue is full when it is longer than its limit. */
static int64_t waiting_connections(int fd)
{
    unsigned char info[LENGTH];
    if (!read_tcp_info(fd, info))
        return -1;
    uint32_t length = short_counter(info, LISTEN_QUEUE);
    return length == 0 || length >= short_counter(info, LISTEN_LIMIT) ? -1 : (int64_t)length;
}

#ifndef SO_PEEK_OFF
#define SO_PEEK_OFF 42
#endif

static int mark(int fd, int offset)
{
    return setsockopt(fd, SOL_SOCKET, SO_PEEK_OFF, &offset, sizeof offset) == 0;
}

/* One that is set already is another user's, unless it is as high as ours. TCP has its own counters. MPTCP has
 * none, but SO_PEEK_OFF of it may be that of one of its connections. */
static int mark_queue(int fd)
{
    int type = number_of(fd, SO_TYPE), before = number_of(fd, SO_PEEK_OFF);
    if (type != SOCK_DGRAM && !(type == SOCK_STREAM && number_of(fd, SO_DOMAIN) == AF_UNIX))
        return 0;
    if (before >= 0 && before < INT_MAX / 2)
        return 0;
    return mark(fd, INT_MAX) && number_of(fd, SO_PEEK_OFF) == INT_MAX;
}

/* To read an empty datagram moves nothing: while one is first, nothing can be told. An offset that gets low is raised
 * again: it ends at 0. Of several selectors that watch the same queue each sees that it has changed. */
static int64_t read_offset(int fd)
{
    int64_t unread = 0;
    int offset = number_of(fd, SO_PEEK_OFF);
    if (offset < 0 || !unread_bytes(fd, &unread) || unread == 0)
        return -1;
    if (offset >= INT_MAX / 2)
        return offset;
    return mark(fd, INT_MAX) ? INT_MAX : -1;
}

static void unmark_queue(int fd)
{
    if (number_of(fd, SO_PEEK_OFF) >= 0)
        mark(fd, -1);
}
#else
static int transferred(int fd, plx_progress *progress)
{
    (void)fd, (void)progress;
    return 0;
}

int plx_has_descriptor_left(intptr_t any_open)
{
    (void)any_open;
    return 1;
}

static int is_listening(int fd)
{
    (void)fd;
    return 0;
}

static int64_t waiting_connections(int fd)
{
    (void)fd;
    return -1;
}

static int mark_queue(int fd)
{
    (void)fd;
    return 0;
}

static int64_t read_offset(int fd)
{
    (void)fd;
    return -1;
}

static void unmark_queue(int fd)
{
    (void)fd;
}
#endif

int plx_tell_progress(intptr_t fd, plx_progress *progress)
{
    *progress = (plx_progress){ 0, 0, 0 };
    if (fd < 0 || fd > INT_MAX || !unread_bytes((int)fd, &progress->unread))
        return 0;
    return transferred((int)fd, progress) ? 3 : 1;
}

int plx_watch_queue(intptr_t fd)
{
    if (fd < 0 || fd > INT_MAX)
        return PLX_QUEUE_UNKNOWN;
    if (is_listening((int)fd))
        return PLX_QUEUE_CONNECTIONS;
    return mark_queue((int)fd) ? PLX_QUEUE_BYTES : PLX_QUEUE_UNKNOWN;
}

int64_t plx_look_at_queue(intptr_t fd, int queue)
{
    return queue == PLX_QUEUE_CONNECTIONS ? waiting_connections((int)fd) : read_offset((int)fd);
}

void plx_unwatch_queue(intptr_t fd, int queue)
{
    if (queue == PLX_QUEUE_BYTES)
        unmark_queue((int)fd);
}
