#include "ring.h"

#include <stdatomic.h>
#include <stddef.h>
#include <string.h>

#include "crc.h"

/* Changes with the layout, so that memory of another build is not mistaken for this one's. */
#define LAYOUT (0x52 ^ MAX_DRIVES << 8 ^ MAX_SENSES)
#define USED ((uint32_t)0x53434831) /* at power-up, memory holds this and its inverse with a chance of 1 in 2^64 */

static uint16_t head_crc(const struct ring_head *head)
{
    return crc_bytes(LAYOUT, head, offsetof(struct ring_head, crc));
}

static uint8_t event_check(const struct event *event)
{
    uint16_t crc = crc_bytes(LAYOUT, event, offsetof(struct event, check));
    return (uint8_t)(crc ^ crc >> 8);
}

static bool head_is_sound(const struct ring_memory *memory, const struct ring_head *head)
{
    if (head->crc != head_crc(head) || head->count > RING_EVENTS || head->first >= RING_EVENTS)
        return false;
    for (uint8_t i = 0; i < head->count; i++) {
        const struct event *event = &memory->events[(head->first + i) % RING_EVENTS];
        if (event->check != event_check(event))
            return false;
    }
    return true;
}

/* Writes the head into the older of its two places. */
static void commit(struct ring *ring)
{
    ring->now.turn++;
    ring->now.crc = head_crc(&ring->now);
    atomic_signal_fence(memory_order_seq_cst); /* the events first: a reset may come at any instruction */
    ring->memory->heads[ring->now.turn & 1] = ring->now;
    atomic_signal_fence(memory_order_seq_cst);
}

/* Returns the later of the intact heads, or NULL. */
static const struct ring_head *sound_head(const struct ring_memory *memory)
{
    const struct ring_head *heads = memory->heads;
    uint8_t later = (int8_t)(heads[1].turn - heads[0].turn) > 0;
    if (head_is_sound(memory, &heads[later]))
        return &heads[later];
    if (head_is_sound(memory, &heads[!later]))
        return &heads[!later];
    return NULL;
}

bool ring_is_sound(const struct ring_memory *memory)
{
    return sound_head(memory) != NULL;
}

bool ring_was_used(const struct ring_memory *memory)
{
    return memory->used == USED && memory->used_inverse == ~USED;
}

void ring_keep_clock(struct ring_memory *memory, uint32_t t_ms)
{
    struct kept_clock *older = &memory->clocks[t_ms & 1];
    older->ms = t_ms;
    atomic_signal_fence(memory_order_seq_cst);
    older->inverse = ~t_ms;
    atomic_signal_fence(memory_order_seq_cst);
}

uint32_t ring_kept_clock(const struct ring_memory *memory)
{
    const struct kept_clock *even = &memory->clocks[0], *odd = &memory->clocks[1];
    bool even_sound = even->ms == ~even->inverse, odd_sound = odd->ms == ~odd->inverse;
    if (even_sound && odd_sound)
        return (int32_t)(odd->ms - even->ms) > 0 ? odd->ms : even->ms;
    return even_sound ? even->ms : odd_sound ? odd->ms : 0;
}

bool ring_start(struct ring *ring, struct ring_memory *memory, uint32_t fresh_session)
{
    const struct ring_head *head = sound_head(memory);
    ring->memory = memory;
    if (head) {
        ring->now = *head;
        return true;
    }
    memset(memory, 0, sizeof *memory);
    memory->used = USED;
    memory->used_inverse = ~USED;
    ring->now = (struct ring_head){.session = fresh_session ? fresh_session : 1, .first_seq = 1};
    commit(ring);
    return false;
}

bool ring_push(struct ring *ring, enum event_kind kind, uint16_t value, uint32_t t_ms)
{
    bool room = ring->now.count < RING_EVENTS;
    if (room) {
        struct event event = {.t_ms = t_ms, .value = value, .kind = (uint8_t)kind};
        event.check = event_check(&event);
        ring->memory->events[(ring->now.first + ring->now.count) % RING_EVENTS] = event;
        ring->now.count++;
    } else if (ring->now.dropped < UINT16_MAX) {
        ring->now.dropped++;
    }
    commit(ring);
    return room;
}

uint8_t ring_acknowledge(struct ring *ring, uint16_t seq)
{
    uint16_t done = (uint16_t)(seq - ring->now.first_seq + 1);
    if (done > ring->now.count) /* old ones wrap to large numbers */
        return 0;
    if (done) {
        ring->now.first = (uint8_t)((ring->now.first + done) % RING_EVENTS);
        ring->now.first_seq = (uint16_t)(ring->now.first_seq + done);
        ring->now.count = (uint8_t)(ring->now.count - done);
        commit(ring);
    }
    return (uint8_t)done;
}

uint16_t ring_next_seq(const struct ring *ring)
{
    return (uint16_t)(ring->now.first_seq + ring->now.count);
}

uint8_t ring_place(const struct ring *ring, uint8_t index)
{
    return (uint8_t)((ring->now.first + index) % RING_EVENTS);
}

struct event ring_event(const struct ring *ring, uint8_t index)
{
    return ring->memory->events[ring_place(ring, index)];
}
