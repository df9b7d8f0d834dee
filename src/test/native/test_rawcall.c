/* SPDX-License-Identifier: Apache-2.0
 *
 * test_rawcall.c: which words of a kernel mean that returns after a system call are mispredicted. The words are those
 * of srso_strings, in arch/x86/kernel/cpu/bugs.c of Linux 6.5 to 6.18.
 */
#include "support.h"

#ifdef __linux__
#include "system/rawcall.h"

static void words_of_safe_ret(plx_set *set)
{
    static const char *const words[] = { "Mitigation: Safe RET", "Mitigation: safe RET",
                                         "Mitigation: safe RET, no microcode", "Vulnerable: Safe RET, no microcode" };
    (void)set;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (!plx_says_safe_ret(words[i]))
            fail_msg("\"%s\" should mean Safe RET", words[i]);
}

static void words_of_something_else(plx_set *set)
{
    static const char *const words[] = { "Vulnerable: Microcode, no safe RET",
                                         "Mitigation: IBPB",
                                         "Mitigation: IBPB on VMEXIT only",
                                         "Mitigation: SMT disabled",
                                         "Mitigation: Reduced Speculation",
                                         "Vulnerable: No microcode",
                                         "Not affected",
                                         "Vulnerable",
                                         "" };
    (void)set;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (plx_says_safe_ret(words[i]))
            fail_msg("\"%s\" should not mean Safe RET", words[i]);
}

static void a_reason_is_given(plx_set *set)
{
    (void)set;
    errno = 4711;
    plx_syscall_setup();
    assert_int_equal(errno, 4711);
    assert_string_not_equal(plx_returns_evidence(), "");
    assert_string_not_equal(plx_returns_evidence(), "not looked for yet");
}

/* Depth of calls after a covered one: its returns must come to the right places, with every register kept. */
static __attribute__((noinline)) long sum_after_a_call(int depth)
{
    long below = depth > 0 ? sum_after_a_call(depth - 1) : plx_syscall(SYS_getpid, 0, 0, 0, 0, 0, 0) - getpid();
    return below + depth;
}

static void covered_calls_return_as_others(plx_set *set)
{
    bool spoilt = plx_returns_spoilt;
    (void)set;
    if (!plx_returns_assume_spoilt())
        skip_this("returns can't be covered here");
    for (int depth = 0; depth < 100; depth++)
        assert_int_equal(sum_after_a_call(depth), depth * (depth + 1) / 2);
    errno = 4711;
    assert_int_equal(plx_syscall(SYS_close, -1, 0, 0, 0, 0, 0), -EBADF);
    assert_int_equal(errno, 4711);
    plx_returns_spoilt = spoilt;
}

static const plx_test rawcall_tests[] = {
    { "a kernel with the mitigation Safe RET is recognised by its words", words_of_safe_ret, 0 },
    { "other words about the return stack mean something else", words_of_something_else, 0 },
    { "it is said why returns are covered or not, and errno is kept", a_reason_is_given, 0 },
    { "covered calls give their result to any depth of callers", covered_calls_return_as_others, 0 },
};
const plx_suite rawcall_suite = SUITE(rawcall_tests);
#else
const plx_suite rawcall_suite = { NULL, 0 };
#endif
