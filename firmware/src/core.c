#include "core.h"

#include <string.h>

#include "crc.h"

static void keep_clock(struct core *core)
{
    core->ring.memory->clock_ms = core->t_ms;
    core->ring.memory->clock_inverse = ~core->t_ms;
}

static void keep_told(struct ring_memory *memory)
{
    memory->told_crc = crc_bytes(CRC_START, memory->told, sizeof memory->told);
}

/* Goes on after a reset with the clock and the stuck contacts of before. */
static void take_up(struct core *core, struct ring_memory *memory)
{
    if (memory->clock_inverse == ~memory->clock_ms)
        core->t_ms = memory->clock_ms + WARM_START_MS;
    if (memory->told_crc != crc_bytes(CRC_START, memory->told, sizeof memory->told))
        memset(memory->told, 0, sizeof memory->told);
}

void core_start(struct core *core, struct ring_memory *memory, uint32_t fresh_session, const char *board)
{
    memset(core, 0, sizeof *core);
    core->identity = (struct identity){FIRMWARE_VERSION, board};
    if (ring_start(&core->ring, memory, fresh_session))
        take_up(core, memory);
    keep_told(memory);
    keep_clock(core);
    settings_start(&core->settings);
    link_start(&core->link);
    contacts_start(&core->contacts, memory->told);
    knock_start(&core->knock);
    buttons_start(&core->buttons);
}

/* Tells one change at a time, and only while the ring has room to spare: 256 of them must not push out hits. */
static void tell_stuck(struct core *core)
{
    row_t *told = core->ring.memory->told;
    if (core->ring.now.count >= RING_EVENTS - STUCK_RESERVE)
        return;
    for (uint8_t d = 0; d < DRIVES; d++) {
        row_t differs = told[d] ^ core->contacts.stuck[d];
        if (!differs)
            continue;
        uint8_t s = 0;
        while (!(differs >> s & 1))
            s++;
        bool stuck = core->contacts.stuck[d] >> s & 1;
        ring_push(&core->ring, stuck ? EVENT_STUCK : EVENT_FREE, CONTACT(d, s), core->t_ms);
        told[d] ^= (row_t)(1U << s);
        keep_told(core->ring.memory);
        return;
    }
}

/* What is closed at power-up is told again even if it was known: the host may have come up anew, too. */
static void forget_told(struct core *core)
{
    for (uint8_t d = 0; d < DRIVES; d++)
        core->ring.memory->told[d] &= (row_t)~core->contacts.closed[d];
    keep_told(core->ring.memory);
}

static void millisecond(struct core *core, uint8_t pressed)
{
    core->t_ms++;
    keep_clock(core);
    if (contacts_millisecond(&core->contacts))
        forget_told(core);
    tell_stuck(core);
    if (knock_millisecond(&core->knock, core->settings.values[KNOCK_WINDOW_MS], core->t_ms))
        ring_push(&core->ring, EVENT_KNOCK, core->knock.peak, core->knock.t_ms);
    uint8_t went_down = buttons_millisecond(&core->buttons, pressed);
    for (uint8_t i = 0; i < BUTTONS; i++)
        if (went_down >> i & 1)
            ring_push(&core->ring, EVENT_BUTTON, i, core->t_ms);
    link_millisecond(&core->link, &core->ring, core->t_ms);
}

void core_pass(struct core *core, const struct frame *frame, uint8_t pressed)
{
    const uint16_t *settings = core->settings.values;
    core->part_us = (uint16_t)(core->part_us + PASS_US * frame->passes);
    while (core->part_us >= 1000) {
        core->part_us = (uint16_t)(core->part_us - 1000);
        millisecond(core, pressed);
    }
    struct contact_news news;
    contacts_pass(&core->contacts, frame, core->t_ms, (uint16_t)(settings[VOTE_WINDOW_MS] * 1000U), &news);
    for (uint8_t i = 0; i < news.verdict.hits; i++)
        ring_push(&core->ring, EVENT_HIT, news.verdict.winners[i].contact, news.verdict.winners[i].t_ms);
    knock_pass(&core->knock, (uint16_t)(frame->peak << 2), news.touched, settings[KNOCK_THRESHOLD],
               settings[KNOCK_WINDOW_MS], core->t_ms);
}

void core_receive(struct core *core, char byte)
{
    link_receive(&core->link, byte, &core->ring, &core->settings);
}

bool core_send(struct core *core, char *byte)
{
    return link_send(&core->link, byte, &core->ring, &core->settings, &core->identity, core->t_ms);
}

uint8_t core_lamp(const struct core *core)
{
    return lamp_colours((uint8_t)core->settings.values[LAMP], core->t_ms);
}
