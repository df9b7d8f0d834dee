/* SPDX-License-Identifier: Apache-2.0
 *
 * checks.h: what check.c and check_arena.c share: expectations, and a main function's loop over the tests, which prints
 * what failed, and last "N passed, N failed".
 */
#ifndef CHECKS_H
#define CHECKS_H

#include <winsock2.h>
#include <ws2tcpip.h>

#include <stdio.h>

#define EXPECT(what) expect(what, #what, __LINE__)

static int wrong; /* expectations of the running test that did not hold */

typedef struct {
    const char *name;
    void (*run)(void);
} check;

static void expect(int holds, const char *what, int line)
{
    if (!holds) {
        wrong++;
        printf("line %d: not so: %s\n", line, what);
    }
}

/* main's result. */
static int run_checks(const check *tests, int count)
{
    int failed = 0;
    WSADATA data;
    WSAStartup(MAKEWORD(2, 2), &data);
    for (int i = 0; i < count; i++) {
        wrong = 0;
        tests[i].run();
        printf("%s: %s\n", wrong == 0 ? "ok" : "FAILED", tests[i].name);
        fflush(stdout);
        failed += wrong != 0;
    }
    printf("%d passed, %d failed\n", count - failed, failed);
    return failed != 0;
}

#endif
