/* SPDX-License-Identifier: Apache-2.0 */
/* common.h: what the programs here share. Included once by each, after _GNU_SOURCE. */
#include <err.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <time.h>

/* Ends the program with the error of the call that failed. */
static inline void require(int ok, const char *what)
{
    if (!ok)
        err(1, "%s", what);
}

static inline double nanos(clockid_t clock)
{
    struct timespec t;
    require(clock_gettime(clock, &t) == 0, "clock_gettime");
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

/* For qsort, of doubles. */
static inline int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Listens at any port of the loopback address, and leaves both in `address`. */
static inline int listener(struct sockaddr_in *address, int backlog)
{
    socklen_t length = sizeof *address;
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    *address = (struct sockaddr_in){ .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
    require(fd >= 0 && bind(fd, (struct sockaddr *)address, length) == 0 && listen(fd, backlog) == 0 &&
            getsockname(fd, (struct sockaddr *)address, &length) == 0, "listen");
    return fd;
}

static inline int connect_to(const struct sockaddr_in *address)
{
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    require(fd >= 0 && connect(fd, (const struct sockaddr *)address, sizeof *address) == 0, "connect");
    return fd;
}

/* As many open files as we may have. */
static inline void raise_limit(void)
{
    struct rlimit files;
    getrlimit(RLIMIT_NOFILE, &files);
    files.rlim_cur = files.rlim_max;
    setrlimit(RLIMIT_NOFILE, &files);
}
