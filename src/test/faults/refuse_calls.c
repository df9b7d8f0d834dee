/* SPDX-License-Identifier: Apache-2.0
 *
 * refuse_calls.c: refuse_calls <errno> <call,...> <command...> runs a command whose system calls of these names fail
 * with that error, as in a sandbox.
 */
#include "refuse.h"

static const struct {
    const char *name;
    uint32_t number;
} known[] = {
    { "epoll_pwait2", SYS_epoll_pwait2 },     { "eventfd2", SYS_eventfd2 }, { "io_uring_setup", SYS_io_uring_setup },
    { "io_uring_enter", SYS_io_uring_enter }, { "ppoll", SYS_ppoll },       { "sendto", SYS_sendto },
};
enum { KNOWN = sizeof known / sizeof *known };

/* Returns the length. */
static unsigned short write_filter(struct sock_filter *code, char *names, uint32_t error)
{
    unsigned short length = 0;
    code[length++] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr));
    for (char *name = strtok(names, ","); name != NULL; name = strtok(NULL, ",")) {
        for (size_t i = 0; i < KNOWN && length < 2 * KNOWN; i++) {
            if (strcmp(known[i].name, name) != 0)
                continue;
            code[length++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, known[i].number, 0, 1);
            code[length++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | error);
        }
    }
    code[length++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
    return length;
}

int main(int argc, char **argv)
{
    struct sock_filter code[2 * KNOWN + 2];
    uint32_t error = argc < 4 ? 0 : error_of(argv[1]);
    if (error == 0) {
        fputs("usage: refuse_calls ENOSPC|ENOMEM|EPERM|ENOSYS call,... command...\n", stderr);
        return 2;
    }
    return run_filtered(code, write_filter(code, argv[2], error), argv + 3);
}
