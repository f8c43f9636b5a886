/* The events that the host has not stored yet, in memory that a reset does not clear. */
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
    uint8_t turn;         /* the later of the two copies counts */
    uint8_t spare;
    uint16_t crc;
};

struct kept_clock {
    uint32_t ms, inverse;
};

/* The memory that outlives a reset. A reset while one head is written leaves the other head intact. */
struct ring_memory {
    struct ring_head heads[2];
    struct event events[RING_EVENTS];
    row_t reported[MAX_DRIVES]; /* stuck contacts that the host knows of */
    uint16_t reported_crc;
    struct kept_clock clocks[2]; /* two, as of the heads */
    uint16_t restarts, restarts_inverse;
    uint32_t used, used_inverse;
};

struct ring {
    struct ring_head now;
    struct ring_memory *memory;
};

/* Returns whether the memory holds an intact ring from before a reset. */
bool ring_is_sound(const struct ring_memory *memory);
/* Returns whether any ring, intact or not, was ever started in this memory. */
bool ring_was_used(const struct ring_memory *memory);
/* Stores the board's clock each millisecond; returns the last intact value, 0 without one. */
void ring_keep_clock(struct ring_memory *memory, uint32_t t_ms);
uint32_t ring_kept_clock(const struct ring_memory *memory);
/* Continues the ring in the memory, or starts an empty one with `fresh_session`. Returns whether it continues. */
bool ring_start(struct ring *ring, struct ring_memory *memory, uint32_t fresh_session);
/* Adds an event. Returns false if the ring is full: the event then counts as dropped and takes no number. */
bool ring_push(struct ring *ring, enum event_kind kind, uint16_t value, uint32_t t_ms);
/* Drops all events up to and including `seq` and returns how many; 0 for an unknown or dropped number. */
uint8_t ring_acknowledge(struct ring *ring, uint16_t seq);
uint16_t ring_next_seq(const struct ring *ring);
/* Returns the event `index` places after the oldest; `index` < count. */
struct event ring_event(const struct ring *ring, uint8_t index);
/* Returns that event's place, which does not change while it is in the ring. */
uint8_t ring_place(const struct ring *ring, uint8_t index);

#endif
