/* SPDX-License-Identifier: Apache-2.0
 *
 * children.c: see children.h.
 */
#include "children.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/lsan_interface.h>

/* Each child looks for leaks by itself. */
const char *__lsan_default_options(void);
const char *__lsan_default_options(void)
{
    return "leak_check_at_exit=0";
}
#endif

enum { AT_ONCE = 8, SECONDS_OF_ONE = 40, MAX_TOLD = 20 };

static struct {
    pid_t pid;
    char title[160];
} running[AT_ONCE];
static int running_count, failed;

static report *last_report(void)
{
    static report *shared;
    if (shared == NULL)
        shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    assert_true(shared != MAP_FAILED);
    return shared;
}

static void tell(report *r)
{
    for (int k = 0; k < CALLS; k++)
        r->calls[k] = calls_of(k);
    r->faults_met = faults_met();
    r->allocation_failed = allocation_failed();
}

static _Noreturn void be_child(void (*body)(const void *), const void *argument, report *r)
{
    setenv("CMOCKA_TEST_ABORT", "1", 1);
    alarm(SECONDS_OF_ONE);
    be_test_thread();
    body(argument);
    tell(r);
#ifdef __SANITIZE_ADDRESS__
    fail_allocation(0);
    lift_faults();
    if (__lsan_do_recoverable_leak_check() != 0)
        _exit(2);
#endif
    fflush(NULL);
    _exit(0);
}

static void reap_one(void)
{
    int status, i = 0;
    pid_t pid = waitpid(-1, &status, 0);
    while (i < running_count && running[i].pid != pid)
        i++;
    if (i == running_count)
        return;
    if (status != 0 && ++failed <= MAX_TOLD)
        fprintf(stderr, "failed (%#x): %s\n", (unsigned)status, running[i].title);
    running[i] = running[--running_count];
}

static void start(const char *title, void (*body)(const void *), const void *argument, size_t size, report *r)
{
    char copy[256];
    report ignored;
    assert_true(size <= sizeof copy);
    memcpy(copy, argument, size);
    while (running_count == AT_ONCE)
        reap_one();
    fflush(NULL);
    pid_t pid = fork();
    assert_true(pid >= 0);
    if (pid == 0)
        be_child(body, copy, r == NULL ? &ignored : r);
    running[running_count].pid = pid;
    snprintf(running[running_count++].title, sizeof running->title, "%s", title);
}

void start_child(const char *title, void (*body)(const void *), const void *argument, size_t size)
{
    start(title, body, argument, size, NULL);
}

void await_children(void)
{
    while (running_count > 0)
        reap_one();
}

void finish_children(void)
{
    await_children();
    int all = failed;
    failed = 0;
    assert_int_equal(all, 0);
}

report run_child(const char *title, void (*body)(const void *), const void *argument, size_t size)
{
    report *r = last_report();
    memset(r, 0, sizeof *r);
    start(title, body, argument, size, r);
    await_children();
    return *r;
}

static void call_body(const void *argument)
{
    void (*body)(void);
    memcpy(&body, argument, sizeof body);
    body();
}

void run_alone(const char *title, void (*body)(void))
{
    run_child(title, call_body, &body, sizeof body);
    finish_children();
}
