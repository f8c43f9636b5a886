/* The matrix: raw passes in, hits and stuck contacts out. Bit-parallel, so that 256 contacts cost little. */
#ifndef SCHARTEN_CONTACTS_H
#define SCHARTEN_CONTACTS_H

#include "size.h"
#include "vote.h"

#define SETTLE_MS 20    /* after power-up: contacts closed in this time are stuck, not hit */
#define RELEASE_MS 15   /* open for two whole periods of this: the contact is open again (30 to 45 ms) */
#define GUARD_MS 100    /* no second hit in this time: a wire closes two contacts some ms apart, two darts do not */
#define STUCK_STEP_MS 250
#define STUCK_STEPS 9   /* closed through this many steps: over 2.0 and at most 2.25 s */

struct contacts {
    row_t before[MAX_DRIVES], last[MAX_DRIVES]; /* the two passes before the current one */
    row_t closed[MAX_DRIVES];               /* closed in two passes in a row, and not open for long enough since */
    row_t latched[MAX_DRIVES];              /* closed by a throw that was judged: gives no second hit */
    row_t stuck[MAX_DRIVES];
    row_t seen[MAX_DRIVES], seen_before[MAX_DRIVES];           /* closed at all in this release period, in the last one */
    row_t seen_long[MAX_DRIVES], seen_long_before[MAX_DRIVES]; /* the same for the steps of the stuck clock */
    row_t age[4][MAX_DRIVES];                              /* steps closed, as bit planes: one counter per contact */
    struct vote vote;
    struct matrix matrix;
    bool quiet;        /* the last two passes were empty */
    contact_t hit;     /* contact of the last hit */
    bool lone, clear;  /* nothing else closed beside it; no other closed more than half as often in the vote */
    uint16_t doubtful; /* closures that may have been ghosts and gave no hit */
    uint8_t settle_ms, release_ms, step_ms, guard_ms;
};

/* The results of one pass. */
struct contact_news {
    bool touched;           /* a contact that is not stuck closed in this pass */
    struct verdict verdict; /* hits */
};

/* `stuck`: the contacts known to be stuck before a reset. */
void contacts_start(struct contacts *contacts, struct matrix matrix, const row_t stuck[MAX_DRIVES]);
void contacts_pass(struct contacts *contacts, const struct frame *frame, uint32_t t_ms, uint16_t window_us,
                   struct contact_news *news);
/* Returns what closed beside the last hit; valid once the guard is over. */
enum beside { BESIDE_UNKNOWN, BESIDE_NOTHING, BESIDE_LESS };
enum beside contacts_beside_hit(const struct contacts *contacts);
/* Call it each millisecond. Returns true in the millisecond in which the power-up check ends. */
bool contacts_millisecond(struct contacts *contacts);

#endif
