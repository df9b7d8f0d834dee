/* SPDX-License-Identifier: Apache-2.0
 *
 * kqueue_changes.c: what is asked of a kqueue, and how that gets into the kernel.
 *
 * - A change waits in the changelist and goes in with the kevent call that waits, so that several changes of one
 *   descriptor between two awaits become one. A refused change comes back as an EV_ERROR event, and that call does not
 *   wait. The next change of a descriptor that was refused is applied at once.
 * - A removal is applied at once: the descriptor may be closed right after it, and its number used again. Closing takes
 *   the filters along silently.
 * - EV_ADD of a filter that is there reports again what is ready now, but does not change its EV_CLEAR.
 * - macOS watches most character devices with NOTE_LOWAT and data 1 only, else it says EINVAL (spec_vnops.c of XNU).
 * - EV_RECEIPT is younger than kqueue. A kernel that ignores it waits, or takes events that are then lost, so it is
 *   not used.
 */
#include "mechanism/mechanism.h"
#ifdef PLX_BSD
#include "system/array.h"
#include "mechanism/kqueue.h"

#include <errno.h>

enum { KNOWN_BITS = FILTERS | PLX_RDHUP | PLX_EDGE };

/* The table of records grows only as far as descriptors can. */
int plx_kqueue_reserve_record(kqueue_set *set, int fd)
{
    if (fd < set->record_count)
        return 0;
    if (!plx_is_open(fd))
        return -EBADF;
    void *records = set->records;
    int code = plx_grow(&records, sizeof *set->records, &set->record_count, fd + 1);
    set->records = records;
    return code;
}

/* Writes the change that brings one filter in line with a record: 1, or 0 if none is needed. */
static int change_of_filter(int fd, const kqueue_record *r, uint8_t filter, struct kevent *change)
{
    bool held = r->held & filter, wanted = r->want & filter;
    if (wanted ? held && !r->stale : !held)
        return 0;
    *change = (struct kevent){ .ident = (uintptr_t)fd, .filter = filter == PLX_OUT ? EVFILT_WRITE : EVFILT_READ };
    change->flags = !wanted ? EV_DELETE : r->want & PLX_EDGE ? EV_ADD | EV_CLEAR : EV_ADD;
    return 1;
}

/* The same for both filters: how many changes, at most MAX_CHANGES. */
static int changes_of(int fd, const kqueue_record *r, struct kevent *changes)
{
    int n = change_of_filter(fd, r, PLX_IN, changes);
    return n + change_of_filter(fd, r, PLX_OUT, changes + n);
}

static void mark_applied(kqueue_record *r)
{
    r->before = r->held;
    r->held = (uint8_t)(r->want & FILTERS);
    r->stale = r->refused = false;
}

/* The first refusal ends a call that has no room for events. Then the changes go in one by one: to apply a change twice
 * does no harm. */
void plx_kqueue_apply_now(const kqueue_set *set, struct kevent *changes, int n)
{
    int error = n > 0 && kevent(set->kq, changes, (kevent_count)n, NULL, 0, &plx_at_once) < 0 ? errno : 0;
    for (int i = 0; i < n; i++) {
        if (error != 0 && n > 1)
            changes[i].data = kevent(set->kq, &changes[i], 1, NULL, 0, &plx_at_once) < 0 ? errno : 0;
        else
            changes[i].data = error;
        changes[i].flags = EV_ERROR;
    }
}

/* Adds a refused filter of a character device once more, content to hear that there is something: whether it was
 * taken. */
static bool add_device(const kqueue_set *set, const struct kevent *refusal)
{
#ifdef NOTE_LOWAT
    struct kevent change = *refusal;
    if (refusal->data != EINVAL || !plx_is_kind(refusal->ident, S_IFCHR))
        return false;
    change.flags = set->records[refusal->ident].want & PLX_EDGE ? EV_ADD | EV_CLEAR : EV_ADD;
    change.fflags = NOTE_LOWAT;
    change.data = 1;
    return kevent(set->kq, &change, 1, NULL, 0, &plx_at_once) == 0;
#else
    (void)set, (void)refusal;
    return false;
#endif
}

