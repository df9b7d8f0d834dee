/* SPDX-License-Identifier: Apache-2.0
 *
 * devpoll_device.h: what an emulated /dev/poll holds, shared by the files of the emulation.
 */
#ifndef DEVPOLL_DEVICE_H
#define DEVPOLL_DEVICE_H

#include "devpoll_emulation.h"

#include <pthread.h>
#include <sys/devpoll.h>
#include <sys/types.h>

/* known: the descriptor was open when it was written; without that nothing is polled, and a removal does nothing. */
typedef struct {
    short events;
    bool known;
} devpoll_interest;

typedef struct {
    pthread_mutex_t lock;
    pthread_cond_t left;
    pid_t owner;
    int inside; /* threads in DP_POLL */
    devpoll_interest *table;
    int room; /* of table */
    int next; /* where the next scan starts */
} devpoll_device;

/* All as ioctl(2) and getrlimit(2) have it: the result, or -1 and errno. */
int devpoll_poll(devpoll_device *d, int fd, struct dvpoll wait);
int devpoll_is_polled(devpoll_device *d, struct pollfd *asked);
size_t devpoll_most_files(void);

#endif
