/* SPDX-License-Identifier: Apache-2.0
 * An echo server on an arena: batches PORT [MECHANISM], until SIGTERM. What came is sent from where it lies, and all
 * clients of a batch cost one call. A client that does not read what it gets is not read from.
 * To compile it: cc -std=c11 batches.c $(pkg-config --cflags --libs pollux) -o batches
 */
#include <pollux/arena.h>
#include <err.h>
#include <errno.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdlib.h>

static plx_arena *arena;
static void end(int signal) { (void)signal, plx_arena_wakeup(arena); }

static int64_t check(const char *call, int64_t result) /* >= 0 or -code */
{
    if (result < 0 && result != -EINTR)
        errx(1, "%s: %s", call, plx_strerror((int)-result, (char[256]){ 0 }, 256));
    return result;
}

int main(int argc, char **argv)
{
    struct sockaddr_in a = { .sin_family = AF_INET, .sin_port = htons((uint16_t)atoi(argc > 1 ? argv[1] : "7")) };
    int fd = socket(AF_INET, SOCK_STREAM, 0), orders = 0;
    plx_arena_view v;
    check("bind", bind(fd, (struct sockaddr *)&a, sizeof a) < 0 || listen(fd, 128) < 0 ? -errno : 0);
    check("plx_arena_open", plx_arena_open(argc > 2 ? argv[2] : NULL, NULL, &arena));
    plx_arena_map(arena, &v);
    const uint64_t listener = (uint64_t)check("plx_arena_listen", plx_arena_listen(arena, fd));
    signal(SIGTERM, end);
    for (;;) {
        int64_t n = check("plx_arena_turn", plx_arena_turn(arena, orders, -1));
        orders = 0;
        for (int64_t i = 0; i < n; i++) {
            plx_order order = { v.arrivals[i].connection, v.arrivals[i].address, v.arrivals[i].length, 0 };
            switch (v.arrivals[i].what) {
            case PLX_ARRIVAL_WAKEUP:
                return plx_arena_close(arena), 0;
            case PLX_ARRIVAL_DATA:
                order.what = PLX_ORDER_SEND;
                break;
            case PLX_ARRIVAL_END: /* after all data: what is still to be sent goes out first */
            case PLX_ARRIVAL_ERROR:
                order.what = order.connection == listener ? 0 : PLX_ORDER_CLOSE;
                break;
            case PLX_ARRIVAL_CLOSED: /* there is a descriptor again, if the listener paused for lack of one */
                order = (plx_order){ listener, 0, 0, PLX_ORDER_RESUME };
            }
            v.orders[orders++] = order;
        }
    }
}
