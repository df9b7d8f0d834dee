/* SPDX-License-Identifier: Apache-2.0
 *
 * progress.c: FIONREAD of ioctl(2), and on Linux TCP_INFO of tcp(7), as Linux 4.19 and later have it. The structure is
 * longer than that of many a <netinet/tcp.h>, and only ever grows, so it is read by its offsets.
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
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <string.h>
#include <sys/socket.h>

enum {
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

/* Not for MPTCP, where each of several connections has counters of its own. A system that stands in for Linux (gVisor)
 * may leave counters at 0; with a connection there were segments. */
static int tcp_info(int fd, unsigned char info[LENGTH])
{
    int protocol = 0;
    socklen_t length = sizeof protocol;
    if (getsockopt(fd, SOL_SOCKET, SO_PROTOCOL, &protocol, &length) != 0 || protocol != IPPROTO_TCP)
        return 0;
    length = LENGTH;
    if (getsockopt(fd, IPPROTO_TCP, TCP_INFO, info, &length) != 0 || length < LENGTH)
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
#else
static int transferred(int fd, plx_progress *progress)
{
    (void)fd, (void)progress;
    return 0;
}
#endif

int plx_tell_progress(intptr_t fd, plx_progress *progress)
{
    *progress = (plx_progress){ 0, 0, 0 };
    if (fd < 0 || fd > INT_MAX || !unread_bytes((int)fd, &progress->unread))
        return 0;
    return transferred((int)fd, progress) ? 3 : 1;
}
