/* SPDX-License-Identifier: Apache-2.0
 * An echo server: echo PORT [MECHANISM], until SIGTERM. A client that does not read what it gets is not read from.
 * To compile it: cc -std=c11 echo.c $(pkg-config --cflags --libs pollux) -o echo
 */
#include <err.h>
#include <errno.h>
#include <netinet/in.h>
#include <pollux/pollux.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

static plx_set *set; /* the cookie of a descriptor is its number */
static int listener;
static void end(int signal) { (void)signal, plx_wakeup(set); }

static int check(const char *call, int result) /* >= 0 or -code */
{
    if (result < 0 && result != -EINTR)
        errx(1, "%s: %s", call, plx_strerror(-result, (char[256]){ 0 }, 256));
    return result;
}

static void echo(int fd)
{
    char bytes[8192];
    ssize_t n = recv(fd, bytes, sizeof bytes, MSG_PEEK | MSG_DONTWAIT);
    ssize_t sent = n > 0 ? send(fd, bytes, (size_t)n, MSG_NOSIGNAL | MSG_DONTWAIT) : n;
    if (sent > 0)
        recv(fd, bytes, (size_t)sent, 0); /* the kernel keeps the rest */
    else if (n == 0 || errno != EAGAIN || plx_modify(set, fd, n > 0 ? PLX_OUT : PLX_IN, (unsigned)fd) < 0) {
        plx_remove(set, fd), close(fd);
        check("plx_modify", plx_modify(set, listener, PLX_IN, (unsigned)listener));
    } /* else nothing goes out now, or nothing more came in */
}

int main(int argc, char **argv)
{
    struct sockaddr_in a = { .sin_family = AF_INET, .sin_port = htons((uint16_t)atoi(argc > 1 ? argv[1] : "7")) };
    plx_event e[64];
    listener = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
    check("bind", bind(listener, (struct sockaddr *)&a, sizeof a) < 0 || listen(listener, 128) < 0 ? -errno : 0);
    check("plx_open", plx_open(argc > 2 ? argv[2] : NULL, &set));
    check("plx_add", plx_add(set, listener, PLX_IN, (unsigned)listener));
    signal(SIGTERM, end);
    for (int n, fd; (n = check("plx_await", plx_await(set, e, 64, -1))) >= -EINTR;)
        for (int i = 0; i < n; i++)
            if (e[i].events & PLX_WAKEUP)
                return plx_close(set), 0;
            else if ((int)e[i].cookie != listener)
                echo((int)e[i].cookie);
            else if ((fd = accept(listener, NULL, NULL)) >= 0)
                check("plx_add", plx_add(set, fd, PLX_IN, (unsigned)fd));
            else if (errno == EMFILE || errno == ENFILE) /* until a client leaves */
                check("plx_modify", plx_modify(set, listener, 0, (unsigned)listener));
}
