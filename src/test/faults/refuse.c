/* SPDX-License-Identifier: Apache-2.0
 *
 * refuse.c: refuse <errno> <command...> runs a command whose epoll_ctl(EPOLL_CTL_ADD) fails for one descriptor in a
 * hundred: 199, 299 ... Lower ones are of the program itself, a selector's own among them. It fails every time, so a
 * second attempt or a new epoll instance does not help.
 */
#include "refuse.h"

#include <sys/epoll.h>

enum { EVERY = 100, LOW_WORD = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ ? 4 : 0 };

#define ARGUMENT(n) (offsetof(struct seccomp_data, args) + (n) * sizeof(uint64_t) + LOW_WORD)

/* Filters have no remainder: it is fd - fd / EVERY * EVERY. */
int main(int argc, char **argv)
{
    uint32_t error = argc < 3 ? 0 : error_of(argv[1]);
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
    if (error == 0) {
        fputs("usage: refuse ENOSPC|ENOMEM|EPERM|ENOSYS command...\n", stderr);
        return 2;
    }
    return run_filtered(code, sizeof code / sizeof *code, argv + 2);
}
