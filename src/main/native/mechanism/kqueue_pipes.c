/* SPDX-License-Identifier: Apache-2.0
 *
 * kqueue_pipes.c: pipes that are written to and have no reader any more.
 *
 * Such a pipe is ready for writing, with an error. Most kernels refuse EVFILT_WRITE for it: FreeBSD, OpenBSD and old
 * releases of macOS with EPIPE, NetBSD with EBADF. FreeBSD drops the filter when it has reported the end, and says so
 * by EV_ONESHOT. So these pipes are in a list, and each await reports them.
 */
#include "mechanism/mechanism.h"
#ifdef PLX_BSD
#include "mechanism/kqueue.h"

#include <errno.h>

bool plx_kqueue_is_broken_pipe(const struct kevent *refusal)
{
    return (refusal->data == EPIPE || refusal->data == EBADF) && plx_is_kind(refusal->ident, S_IFIFO);
}

/* Tells a pipe from another that has its number later: never 0 of a pipe, always 0 of anything else. A pipe has no
 * inode on NetBSD and OpenBSD, but the time when it was created. */
static uint32_t identity_of(int fd)
{
    struct stat status;
    if (fstat(fd, &status) < 0 || !S_ISFIFO(status.st_mode))
        return 0;
    uint64_t identity = (uint64_t)status.st_ino ^ (uint64_t)status.st_dev << 40;
#ifndef __APPLE__ /* all pipes have inodes there */
    if (status.st_ino == 0)
        identity = (uint64_t)status.st_ctim.tv_sec << 30 ^ (uint64_t)status.st_ctim.tv_nsec;
#endif
    return (uint32_t)(identity ^ identity >> 32) << 1 | 1;
}

void plx_kqueue_add_broken_pipe(kqueue_set *set, int fd)
{
    kqueue_record *r = &set->records[fd];
    r->held &= (uint8_t)~PLX_OUT;
    r->broken = identity_of(fd);
    plx_append(set, BROKEN, fd);
}

int plx_kqueue_kernels_share(kqueue_set *set, int slots)
{
    if (plx_is_empty(set, BROKEN))
        return slots;
    if (slots > 1)
        return slots - 1;
    set->broken_last = !set->broken_last;
    return set->broken_last ? 0 : 1;
}

/* A pipe that was changed, or closed, is forgotten, as a kqueue forgets filters. With PLX_EDGE a pipe is reported only
 * once. */
int plx_kqueue_report_broken(kqueue_set *set, plx_event *events, int slots, int written)
{
    int last = set->lists[BROKEN].last, fd = NONE;
    while (fd != last && !plx_is_empty(set, BROKEN) && written < slots) {
        fd = plx_take_first(set, BROKEN);
        kqueue_record *r = &set->records[fd];
        if (r->broken == 0 || r->broken != identity_of(fd)) {
            r->broken = 0;
            continue;
        }
        events[written++] = (plx_event){ r->cookie, PLX_OUT | PLX_ERR, 0 };
        if (!(r->want & PLX_EDGE))
            plx_append(set, BROKEN, fd);
    }
    return written;
}
#endif
