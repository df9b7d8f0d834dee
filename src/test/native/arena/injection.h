/* SPDX-License-Identifier: Apache-2.0
 *
 * injection.h: transfers of the arena that fail or come short, though the sockets are well. Of plain system calls the
 * linker's --wrap interferes; of io_uring's requests, who looks at the rings before and after io_uring_enter(2). The
 * test's own transfers are left alone: only what happens in turn() of rig.h is concerned.
 */
#ifndef INJECTION_H
#define INJECTION_H

#include "rig.h"

typedef enum {
    FAULT_ACCEPT,
    FAULT_RECEIVE, /* on io_uring: the next request to receive, which brings all that follows */
    FAULT_SEND,
    FAULT_ENTER, /* io_uring_enter(2); this and what follows also outside of a turn */
    FAULT_SETUP, /* io_uring_setup(2) */
    FAULT_REGISTER, /* io_uring_register(2) */
    FAULT_WATCH, /* epoll_ctl(2) of the mechanism */
    FAULT_KINDS
} fault_kind;

/* So many of the next ones fail with that error. */
void fail_next(rig *r, fault_kind kind, int count, int error);
/* Each send takes no more than so many bytes, for so many of them. */
void shorten_sends(rig *r, int count, size_t most);
/* The next one takes no more than so many bytes, and the one after that fails. */
void shorten_and_fail(rig *r, size_t most, int error);
/* So many are still to fail. */
int faults_left(fault_kind kind);
/* What /proc/sys/kernel/io_uring_disabled says, NULL: what it says. */
void set_uring_disabled(const char *text);
/* Ends all that. */
void no_faults(void);

/* Called by rig.c around a turn. */
void faults_begin(void);
void faults_end(void);

#endif
