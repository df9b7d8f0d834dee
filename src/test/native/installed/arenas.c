/* SPDX-License-Identifier: Apache-2.0
 * Prints the mechanisms that an arena runs on here: io_uring may be refused.
 */
#include <pollux/arena.h>
#include <stdio.h>
#include <string.h>
int main(void)
{
    char names[256], *name;
    plx_arena *arena;
    strcpy(names, plx_arena_mechanisms());
    for (name = strtok(names, ","); name != NULL; name = strtok(NULL, ",")) {
        if (plx_arena_open(name, NULL, &arena) == 0)
            puts(name);
        plx_arena_close(arena);
    }
    return 0;
}
