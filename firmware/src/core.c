#include "core.h"

#include <string.h>

#include "crc.h"

static void seal_reported(struct ring_memory *memory)
{
    memory->reported_crc = crc_bytes(CRC_START, memory->reported, sizeof memory->reported);
}

/* Continues after a reset with the clock and the stuck contacts from before it. */
static void take_up(struct core *core, struct ring_memory *memory)
{
    core->t_ms = ring_kept_clock(memory) + WARM_START_MS;
    if (memory->reported_crc != crc_bytes(CRC_START, memory->reported, sizeof memory->reported))
        memset(memory->reported, 0, sizeof memory->reported);
}

static void count_restarts(struct core *core, struct ring_memory *memory, bool restarted)
{
    uint16_t before = (memory->restarts ^ memory->restarts_inverse) == UINT16_MAX ? memory->restarts : 0;
    memory->restarts = (uint16_t)(before + restarted);
    memory->restarts_inverse = (uint16_t)~memory->restarts;
    link_notice(&core->link, NOTICE_RESTARTS, memory->restarts);
}

void core_start(struct core *core, struct ring_memory *memory, const struct start *start)
{
    memset(core, 0, sizeof *core);
    core->identity = (struct identity){FIRMWARE_VERSION, start->board};
    link_start(&core->link);
    bool used = ring_was_used(memory);
    if (ring_start(&core->ring, memory, start->fresh_session))
        take_up(core, memory);
    else
        link_notice(&core->link, NOTICE_MEMORY, used);
    count_restarts(core, memory, start->restarted);
    seal_reported(memory);
    ring_keep_clock(memory, core->t_ms);
    settings_start(&core->settings, start->matrix);
    contacts_start(&core->contacts, settings_matrix(&core->settings), memory->reported);
    knock_start(&core->knock);
    buttons_start(&core->buttons);
}

/* Reports one change at a time, and only while the ring has spare room: 256 changes must not push out hits. */
static void report_stuck(struct core *core)
{
    row_t *reported = core->ring.memory->reported;
    if (core->ring.now.count >= RING_EVENTS - STUCK_RESERVE)
        return;
    for (uint8_t d = 0; d < core->contacts.matrix.drives; d++) {
        row_t differs = reported[d] ^ core->contacts.stuck[d];
        if (!differs)
            continue;
        uint8_t s = 0;
        while (!(differs >> s & 1))
            s++;
        bool stuck = core->contacts.stuck[d] >> s & 1;
        ring_push(&core->ring, stuck ? EVENT_STUCK : EVENT_FREE, CONTACT(d, s), core->t_ms);
        reported[d] ^= (row_t)(1U << s);
        seal_reported(core->ring.memory);
        return;
    }
}

/* Reports contacts that are closed at power-up again, even if they are known: the host may have restarted too. */
static void forget_reported(struct core *core)
{
    for (uint8_t d = 0; d < core->contacts.matrix.drives; d++)
        core->ring.memory->reported[d] &= (row_t)~core->contacts.closed[d];
    seal_reported(core->ring.memory);
}

/* Contacts that close soon after a hit belong to its dart: sends what they show once that time is over. */
static void notice_hit(struct core *core)
{
    if (core->knock.quiet_ms < KNOCK_QUIET_MS)
        core->hit_felt = true;
    if (!core->hit_kept || core->contacts.guard_ms)
        return;
    core->hit_kept = false;
    enum beside beside = contacts_beside_hit(&core->contacts);
    if (beside != BESIDE_UNKNOWN)
        link_notice(&core->link, beside == BESIDE_NOTHING ? NOTICE_ALONE : NOTICE_CLEAR, core->hit_seq);
    if (core->settings.values[KNOCK_THRESHOLD] && !core->hit_felt)
        link_notice(&core->link, NOTICE_UNHEARD, core->hit_seq);
}

static void millisecond(struct core *core, uint8_t pressed)
{
    core->t_ms++;
    ring_keep_clock(core->ring.memory, core->t_ms);
    if (contacts_millisecond(&core->contacts))
        forget_reported(core);
    report_stuck(core);
    if (knock_millisecond(&core->knock, core->settings.values[KNOCK_WINDOW_MS], core->t_ms))
        ring_push(&core->ring, EVENT_KNOCK, core->knock.peak, core->knock.t_ms);
    uint8_t went_down = buttons_millisecond(&core->buttons, pressed);
    for (uint8_t i = 0; i < BUTTONS; i++)
        if (went_down >> i & 1)
            ring_push(&core->ring, EVENT_BUTTON, i, core->t_ms);
    link_notice(&core->link, NOTICE_DOUBTFUL, core->contacts.doubtful);
    notice_hit(core);
    link_notice(&core->link, NOTICE_PIEZO, core->knock.loud_ms == KNOCK_RESTS_MS);
    link_millisecond(&core->link, &core->ring, core->t_ms);
}

void core_pass(struct core *core, const struct frame *frame, uint8_t pressed)
{
    const uint16_t *settings = core->settings.values;
    core->part_us = (uint16_t)(core->part_us + LINE_US * core->contacts.matrix.drives * frame->passes);
    while (core->part_us >= 1000) {
        core->part_us = (uint16_t)(core->part_us - 1000);
        millisecond(core, pressed);
    }
    struct contact_news news;
    contacts_pass(&core->contacts, frame, core->t_ms, (uint16_t)(settings[VOTE_WINDOW_MS] * 1000U), &news);
    for (uint8_t i = 0; i < news.verdict.hits; i++) {
        const struct candidate *hit = &news.verdict.winners[i];
        core->hit_seq = ring_next_seq(&core->ring);
        core->hit_kept = ring_push(&core->ring, EVENT_HIT, hit->contact, hit->t_ms);
        core->hit_felt = false;
    }
    knock_pass(&core->knock, (uint16_t)(frame->peak << 2), news.touched, settings[KNOCK_THRESHOLD],
               settings[KNOCK_WINDOW_MS], core->t_ms);
}

/* Treats contacts that are closed in the new matrix as stuck, as at power-up. */
static void resize(struct core *core, struct matrix matrix)
{
    memset(core->ring.memory->reported, 0, sizeof core->ring.memory->reported);
    seal_reported(core->ring.memory);
    contacts_start(&core->contacts, matrix, core->ring.memory->reported);
    link_greet(&core->link);
}

void core_receive(struct core *core, char byte)
{
    link_receive(&core->link, byte, &core->ring, &core->settings);
    struct matrix now = core->contacts.matrix, wanted = settings_matrix(&core->settings);
    if (now.drives != wanted.drives || now.senses != wanted.senses)
        resize(core, wanted);
}

void core_opened(struct core *core)
{
    link_greet(&core->link);
}

void core_line_errors(struct core *core, uint16_t count)
{
    link_notice(&core->link, NOTICE_LINE, count);
}

struct matrix core_matrix(const struct core *core)
{
    return core->contacts.matrix;
}

bool core_send(struct core *core, char *byte)
{
    return link_send(&core->link, byte, &core->ring, &core->settings, &core->identity, core->t_ms);
}

uint8_t core_lamp(const struct core *core)
{
    return lamp_colours((uint8_t)core->settings.values[LAMP], core->t_ms);
}
