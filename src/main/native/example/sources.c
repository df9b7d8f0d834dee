/* SPDX-License-Identifier: Apache-2.0
 * Three kinds of sources in one set, on Linux: sources PORT COMMAND [MECHANISM] runs a command, passes on what it
 * prints, and answers each datagram to the port with how long it has run and how much it has printed. A cookie is a
 * pointer to the program's own object, which knows what to do when it is ready.
 * To compile it: cc sources.c $(pkg-config --cflags --libs pollux) -o sources
 */
#include <err.h>
#include <errno.h>
#include <netinet/in.h>
#include <pollux/pollux.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/timerfd.h>
#include <unistd.h>

typedef struct source {
    void (*on_ready)(struct source *);
    int fd;
    uint64_t total; /* seconds, bytes, questions */
} source;

static void tick(source *timer)
{
    uint64_t seconds; /* more than one if this program was stopped */
    if (read(timer->fd, &seconds, sizeof seconds) == sizeof seconds)
        timer->total += seconds;
}

static void pass_on(source *output)
{
    char bytes[4096];
    ssize_t n = read(output->fd, bytes, sizeof bytes);
    if (n == 0)
        output->fd = -1; /* the command has ended */
    if (n > 0 && write(STDOUT_FILENO, bytes, (size_t)n) == n)
        output->total += (uint64_t)n;
}

static source timer = { .on_ready = tick }, output = { .on_ready = pass_on };

static void tell(source *socket)
{
    struct sockaddr_in from;
    socklen_t length = sizeof from;
    char text[80];
    if (recvfrom(socket->fd, text, sizeof text, MSG_DONTWAIT, (struct sockaddr *)&from, &length) < 0)
        return;
    int n = snprintf(text, sizeof text, "%ju s, %ju bytes, question %ju\n", timer.total, output.total, ++socket->total);
    sendto(socket->fd, text, (size_t)n, MSG_DONTWAIT, (struct sockaddr *)&from, length);
}

static int check(const char *call, int result) /* >= 0 or -code */
{
    if (result < 0 && result != -EINTR)
        errx(1, "%s: %s", call, plx_strerror(-result, (char[256]){ 0 }, 256));
    return result;
}

int main(int argc, char **argv)
{
    source question = { .on_ready = tell }, *all[] = { &timer, &output, &question };
    struct sockaddr_in a = { .sin_family = AF_INET, .sin_port = htons((uint16_t)atoi(argc > 1 ? argv[1] : "7")) };
    FILE *command = popen(argc > 2 ? argv[2] : "date", "r");
    plx_set *set;
    plx_event e[8];
    timer.fd = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK);
    timerfd_settime(timer.fd, 0, &(struct itimerspec){ { 1, 0 }, { 1, 0 } }, NULL);
    output.fd = command != NULL ? fileno(command) : -1;
    question.fd = socket(AF_INET, SOCK_DGRAM, 0);
    check("bind", bind(question.fd, (struct sockaddr *)&a, sizeof a) < 0 ? -errno : 0);
    check("plx_open", plx_open(argc > 3 ? argv[3] : NULL, &set));
    for (int i = 0; i < 3; i++)
        check("plx_add", plx_add(set, all[i]->fd, PLX_IN, (uintptr_t)all[i]));
    while (output.fd >= 0)
        for (int i = 0, n = check("plx_await", plx_await(set, e, 8, -1)); i < n; i++) {
            source *ready = (source *)(uintptr_t)e[i].cookie;
            ready->on_ready(ready);
        }
    return plx_close(set), pclose(command) != 0;
}
