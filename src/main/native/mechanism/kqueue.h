/* SPDX-License-Identifier: Apache-2.0
 *
 * kqueue.h: what the files of the kqueue mechanism share. kqueue.c is the mechanism and waits, kqueue_changes.c has the
 * changelist, kqueue_pipes.c the pipes that the kernel does not report.
 */
#ifndef PLX_KQUEUE_H
#define PLX_KQUEUE_H

#include "mechanism/mechanism.h"
#include "system/waker.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h> /* before sys/event.h, as kqueue(2) has it */
#include <sys/event.h>
#include <sys/stat.h>
#include <time.h>

enum { FILTERS = PLX_IN | PLX_OUT, MAX_CHANGES = 2 /* of one descriptor */, NONE = -1 };

/* Lists of descriptors: those with a change in the changelist, and broken pipes. */
enum { CHANGED, BROKEN, LISTS };

/* What is known of a descriptor, by its number. */
typedef struct {
    uint64_t cookie;
    uint16_t want;  /* IN, OUT, RDHUP, EDGE; its FILTERS shall be in the kernel at the next await */
    uint8_t held;   /* the FILTERS that are in the kernel */
    uint8_t before; /* those that were before the last change */
    bool watched;   /* added and not removed; want may be 0 all the same */
    bool stale;     /* the filters must be added again: they may be gone, or shall report what is ready now */
    bool refused;   /* the kernel refused its last change: the next one is applied at once */
    bool listed[LISTS];
    uint32_t broken;     /* which pipe has no reader, and is reported by us: its identity; else 0 */
    int32_t next[LISTS]; /* or NONE */
} kqueue_record;

/* First in, first out, linked through the records: it needs no memory of its own. */
typedef struct {
    int first, last; /* or NONE */
} fd_list;

typedef struct {
    plx_set head;
    int kq;
    bool has_user;    /* EVFILT_USER, else the waker */
    bool hung_up;     /* the program has closed the other end of the waker's pipe */
    bool broken_last; /* the last await that had room for one event gave it to a broken pipe */
    plx_waker waker;
    kqueue_record *records;
    int record_count;
    fd_list lists[LISTS];
    struct kevent *buffer; /* kevent's changelist going in, its eventlist coming out */
    int buffer_size;
} kqueue_set;

/* A number of entries, as kevent(2) takes it. */
#ifdef __NetBSD__
typedef size_t kevent_count;
#else
typedef int kevent_count;
#endif

static const struct timespec plx_at_once = { 0, 0 };

static inline bool plx_is_empty(const kqueue_set *set, int list)
{
    return set->lists[list].first == NONE;
}

/* Puts a descriptor at the end of a list, once. */
static inline void plx_append(kqueue_set *set, int which, int fd)
{
    fd_list *list = &set->lists[which];
    kqueue_record *r = &set->records[fd];
    if (r->listed[which])
        return;
    r->listed[which] = true;
    r->next[which] = NONE;
    if (list->first == NONE)
        list->first = fd;
    else
        set->records[list->last].next[which] = fd;
    list->last = fd;
}

/* Takes the first descriptor out of a list that is not empty. */
static inline int plx_take_first(kqueue_set *set, int which)
{
    int fd = set->lists[which].first;
    kqueue_record *r = &set->records[fd];
    r->listed[which] = false;
    set->lists[which].first = r->next[which];
    return fd;
}

static inline bool plx_is_kind(uintptr_t fd, mode_t kind)
{
    struct stat status;
    return fstat((int)fd, &status) == 0 && (status.st_mode & S_IFMT) == kind;
}

/* kqueue_changes.c */

/* Has a record for that descriptor: 0 or -code. */
int plx_kqueue_reserve_record(kqueue_set *set, int fd);
/* Watches a descriptor that has a record, and is new or watched for other events. The change goes into the changelist,
 * or if the descriptor's last change was refused, is applied now. If that is refused too, a descriptor that is new is
 * not watched, and another one is as before: 0 or -code. */
int plx_kqueue_watch(kqueue_set *set, int fd, uint32_t want, uint64_t cookie, bool is_new);
/* Takes the filters of a descriptor out of the kernel now. */
void plx_kqueue_remove_filters(kqueue_set *set, int fd);
/* Fills the buffer with changes, as many as fit in slots, but those of one descriptor always: their number, and the
 * descriptor at which it stopped, NONE if that was all. */
int plx_kqueue_fill_changelist(const kqueue_set *set, int slots, int *stop);
/* Applies changes now; each becomes the EV_ERROR event that kevent(2) would report of it. */
void plx_kqueue_apply_now(const kqueue_set *set, struct kevent *changes, int n);
/* Notes that the changes up to that descriptor are applied, and takes them off the changelist. */
void plx_kqueue_mark_applied_until(kqueue_set *set, int stop);
/* Notes what an EV_ERROR event says of a change that was marked as applied: the filter that is not watched, or 0. */
uint8_t plx_kqueue_note_refusal(kqueue_set *set, const struct kevent *event);

/* kqueue_pipes.c */

/* Whether EVFILT_WRITE was refused because the pipe has no reader any more, not because the descriptor is closed. */
bool plx_kqueue_is_broken_pipe(const struct kevent *refusal);
/* Notes that the kernel has no EVFILT_WRITE of that pipe, which has no reader. */
void plx_kqueue_add_broken_pipe(kqueue_set *set, int fd);
/* How many of the caller's events the kernel may fill: one is left to the broken pipes, if there are any. If there is
 * room for a single event, they have it every other time. */
int plx_kqueue_kernels_share(kqueue_set *set, int slots);
/* Appends the broken pipes to the events written so far, each once, and those first that have waited longest: how many
 * events there are then. */
int plx_kqueue_report_broken(kqueue_set *set, plx_event *events, int slots, int written);

#endif
