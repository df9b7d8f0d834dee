/* SPDX-License-Identifier: Apache-2.0
 *
 * test_strerror.c: errors in words.
 */
#include "support.h"

#include <errno.h>
#include <limits.h>
#include <locale.h>
#include <stdio.h>
#include <string.h>

static void meaning_name_and_advice(plx_set *set)
{
    char text[256];
    (void)set;
    assert_ptr_equal(plx_strerror(EMFILE, text, sizeof text), text);
    assert_non_null(strstr(text, strerror(EMFILE))); /* each C library has its own words */
    assert_non_null(strstr(text, "EMFILE"));
    assert_non_null(strstr(text, "ulimit -n"));
    assert_non_null(strstr(plx_strerror(ENOSPC, text, sizeof text), "max_user_watches"));
    assert_non_null(strstr(plx_strerror(EACCES, text, sizeof text), "after a fork /dev/poll must be opened again"));
    assert_non_null(strstr(plx_strerror(ENOMEM, text, sizeof text), "ulimit -l")); /* Linux */
    assert_non_null(strstr(plx_strerror(EBADF, text, sizeof text), "(EBADF)"));
}

static void an_unknown_mechanism_is_told_which_there_are(plx_set *set)
{
    char text[256], names[256], *rest = names;
    assert_int_equal(plx_open("telepathy", &set), -ENODEV);
    plx_strerror(ENODEV, text, sizeof text);
    snprintf(names, sizeof names, "%s", plx_mechanisms());
    for (char *name; (name = strtok_r(rest, ",", &rest)) != NULL;)
        assert_non_null(strstr(text, name));
    assert_non_null(strstr(text, "and no others"));
}

static void an_unknown_code_is_its_number(plx_set *set)
{
    static const int codes[] = { 0, 4711, INT_MAX, INT_MIN, -1 };
    char text[256], number[16];
    (void)set;
    for (size_t i = 0; i < sizeof codes / sizeof *codes; i++) {
        snprintf(number, sizeof number, "%d", codes[i]);
        assert_non_null(strstr(plx_strerror(codes[i], text, sizeof text), number));
    }
}

static void text_is_cut_to_its_room(plx_set *set)
{
    char whole[256], cut[256];
    (void)set;
    plx_strerror(EMFILE, whole, sizeof whole);
    for (size_t size = 1; size < 100; size++) {
        memset(cut, 0x55, sizeof cut);
        assert_ptr_equal(plx_strerror(EMFILE, cut, size), cut);
        assert_true(strlen(cut) < size);
        assert_memory_equal(cut, whole, strlen(cut));
        assert_int_equal(cut[size], 0x55);
    }
    cut[0] = 0x55;
    plx_strerror(EMFILE, cut, 0);
    assert_int_equal(cut[0], 0x55);
}

/* Needs one of the locales and its translations: Debian's locales and libc-l10n. */
static void the_language_does_not_matter(plx_set *set)
{
    static const char *const languages[] = { "de_DE.UTF-8", "de_DE.ISO-8859-1", "fr_FR.UTF-8", "es_ES.UTF-8" };
    char plain[256], text[256];
    bool translated = false;
    (void)set;
    plx_strerror(EINVAL, plain, sizeof plain);
    for (size_t i = 0; i < sizeof languages / sizeof *languages; i++) {
        if (setlocale(LC_ALL, languages[i]) == NULL)
            continue;
        translated |= strcmp(strerror(EINVAL), "Invalid argument") != 0;
        plx_strerror(EINVAL, text, sizeof text);
        setlocale(LC_ALL, "C");
        assert_string_equal(text, plain);
    }
    if (!translated)
        skip_this("no translated locale here");
}

static const plx_test strerror_tests[] = {
    { "an error comes with its meaning, its name and advice", meaning_name_and_advice, 0 },
    { "an unknown mechanism is told which there are", an_unknown_mechanism_is_told_which_there_are, 0 },
    { "an error without a name comes with its number", an_unknown_code_is_its_number, 0 },
    { "the text does not depend on the language", the_language_does_not_matter, 0 },
    { "the text is cut to its room", text_is_cut_to_its_room, 0 },
};
const plx_suite strerror_suite = SUITE(strerror_tests);
