#include "ghosts.h"

#include <string.h>

void ghosts_find(const row_t closed[DRIVES], row_t corners[DRIVES])
{
    memset(corners, 0, sizeof(row_t) * DRIVES);
    for (uint8_t upper = 0; upper + 1 < DRIVES; upper++) {
        if (!closed[upper])
            continue;
        for (uint8_t lower = (uint8_t)(upper + 1); lower < DRIVES; lower++) {
            row_t common = closed[upper] & closed[lower];
            if (common & (row_t)(common - 1)) { /* two or more senses in common */
                corners[upper] |= common;
                corners[lower] |= common;
            }
        }
    }
}
