/* SPDX-License-Identifier: Apache-2.0
 *
 * refuse.h: what refuse.c and refuse_calls.c share. Each runs a command some of whose system calls fail with an error.
 * seccomp(2) does it, so there is no tracer that slows the command down.
 */
#ifndef REFUSE_H
#define REFUSE_H

#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Errors that a kernel or a sandbox gives; 0 for another name. */
static uint32_t error_of(const char *name)
{
    static const struct {
        const char *name;
        uint32_t number;
    } known[] = { { "ENOSPC", ENOSPC }, { "ENOMEM", ENOMEM }, { "EPERM", EPERM }, { "ENOSYS", ENOSYS } };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (strcmp(name, known[i].name) == 0)
            return known[i].number;
    return 0;
}

/* Returns only if that fails: what main is to return. */
static int run_filtered(struct sock_filter *code, unsigned short length, char **command)
{
    struct sock_fprog program = { length, code };
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0) {
        perror("seccomp");
        return 1;
    }
    execvp(command[0], command);
    perror(command[0]);
    return 1;
}

#endif