/* Whether the kernel has the filter that it has refused to add again. It has none any more if the file was closed and
 * the number is another one's by now. To enable what is enabled changes nothing. What is not known to be gone is there,
 * since a filter that is reported as missing is watched in another way, and would be reported twice. */
static bool is_in_force(const kqueue_set *set, const struct kevent *refusal)
{
    struct kevent change = { .ident = refusal->ident, .filter = refusal->filter, .flags = EV_ENABLE };
    return kevent(set->kq, &change, 1, NULL, 0, &plx_at_once) == 0 || (errno != ENOENT && errno != EBADF);
}

/* A refused removal has nothing to say: its filter is gone either way. Nor has a filter that was added again, if what
 * was there is in force all the same. */
uint8_t plx_kqueue_note_refusal(kqueue_set *set, const struct kevent *event)
{
    kqueue_record *r = &set->records[event->ident];
    uint8_t filter = event->filter == EVFILT_READ ? PLX_IN : PLX_OUT;
    if (event->data == 0 || !(r->held & filter))
        return 0;
    if ((r->before & filter) && event->data != EBADF && is_in_force(set, event))
        return 0;
    if (add_device(set, event))
        return 0;
    if (filter == PLX_OUT && plx_kqueue_is_broken_pipe(event)) {
        plx_kqueue_add_broken_pipe(set, (int)event->ident);
        return 0;
    }
    r->held &= (uint8_t)~filter;
    r->refused = true;
    return filter;
}

static int apply_changes_of(kqueue_set *set, int fd)
{
    kqueue_record *r = &set->records[fd];
    struct kevent changes[MAX_CHANGES];
    int n = changes_of(fd, r, changes), code = 0;
    plx_kqueue_apply_now(set, changes, n);
    mark_applied(r);
    for (int i = 0; i < n; i++)
        if (plx_kqueue_note_refusal(set, &changes[i]))
            code = -(int)changes[i].data;
    return code;
}

void plx_kqueue_remove_filters(kqueue_set *set, int fd)
{
    set->records[fd].want = 0;
    apply_changes_of(set, fd); /* ENOENT, EBADF: it is gone already */
}

int plx_kqueue_watch(kqueue_set *set, int fd, uint32_t want, uint64_t cookie, bool is_new)
{
    kqueue_record *r = &set->records[fd];
    const kqueue_record before = *r;
    r->watched = true;
    r->broken = 0;
    if ((r->want ^ want) & PLX_EDGE)
        plx_kqueue_remove_filters(set, fd);
    r->stale = true; /* the number may be another file's by now */
    r->cookie = cookie;
    r->want = (uint16_t)(want & (uint32_t)KNOWN_BITS);
    if (!before.refused) {
        plx_append(set, CHANGED, fd);
        return 0;
    }
    int code = apply_changes_of(set, fd);
    if (code < 0) {
        r->watched = !is_new;
        r->cookie = before.cookie;
        r->want = is_new ? 0 : before.want;
        apply_changes_of(set, fd);
        r->refused = true;
    }
    return code;
}

int plx_kqueue_fill_changelist(const kqueue_set *set, int slots, int *stop)
{
    int n = 0, fd = set->lists[CHANGED].first;
    for (; fd != NONE; fd = set->records[fd].next[CHANGED]) {
        int more = changes_of(fd, &set->records[fd], &set->buffer[n]);
        if (n > 0 && n + more > slots)
            break;
        n += more;
    }
    *stop = fd;
    return n;
}

void plx_kqueue_mark_applied_until(kqueue_set *set, int stop)
{
    while (set->lists[CHANGED].first != stop)
        mark_applied(&set->records[plx_take_first(set, CHANGED)]);
}
#endif
