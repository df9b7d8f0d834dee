/* SPDX-License-Identifier: Apache-2.0
 * An echo server: echo PORT [MECHANISM], until SIGTERM. A client that does not read what it gets is not read from.
 * To compile it: cc -std=c11 echo.c $(pkg-config --cflags --libs pollux) -o echo
 */
#include <err.h>
#include <errno.h>
#include <netinet/in.h>
#include <pollux.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

static plx_set *set;
static void end(int signal) { (void)signal, plx_wakeup(set); }

static int check(const char *call, int result) /* >= 0 or -code */
{
    if (result < 0 && result != -EINTR)
        errx(1, "%s: %s", call, plx_strerror(-result, (char[256]){ 0 }, 256));
    return result;
}

static void watch(int fd, uint32_t had, uint32_t want) /* gen comes back with the events: here it is what we wanted */
{
    plx_event failed = { 0 };
    plx_update(set, &(plx_change){ .fd = fd, .gen = want, .had = had, .want = want }, 1, &failed);
    check(plx_update_call(set), -failed.error);
}

static void echo(int fd, uint32_t had)
{
    char bytes[8192];
    ssize_t n = recv(fd, bytes, sizeof bytes, MSG_PEEK | MSG_DONTWAIT);
    ssize_t sent = n > 0 ? send(fd, bytes, (size_t)n, MSG_NOSIGNAL | MSG_DONTWAIT) : n;
    if (sent > 0)
        recv(fd, bytes, (size_t)sent, 0); /* the kernel keeps the rest */
    else if (n == 0 || errno != EAGAIN)
        watch(fd, had, 0), close(fd);
    else
        watch(fd, had, n > 0 ? PLX_OUT : PLX_IN); /* nothing goes out now, or nothing more came in */
}

int main(int argc, char **argv)
{
    int n, listener = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
    struct sockaddr_in a = { .sin_family = AF_INET, .sin_port = htons((uint16_t)atoi(argc > 1 ? argv[1] : "7")) };
    plx_event e[64];
    check("bind, listen", bind(listener, (struct sockaddr *)&a, sizeof a) < 0 || listen(listener, 128) < 0 ? -errno : 0);
    check("plx_open", plx_open(argc > 2 ? argv[2] : NULL, &set));
    watch(listener, 0, PLX_IN);
    signal(SIGTERM, end);
    while ((n = check(plx_await_call(set), plx_await(set, e, 64, -1))) >= -EINTR)
        for (int i = 0; i < n; i++)
            if (check(plx_update_call(set), -e[i].error) == 0 && e[i].fd == PLX_WAKE)
                return plx_close(set), 0;
            else if (e[i].fd != listener)
                echo(e[i].fd, e[i].gen);
            else if ((e[i].fd = accept(listener, NULL, NULL)) >= 0)
                watch(e[i].fd, 0, PLX_IN);
}
