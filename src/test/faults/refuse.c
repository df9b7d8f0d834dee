/* SPDX-License-Identifier: Apache-2.0
 *
 * refuse.c: refuse <errno> <command...> runs a command whose epoll_ctl(EPOLL_CTL_ADD) fails for one descriptor in a
 * hundred: 199, 299 ... Lower ones are of the program itself, a selector's own among them. It fails every time, so a
 * second attempt or a new epoll instance does not help. seccomp(2) does it, so there is no tracer that slows the
 * command down.
 */
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { EVERY = 100, LOW_WORD = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ ? 4 : 0 };

#define ARGUMENT(n) (offsetof(struct seccomp_data, args) + (n) * sizeof(uint64_t) + LOW_WORD)

static int number(const char *name)
{
    static const struct {
        const char *name;
        int number;
    } known[] = { { "ENOSPC", ENOSPC }, { "ENOMEM", ENOMEM }, { "EPERM", EPERM } };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (strcmp(name, known[i].name) == 0)
            return known[i].number;
    return 0;
}

/* Filters have no remainder: it is fd - fd / EVERY * EVERY. */
static int install(uint32_t error)
{
    struct sock_filter code[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_epoll_ctl, 0, 12),
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, ARGUMENT(1)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, EPOLL_CTL_ADD, 0, 10),
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, ARGUMENT(2)),
        BPF_STMT(BPF_ST, 0),
        BPF_STMT(BPF_ALU | BPF_DIV | BPF_K, EVERY),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 0, 6, 0),
        BPF_STMT(BPF_ALU | BPF_MUL | BPF_K, EVERY),
        BPF_STMT(BPF_MISC | BPF_TAX, 0),
        BPF_STMT(BPF_LD | BPF_MEM, 0),
        BPF_STMT(BPF_ALU | BPF_SUB | BPF_X, 0),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, EVERY - 1, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | error),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog program = { sizeof code / sizeof *code, code };
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0)
        return -1;
    return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}

int main(int argc, char **argv)
{
    int error = argc < 3 ? 0 : number(argv[1]);
    if (error == 0) {
        fputs("usage: refuse ENOSPC|ENOMEM|EPERM command...\n", stderr);
        return 2;
    }
    if (install((uint32_t)error) != 0) {
        perror("refuse: seccomp");
        return 1;
    }
    execvp(argv[2], argv + 2);
    perror(argv[2]);
    return 1;
}
