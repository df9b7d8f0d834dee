/* SPDX-License-Identifier: Apache-2.0
 *
 * filter.c: filter deny|allow <call...> -- <command...> runs a command that may make all system calls but these, or
 * these alone. What it may not make fails with EPERM, as in a container. Two calls are special, as there: clone3 fails
 * with ENOSYS if it is denied, so that the C library takes clone; and if clone is denied, it is so for new namespaces
 * alone. Names that this processor does not know are passed over. calls.h has the others: CALL(read) CALL(write) ...
 */
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { LONGEST = 2048, LOW_WORD = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ ? 4 : 0 };

/* CLONE_NEWTIME is no flag of clone. */
enum {
    NAMESPACES = CLONE_NEWNS | CLONE_NEWCGROUP | CLONE_NEWUTS | CLONE_NEWIPC | CLONE_NEWUSER | CLONE_NEWPID
        | CLONE_NEWNET
};

static const struct {
    const char *name;
    long number;
} known[] = {
#define CALL(name) { #name, SYS_##name },
#include "calls.h"
};

static struct sock_filter code[LONGEST];
static unsigned short length;

static void add(struct sock_filter instruction)
{
    if (length < LONGEST)
        code[length++] = instruction;
}

static void answer_equal(uint32_t number, uint32_t answer)
{
    add((struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, number, 0, 1));
    add((struct sock_filter)BPF_STMT(BPF_RET | BPF_K, answer));
}

static void refuse_namespaces(void)
{
    add((struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_clone, 0, 4));
    add((struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args) + LOW_WORD));
    add((struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, NAMESPACES, 0, 1));
    add((struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM));
    add((struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW));
}

static void add_call(const char *name, int allow)
{
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        if (strcmp(name, known[i].name) != 0)
            continue;
        if (allow)
            answer_equal((uint32_t)known[i].number, SECCOMP_RET_ALLOW);
        else if (known[i].number == SYS_clone)
            refuse_namespaces();
        else
            answer_equal((uint32_t)known[i].number,
                SECCOMP_RET_ERRNO | (known[i].number == SYS_clone3 ? ENOSYS : EPERM));
    }
}

static int install(void)
{
    struct sock_fprog program = { length, code };
    if (length == LONGEST) {
        errno = E2BIG;
        return -1;
    }
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0)
        return -1;
    return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}

int main(int argc, char **argv)
{
    int allow = argc > 1 && strcmp(argv[1], "allow") == 0;
    int i = 2;
    if (argc < 2 || (!allow && strcmp(argv[1], "deny") != 0)) {
        fputs("usage: filter deny|allow call... -- command...\n", stderr);
        return 2;
    }
    add((struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)));
    for (; i < argc && strcmp(argv[i], "--") != 0; i++)
        add_call(argv[i], allow);
    add((struct sock_filter)BPF_STMT(BPF_RET | BPF_K, allow ? SECCOMP_RET_ERRNO | EPERM : SECCOMP_RET_ALLOW));
    if (i + 1 >= argc) {
        fputs("filter: no command\n", stderr);
        return 2;
    }
    if (install() != 0) {
        perror("filter: seccomp");
        return 1;
    }
    execvp(argv[i + 1], argv + i + 1);
    perror(argv[i + 1]);
    return 1;
}
