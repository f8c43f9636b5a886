#include "vote.h"

#include <string.h>

#define LONE_US 2000 /* without a window: a candidate without a second sample in this time was noise */

void vote_clear(struct vote *vote)
{
    memset(vote, 0, sizeof *vote);
}

void vote_count(struct vote *vote, contact_t contact, uint32_t t_ms)
{
    if (!vote->running) {
        vote_clear(vote);
        vote->running = true;
    }
    uint8_t slot = 0;
    while (slot < vote->used && vote->slots[slot].contact != contact)
        slot++;
    if (slot == VOTE_SLOTS)
        return;
    if (slot == vote->used) {
        vote->slots[slot] = (struct candidate){.contact = contact, .votes = 0, .t_ms = t_ms};
        vote->used++;
    }
    if (vote->slots[slot].votes < UINT8_MAX)
        vote->slots[slot].votes++;
}

void vote_note(struct vote *vote, uint8_t drive, row_t closed)
{
    vote->twice[drive] |= vote->once[drive] & closed;
    vote->once[drive] |= closed;
}

row_t vote_touched(const struct vote *vote, uint8_t drive)
{
    return vote->twice[drive];
}

/* Without a window each contact becomes a hit of its own after enough samples. */
static void decide_each(struct vote *vote, struct verdict *verdict)
{
    for (uint8_t slot = 0; slot < vote->used; slot++)
        if (vote->slots[slot].votes == VOTES_NEEDED) {
            verdict->winners[verdict->hits++] = vote->slots[slot];
            vote->slots[slot].votes = UINT8_MAX; /* decided: saturated, so it never equals VOTES_NEEDED again */
        }
}

static void decide_most(const struct vote *vote, struct verdict *verdict)
{
    const struct candidate *best = &vote->slots[0];
    uint8_t second = 0;
    for (uint8_t slot = 1; slot < vote->used; slot++) {
        const struct candidate *next = &vote->slots[slot];
        if (next->votes > best->votes) { /* the first to close wins a tie */
            second = best->votes;
            best = next;
        } else if (next->votes > second) {
            second = next->votes;
        }
    }
    verdict->clear = second <= best->votes / 2;
    if (best->votes >= VOTES_NEEDED)
        verdict->winners[verdict->hits++] = *best;
}

void vote_end_pass(struct vote *vote, uint16_t elapsed_us, uint16_t window_us, struct verdict *verdict)
{
    verdict->hits = 0;
    verdict->clear = false;
    if (!vote->running)
        return;
    if (!window_us)
        decide_each(vote, verdict);
    vote->elapsed_us += elapsed_us;
    if (vote->elapsed_us < (window_us ? window_us : LONE_US))
        return;
    vote->running = false;
    if (window_us)
        decide_most(vote, verdict);
}
