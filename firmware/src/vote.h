/* One throw gives one hit: the contact that closes most often within a short window wins. */
#ifndef SCHARTEN_VOTE_H
#define SCHARTEN_VOTE_H

#include "size.h"

#define VOTE_SLOTS 8  /* a dart closes one or two contacts, never more than this */
#define VOTES_NEEDED 2 /* one sample alone is noise */

struct candidate {
    contact_t contact;
    uint8_t votes;
    uint32_t t_ms; /* time of the first sample that saw it closed */
};

struct vote {
    bool running;
    uint8_t used;
    uint32_t elapsed_us; /* since the first candidate */
    struct candidate slots[VOTE_SLOTS];
    row_t once[MAX_DRIVES], twice[MAX_DRIVES]; /* closed once or twice in the window, ghosts included */
};

/* The result of a vote: `hits` winners (0 or 1; without a window up to VOTE_SLOTS). */
struct verdict {
    uint8_t hits;
    bool clear; /* no other contact closed more than half as often as the winner */
    struct candidate winners[VOTE_SLOTS];
};

void vote_clear(struct vote *vote);
/* Counts one sample of the contact. */
void vote_count(struct vote *vote, contact_t contact, uint32_t t_ms);
/* Notes the contacts closed in the pass, for `vote_touched`. */
void vote_note(struct vote *vote, uint8_t drive, row_t closed);
/* Ends a pass of `elapsed_us`. The verdict is empty while the window is open. */
void vote_end_pass(struct vote *vote, uint16_t elapsed_us, uint16_t window_us, struct verdict *verdict);
/* Returns the contacts of this drive line that the last throw touched; they give no second hit. */
row_t vote_touched(const struct vote *vote, uint8_t drive);

#endif
