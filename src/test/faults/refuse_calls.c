/* SPDX-License-Identifier: Apache-2.0
 *
 * refuse_calls.c: refuse_calls <errno> <call,...> <command...> runs a command whose system calls of these names fail
 * with that error, as in a sandbox. seccomp(2) does it.
 */
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

static const struct {
    const char *name;
    uint32_t number;
} known[] = {
    { "epoll_pwait2", SYS_epoll_pwait2 },     { "eventfd2", SYS_eventfd2 }, { "io_uring_setup", SYS_io_uring_setup },
    { "io_uring_enter", SYS_io_uring_enter }, { "ppoll", SYS_ppoll },       { "sendto", SYS_sendto },
};
enum { KNOWN = sizeof known / sizeof *known };

static int error_of(const char *name)
{
    return strcmp(name, "EPERM") == 0 ? EPERM : strcmp(name, "ENOSYS") == 0 ? ENOSYS : 0;
}

static int install(char *names, uint32_t error)
{
    struct sock_filter code[2 * KNOWN + 2] = { BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)) };
    unsigned short length = 1;
    for (char *name = strtok(names, ","); name != NULL; name = strtok(NULL, ",")) {
        for (size_t i = 0; i < KNOWN && length < 2 * KNOWN; i++) {
            if (strcmp(known[i].name, name) != 0)
                continue;
            code[length++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, known[i].number, 0, 1);
            code[length++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | error);
        }
    }
    code[length++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
    struct sock_fprog program = { length, code };
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0)
        return -1;
    return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}

int main(int argc, char **argv)
{
    int error = argc < 4 ? 0 : error_of(argv[1]);
    if (error == 0) {
        fputs("usage: refuse_calls EPERM|ENOSYS call,... command...\n", stderr);
        return 2;
    }
    if (install(argv[2], (uint32_t)error) != 0) {
        perror("refuse_calls: seccomp");
        return 1;
    }
    execvp(argv[3], argv + 3);
    perror(argv[3]);
    return 1;
}
