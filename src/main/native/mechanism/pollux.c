/* SPDX-License-Identifier: Apache-2.0
 *
 * pollux.c: the table of mechanisms, and the calls of pollux.h on it. What is wrong with arguments is found here, once
 * for all mechanisms.
 */
#include "mechanism/mechanism.h"

#include <string.h>

enum {
    EVENTS = PLX_IN | PLX_PRI | PLX_OUT | PLX_RDHUP,
    UNASKED = PLX_ERR | PLX_HUP | PLX_NVAL,
    FLAGS = PLX_ONESHOT | PLX_EDGE,
    MAX_EVENTS = 1 << 20 /* of one await; epoll and the C library have such limits, at other numbers */
};

#define ROW(variable, name) { &variable, name },
#define LISTED(variable, name) "," name

static const struct {
    const plx_mechanism *mechanism;
    const char *name;
} mechanisms[] = { PLX_MECHANISMS(ROW) };
enum { COUNT = sizeof mechanisms / sizeof *mechanisms };
static const char names[] = PLX_MECHANISMS(LISTED);

int plx_version(void)
{
    return PLX_VERSION;
}

const char *plx_mechanisms(void)
{
    return names + 1;
}

int plx_open(const char *mechanism, plx_set **set)
{
    *set = NULL;
    for (size_t i = 0; i < COUNT; i++) {
        if (mechanism == NULL || strcmp(mechanism, mechanisms[i].name) == 0) {
            int code = mechanisms[i].mechanism->open(set);
            if (code == 0 && (*set)->mechanism == NULL)
                (*set)->mechanism = mechanisms[i].mechanism;
            return code;
        }
    }
    return -PLX_NO_SUCH_MECHANISM;
}

const char *plx_name(const plx_set *set)
{
    size_t i = 0;
    while (mechanisms[i].mechanism != set->mechanism)
        i++;
    return mechanisms[i].name;
}

const char *plx_features(const plx_set *set)
{
    return set->mechanism->features(set);
}

const char *plx_change_call(const plx_set *set)
{
    return set->mechanism->change_call;
}

const char *plx_await_call(const plx_set *set)
{
    return set->mechanism->await_call;
}

unsigned plx_caps(const plx_set *set)
{
    return set->mechanism->caps;
}

intptr_t plx_handle(const plx_set *set)
{
    return set->mechanism->handle != NULL ? set->mechanism->handle(set) : -1;
}

/* Most probably it was opened right behind the handle. A set has no others. */
int plx_find_waker(const plx_set *set)
{
#ifdef __linux__
    enum { MAX_FD = 1 << 20 }; /* what fs.nr_open is, unless it was raised: proc_sys_fs(5) */
    int handle = (int)plx_handle(set);
    for (int i = 1; i <= MAX_FD; i++) {
        int fd = (handle + i) % MAX_FD;
        if (fd != handle && set->mechanism->owns(set, fd))
            return fd;
    }
#else
    (void)set;
#endif
    return -1;
}

static int check(const plx_set *set, intptr_t fd, uint32_t want, uint64_t cookie)
{
    unsigned caps = set->mechanism->caps;
    if (!plx_is_descriptor(fd))
        return -PLX_NOT_OPEN;
    if ((want & ~(uint32_t)(EVENTS | UNASKED | FLAGS)) != 0 || cookie == PLX_NO_COOKIE ||
        set->mechanism->owns(set, (plx_descriptor)fd))
        return -PLX_BAD_ARGUMENT;
    bool lacks = ((want & PLX_ONESHOT) && !(caps & PLX_CAP_ONESHOT)) || ((want & PLX_EDGE) && !(caps & PLX_CAP_EDGE));
    return lacks ? -PLX_UNSUPPORTED : 0;
}

int plx_add(plx_set *set, intptr_t fd, uint32_t want, uint64_t cookie)
{
    int code = check(set, fd, want, cookie);
    return code < 0 ? code : set->mechanism->add(set, (plx_descriptor)fd, want & ~(uint32_t)UNASKED, cookie);
}

int plx_modify(plx_set *set, intptr_t fd, uint32_t want, uint64_t cookie)
{
    int code = check(set, fd, want, cookie);
    return code < 0 ? code : set->mechanism->modify(set, (plx_descriptor)fd, want & ~(uint32_t)UNASKED, cookie);
}

int plx_remove(plx_set *set, intptr_t fd)
{
    /* Without its own descriptors a set would hear of no wakeup any more. */
    if (!plx_is_descriptor(fd) || set->mechanism->owns(set, (plx_descriptor)fd))
        return 0;
    return set->mechanism->remove(set, (plx_descriptor)fd);
}

int plx_await(plx_set *set, plx_event *events, int max_events, int64_t ns)
{
    if (max_events < 1)
        return -PLX_BAD_ARGUMENT;
    return set->mechanism->await(set, events, max_events < MAX_EVENTS ? max_events : MAX_EVENTS, ns);
}

int plx_wakeup(plx_set *set)
{
    return set->mechanism->wakeup(set);
}

void plx_close(plx_set *set)
{
    if (set != NULL)
        set->mechanism->close(set);
}
