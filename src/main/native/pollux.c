/* SPDX-License-Identifier: Apache-2.0
 *
 * pollux.c: the table of mechanisms, and the calls of pollux.h on it.
 */
#include "mechanism.h"

#include <string.h>
#ifdef _WIN32
#include <winsock2.h>
enum { NO_SUCH_MECHANISM = ERROR_NOT_SUPPORTED, BAD_DESCRIPTOR = WSAENOTSOCK, BAD_ARGUMENT = WSAEINVAL };
#else
#include <errno.h>
enum { NO_SUCH_MECHANISM = ENOENT, BAD_DESCRIPTOR = EBADF, BAD_ARGUMENT = EINVAL };
#endif

/* Best first, and their names in the same order. */
static const plx_mechanism *const mechanisms[] = {
#ifdef PLX_HAVE_EPOLL
    &plx_epoll,
#endif
#ifdef PLX_HAVE_KQUEUE
    &plx_kqueue,
#endif
#ifdef PLX_HAVE_DEVPOLL
    &plx_devpoll,
#endif
#ifdef PLX_HAVE_WEPOLL
    &plx_wepoll,
#endif
#ifdef PLX_HAVE_POLL
    &plx_poll,
#endif
};

static const char names[] = ""
#ifdef PLX_HAVE_EPOLL
                            ",epoll"
#endif
#ifdef PLX_HAVE_KQUEUE
                            ",kqueue"
#endif
#ifdef PLX_HAVE_DEVPOLL
                            ",/dev/poll"
#endif
#ifdef PLX_HAVE_WEPOLL
                            ",wepoll"
#endif
#ifdef PLX_HAVE_POLL
                            ",poll"
#endif
    ;

const char *plx_mechanisms(void)
{
    return names + 1;
}

int plx_open(const char *mechanism, plx_set **set)
{
    *set = NULL;
    for (size_t i = 0; i < sizeof mechanisms / sizeof *mechanisms; i++) {
        if (mechanism == NULL || strcmp(mechanism, mechanisms[i]->name) == 0) {
            int code = mechanisms[i]->open(set);
            if (code == 0 && (*set)->mechanism == NULL)
                (*set)->mechanism = mechanisms[i];
            return code;
        }
    }
    return -NO_SUCH_MECHANISM;
}

const char *plx_name(const plx_set *set)
{
    return set->mechanism->name;
}

const char *plx_features(const plx_set *set)
{
    return set->mechanism->features(set);
}

const char *plx_update_call(const plx_set *set)
{
    return set->mechanism->update_call;
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
    return set->mechanism->handle(set);
}

int plx_update(plx_set *set, const plx_change *changes, int n, plx_event *failed)
{
    int refused = 0;
    for (int i = 0; i < n; i++) {
        const plx_change *c = &changes[i];
        int code = c->fd >= 0 ? set->mechanism->change(set, c) : c->want == 0 ? 0 : -BAD_DESCRIPTOR;
        if (code < 0)
            failed[refused++] = (plx_event){ c->fd, c->gen, PLX_FAILED, -code };
    }
    return refused;
}

int plx_await(plx_set *set, plx_event *events, int cap, int64_t ns)
{
    if (cap < 1)
        return -BAD_ARGUMENT;
    return set->mechanism->await(set, events, cap, ns);
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
