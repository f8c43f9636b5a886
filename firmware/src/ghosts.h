/* Which closed contacts may be ghosts: three closed corners of a rectangle make the fourth one look closed. */
#ifndef SCHARTEN_GHOSTS_H
#define SCHARTEN_GHOSTS_H

#include "size.h"

/* Sets in `corners` every contact that is the corner of a rectangle of closed contacts in `closed`. */
void ghosts_find(const row_t closed[MAX_DRIVES], uint8_t drives, row_t corners[MAX_DRIVES]);

#endif
