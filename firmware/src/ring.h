/* The events that the host has not yet stored. They live in memory that a reset does not clear. */
#ifndef SCHARTEN_RING_H
#define SCHARTEN_RING_H

#include "size.h"

#define RING_EVENTS 64 /* a power of two */

enum event_kind { EVENT_HIT = 'H', EVENT_KNOCK = 'K', EVENT_BUTTON = 'B', EVENT_STUCK = 'S', EVENT_FREE = 'F' };

struct event {
    uint32_t t_ms;
    uint16_t value; /* contact, peak or button */
    uint8_t kind;
    uint8_t check;
};

struct ring_head {
    uint32_t session;
    uint16_t first_seq; /* of the oldest event kept */
    uint16_t dropped;
    uint8_t first, count; /* place of the oldest event, and how many */
    uint8_t turn;         /* of the two copies the later one counts */
    uint8_t spare;
    uint16_t crc;
};

struct kept_clock {
    uint32_t ms, inverse;
};

/* What outlives a reset. Two heads: a reset in the middle of writing one leaves the other. */
struct ring_memory {
    struct ring_head heads[2];
    struct event events[RING_EVENTS];
    row_t told[MAX_DRIVES]; /* contacts that the host was told are stuck */
    uint16_t told_crc;
    struct kept_clock clocks[2]; /* two, as of the heads */
    uint16_t restarts, restarts_inverse;
    uint32_t used, used_inverse;
};

struct ring {
    struct ring_head now;
    struct ring_memory *memory;
};

/* True if the memory holds a ring that a reset left, whole. */
bool ring_is_sound(const struct ring_memory *memory);
/* True if some ring, sound or not, was once begun in this memory. */
bool ring_was_used(const struct ring_memory *memory);
/* Keeps the board's clock, of one millisecond after the other, and gives the last that was kept whole; 0: none. */
void ring_keep_clock(struct ring_memory *memory, uint32_t t_ms);
uint32_t ring_kept_clock(const struct ring_memory *memory);
/* Takes up what the memory holds, or starts an empty ring with `fresh_session`. True: the memory was sound. */
bool ring_start(struct ring *ring, struct ring_memory *memory, uint32_t fresh_session);
/* False: the ring is full, the event is counted as dropped and takes no number. */
bool ring_push(struct ring *ring, enum event_kind kind, uint16_t value, uint32_t t_ms);
/* Forgets all events up to and including `seq`; how many. 0 for what was never issued, or is gone already. */
uint8_t ring_acknowledge(struct ring *ring, uint16_t seq);
uint16_t ring_next_seq(const struct ring *ring);
/* The event `index` places after the oldest; `index` < count. */
struct event ring_event(const struct ring *ring, uint8_t index);
/* Where that event is kept: a number that stays its own while it is in the ring. */
uint8_t ring_place(const struct ring *ring, uint8_t index);

#endif
