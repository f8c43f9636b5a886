#include "contacts.h"

#include <string.h>

#include "ghosts.h"

void contacts_start(struct contacts *contacts, struct matrix matrix, const row_t stuck[MAX_DRIVES])
{
    memset(contacts, 0, sizeof *contacts);
    contacts->matrix = matrix;
    memcpy(contacts->stuck, stuck, sizeof contacts->stuck);
    contacts->settle_ms = SETTLE_MS;
    contacts->release_ms = RELEASE_MS;
    contacts->step_ms = STUCK_STEP_MS;
}

/* Counts the votes of the last pass, one pass late because a rectangle may open or close between two of its lines.
 * `around`: contacts closed in that pass, the pass before or the pass after. */
static void count_votes(struct contacts *c, const row_t around[MAX_DRIVES], uint32_t t_ms)
{
    row_t corners[MAX_DRIVES];
    ghosts_find(around, c->matrix.drives, corners);
    for (uint8_t d = 0; d < c->matrix.drives; d++) {
        if (!c->last[d])
            continue;
        row_t clean = c->last[d] & (row_t) ~(c->latched[d] | c->stuck[d] | corners[d]);
        for (uint8_t s = 0; clean; s++, clean = (row_t)(clean >> 1))
            if (clean & 1)
                vote_count(&c->vote, CONTACT(d, s), t_ms);
    }
    if (!c->vote.running)
        return;
    for (uint8_t d = 0; d < c->matrix.drives; d++)
        if (c->last[d])
            vote_note(&c->vote, d, c->last[d] & (row_t) ~(c->latched[d] | c->stuck[d]));
}

/* Gives at most one hit, then none during the guard. Other touched contacts give none until they have opened. */
static void judge(struct contacts *c, struct contact_news *news)
{
    struct verdict *verdict = &news->verdict;
    if (!verdict->hits)
        return;
    for (uint8_t i = 0; i < verdict->hits; i++) {
        contact_t contact = verdict->winners[i].contact;
        c->latched[DRIVE_OF(contact)] |= (row_t)(1U << SENSE_OF(contact));
    }
    for (uint8_t d = 0; d < c->matrix.drives; d++)
        c->latched[d] |= vote_touched(&c->vote, d);
    verdict->hits = c->guard_ms ? 0 : 1;
    if (c->guard_ms)
        return;
    c->guard_ms = GUARD_MS;
    c->hit = verdict->winners[0].contact;
    c->lone = true;
    c->clear = verdict->clear;
}

static bool is_empty(const struct contacts *c, const row_t rows[MAX_DRIVES])
{
    row_t any = 0;
    for (uint8_t d = 0; d < c->matrix.drives; d++)
        any |= rows[d];
    return !any;
}

/* Follows each row through one pass; returns whether the last pass had contacts that may still become hits. */
static bool follow_rows(struct contacts *c, const row_t rows[MAX_DRIVES], row_t around[MAX_DRIVES], struct contact_news *news)
{
    row_t hopeful = 0;
    for (uint8_t d = 0; d < c->matrix.drives; d++) {
        row_t now = rows[d], last = c->last[d];
        around[d] = c->before[d] | last | now;
        if (!around[d])
            continue;
        row_t twice = now & last;
        c->seen[d] |= now;
        if (twice & (row_t) ~(c->closed[d] | c->stuck[d]))
            news->touched = true;
        c->closed[d] |= twice;
        hopeful |= last & (row_t) ~(c->latched[d] | c->stuck[d]);
    }
    return hopeful != 0;
}

void contacts_pass(struct contacts *c, const struct frame *frame, uint32_t t_ms, uint16_t window_us,
                   struct contact_news *news)
{
    news->touched = false;
    news->verdict.hits = 0;
    bool empty = is_empty(c, frame->rows);
    if (empty && c->quiet && !c->vote.running)
        return;
    row_t around[MAX_DRIVES];
    if (follow_rows(c, frame->rows, around, news) && !c->settle_ms)
        count_votes(c, around, t_ms);
    if (!c->settle_ms) {
        vote_end_pass(&c->vote, (uint16_t)(LINE_US * c->matrix.drives * frame->passes), window_us, &news->verdict);
        judge(c, news);
    }
    memcpy(c->before, c->last, sizeof c->before);
    memcpy(c->last, frame->rows, sizeof c->last);
    c->quiet = empty && is_empty(c, c->before);
}

static void release_open(struct contacts *c)
{
    bool doubtful = false;
    for (uint8_t d = 0; d < c->matrix.drives; d++) {
        row_t kept = c->seen[d] | c->seen_before[d];
        if (c->closed[d] & (row_t) ~(kept | c->latched[d] | c->stuck[d]))
            doubtful = true;
        c->closed[d] &= kept;
        c->latched[d] &= kept;
        for (uint8_t plane = 0; plane < 4; plane++)
            c->age[plane][d] &= kept;
        c->seen_long[d] |= c->seen[d];
        c->seen_before[d] = c->seen[d];
        c->seen[d] = 0;
    }
    c->doubtful = (uint16_t)(c->doubtful + doubtful);
}

/* Adds one step to the age of every closed contact, a row at a time, and returns those that reached the end. */
static void age_row(struct contacts *c, uint8_t d)
{
    row_t carry = c->closed[d] & (row_t)~c->stuck[d];
    row_t reached = all_senses(c->matrix);
    for (uint8_t plane = 0; plane < 4; plane++) {
        row_t sum = c->age[plane][d] ^ carry;
        carry &= c->age[plane][d];
        c->age[plane][d] = sum;
        reached &= (STUCK_STEPS >> plane & 1) ? sum : (row_t)~sum;
    }
    c->stuck[d] |= reached;
    for (uint8_t plane = 0; plane < 4; plane++)
        c->age[plane][d] &= (row_t)~reached;
}

static void step_stuck(struct contacts *c)
{
    for (uint8_t d = 0; d < c->matrix.drives; d++) {
        row_t held = c->seen_long[d] | c->seen_long_before[d] | c->closed[d];
        c->stuck[d] &= held;
        c->seen_long_before[d] = c->seen_long[d];
        c->seen_long[d] = 0;
        age_row(c, d);
    }
}

/* A contact that closes this soon after a hit belongs to the same dart; one sample of it ends the hit's being alone. */
static void guard(struct contacts *c)
{
    c->guard_ms--;
    for (uint8_t d = 0; d < c->matrix.drives; d++) {
        c->latched[d] |= c->closed[d];
        row_t others = (c->closed[d] | c->seen[d] | c->seen_before[d]) & (row_t)~c->stuck[d];
        if (d == DRIVE_OF(c->hit))
            others &= (row_t) ~(1U << SENSE_OF(c->hit));
        if (others)
            c->lone = false;
    }
}

enum beside contacts_beside_hit(const struct contacts *c)
{
    return c->lone ? BESIDE_NOTHING : c->clear ? BESIDE_LESS : BESIDE_UNKNOWN;
}

bool contacts_millisecond(struct contacts *c)
{
    bool settled = false;
    if (c->settle_ms && !--c->settle_ms) {
        settled = true;
        for (uint8_t d = 0; d < c->matrix.drives; d++)
            c->stuck[d] |= c->closed[d];
    }
    if (c->guard_ms)
        guard(c);
    if (!--c->release_ms) {
        c->release_ms = RELEASE_MS;
        release_open(c);
    }
    if (!--c->step_ms) {
        c->step_ms = STUCK_STEP_MS;
        step_stuck(c);
    }
    return settled;
}
