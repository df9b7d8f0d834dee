/* SPDX-License-Identifier: Apache-2.0
 *
 * main_faults.c: the batch where system calls fail, and its states one by one. ./batch-faults [word]: only the tests
 * whose names contain the word.
 */
#include "suites.h"

#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static int skipped;

void skip_this(const char *reason)
{
    printf("%s\n", reason);
    skipped++;
    skip();
}

/* Asked in a child: the answer is kept, and opens a descriptor. */
static bool has_obstacle(void)
{
    int status = 0;
    pid_t pid = fork();
    if (pid == 0) {
        const char *obstacle = plx_batch_obstacle();
        if (obstacle != NULL)
            printf("%s\n", obstacle);
        fflush(NULL);
        _exit(obstacle != NULL);
    }
    waitpid(pid, &status, 0);
    return status != 0;
}

int main(int argc, char **argv)
{
    static const struct CMUnitTest *const suites[] = { case_tests, owed_tests, flusher_tests, turn_tests, fault_tests };
    struct CMUnitTest tests[64] = { 0 };
    size_t count = 0;
    setvbuf(stdout, NULL, _IOLBF, 0);
    for (size_t s = 0; s < sizeof suites / sizeof *suites; s++)
        for (const struct CMUnitTest *t = suites[s]; t->name != NULL; t++)
            if (argc < 2 || strstr(t->name, argv[1]) != NULL)
                tests[count++] = *t;
    if (has_obstacle()) {
        printf("0 passed, 0 failed, %zu skipped\n", count);
        return 0;
    }
    int failed = _cmocka_run_group_tests("batch, with faults", tests, count, NULL, NULL);
    printf("%d passed, %d failed, %d skipped\n", (int)count - failed - skipped, failed, skipped);
    return failed != 0;
}
