#include "ghosts.h"

#include <string.h>

void ghosts_find(const row_t closed[MAX_DRIVES], uint8_t drives, row_t corners[MAX_DRIVES])
{
    memset(corners, 0, sizeof(row_t) * MAX_DRIVES);
    for (uint8_t upper = 0; upper + 1 < drives; upper++) {
        if (!closed[upper])
            continue;
        for (uint8_t lower = (uint8_t)(upper + 1); lower < drives; lower++) {
            row_t common = closed[upper] & closed[lower];
            if (common & (row_t)(common - 1)) { /* two or more senses in common */
                corners[upper] |= common;
                corners[lower] |= common;
            }
        }
    }
}
