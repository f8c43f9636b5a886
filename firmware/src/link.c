#include "link.h"

#include <string.h>

void link_start(struct link *link)
{
    memset(link, 0, sizeof *link);
    link->hello_due = true;
    link->beat_ms = HEARTBEAT_MS;
}

static const char NOTICE_KEYS[NOTICES][12] = {
    [NOTICE_DOUBTFUL] = "ghosts", [NOTICE_PIEZO] = "piezo_rests", [NOTICE_MEMORY] = "memory_lost",
    [NOTICE_LINE] = "line_errors", [NOTICE_RESTARTS] = "restarts", [NOTICE_ALONE] = "alone",
    [NOTICE_CLEAR] = "clear", [NOTICE_UNHEARD] = "unheard",
};

void link_notice(struct link *link, enum notice which, uint16_t value)
{
    if (link->notices[which] == value)
        return;
    link->notices[which] = value;
    link->notices_new |= (uint8_t)(1U << which);
}

void link_greet(struct link *link)
{
    link->hello_due = true;
}

/* Does not restart a repetition under way: a host that asks often must not delay the newest events for ever. */
static void send_again(struct link *link)
{
    if (link->cursor < link->again)
        return;
    link->again = link->cursor;
    link->cursor = 0;
}

static void obey_acknowledge(struct link *link, const char *field, struct ring *ring)
{
    uint16_t seq;
    if (!text_number(&field, &seq) || *field)
        return;
    uint8_t done = ring_acknowledge(ring, seq);
    link->cursor = (uint8_t)(link->cursor > done ? link->cursor - done : 0);
    link->again = (uint8_t)(link->again > done ? link->again - done : 0);
    if (done && ring->now.dropped != link->sent_dropped)
        link->hello_due = true; /* there is room again: report how many hits were lost */
}

static void obey_setting(struct link *link, const char *field, struct settings *settings)
{
    const char *comma = strchr(field, ',');
    if (!comma)
        return;
    uint8_t which = setting_named(field, (uint8_t)(comma - field));
    if (which == SETTINGS)
        return;
    uint16_t value;
    const char *digits = comma + 1;
    if (text_number(&digits, &value) && !*digits)
        setting_change(settings, which, value);
    link->settings_due |= (uint8_t)(1U << which);
}

static void obey(struct link *link, struct ring *ring, struct settings *settings)
{
    if (!text_is_sound(link->in, link->in_length) || link->in[2] != ',')
        return;
    if (link->in[1] == 'A')
        obey_acknowledge(link, link->in + 3, ring);
    else if (link->in[1] == 'C')
        obey_setting(link, link->in + 3, settings);
}

void link_receive(struct link *link, char byte, struct ring *ring, struct settings *settings)
{
    if (byte == '?') { /* no other line contains it, so it needs no line feed and a person may type it */
        link->in_length = 0;
        link->asked = true;
    } else if (byte == '$') {
        link->in[0] = byte;
        link->in_length = 1;
    } else if (byte == '\n' || byte == '\r') {
        if (link->in_length)
            obey(link, ring, settings);
        link->in_length = 0;
    } else if (link->in_length == LINE_BYTES - 1) {
        link->in_length = 0; /* too long for a line: wait for the next `$` */
    } else if (link->in_length) {
        link->in[link->in_length++] = byte;
    }
}

void link_millisecond(struct link *link, const struct ring *ring, uint32_t t_ms)
{
    if (!--link->beat_ms) {
        link->beat_ms = HEARTBEAT_MS;
        link->beat_due = true;
    }
    if (link->cursor && (uint16_t)((uint16_t)t_ms - link->sent_ms[ring_place(ring, 0)]) >= RETRY_MS)
        send_again(link);
    if (link->request_pause_ms)
        link->request_pause_ms--;
    if (link->asked && !link->request_pause_ms) {
        link->asked = false;
        link->request_pause_ms = QUESTION_MS;
        link->hello_due = true;
        send_again(link);
    }
    if (link->notice_ms)
        link->notice_ms--;
    if (link->notices_new && !link->notice_ms) {
        link->notice_ms = NOTICE_MS;
        link->notices_due |= link->notices_new;
        link->notices_new = 0;
    }
}

static void write_hello(struct link *link, const struct ring *ring, const struct settings *settings,
                        const struct identity *identity, uint32_t t_ms)
{
    struct line *out = &link->out;
    line_begin(out, 'I');
    line_number(out, PROTOCOL_VERSION);
    line_word(out, identity->firmware);
    line_word(out, identity->board);
    line_number(out, settings->values[DRIVE_LINES]);
    line_number(out, settings->values[SENSE_LINES]);
    line_number(out, ring->now.session);
    line_number(out, ring->now.first_seq);
    line_number(out, ring_next_seq(ring));
    line_number(out, ring->now.dropped);
    line_number(out, t_ms);
    link->hello_due = false;
    link->sent_dropped = ring->now.dropped;
    link->settings_due = (1U << SETTINGS) - 1;
    for (uint8_t i = 0; i < NOTICES; i++)
        if (link->notices[i])
            link->notices_due |= (uint8_t)(1U << i);
}

/* Clears the lowest set bit of `bits` and returns its index. */
static uint8_t take_bit(uint8_t *bits)
{
    uint8_t which = 0;
    while (!(*bits >> which & 1))
        which++;
    *bits &= (uint8_t) ~(1U << which);
    return which;
}

static void write_setting(struct link *link, const struct settings *settings)
{
    uint8_t which = take_bit(&link->settings_due);
    line_begin(&link->out, 'V');
    line_word(&link->out, setting_name(which));
    line_number(&link->out, settings->values[which]);
}

static void write_notice(struct link *link)
{
    uint8_t which = take_bit(&link->notices_due);
    link->notices_new &= (uint8_t) ~(1U << which);
    line_begin(&link->out, 'N');
    line_word(&link->out, NOTICE_KEYS[which]);
    line_number(&link->out, link->notices[which]);
}

static void write_event(struct link *link, const struct ring *ring, uint32_t t_ms)
{
    struct event event = ring_event(ring, link->cursor);
    bool stuck = event.kind == EVENT_STUCK || event.kind == EVENT_FREE;
    line_begin(&link->out, stuck ? 'S' : (char)event.kind);
    line_number(&link->out, (uint16_t)(ring->now.first_seq + link->cursor));
    if (stuck || event.kind == EVENT_HIT) {
        line_number(&link->out, DRIVE_OF((contact_t)event.value));
        line_number(&link->out, SENSE_OF((contact_t)event.value));
    } else {
        line_number(&link->out, event.value);
    }
    if (stuck)
        line_number(&link->out, event.kind == EVENT_STUCK);
    line_number(&link->out, event.t_ms);
    link->sent_ms[ring_place(ring, link->cursor)] = (uint16_t)t_ms;
    link->cursor++;
}

/* Writes the next line into `out`; false without one. Short, rare lines go first, so that a long backlog cannot
 * hide that the board lives. */
static bool write_next(struct link *link, const struct ring *ring, const struct settings *settings,
                       const struct identity *identity, uint32_t t_ms)
{
    if (link->hello_due) {
        write_hello(link, ring, settings, identity, t_ms);
    } else if (link->settings_due) {
        write_setting(link, settings);
    } else if (link->beat_due) {
        line_begin(&link->out, 'P');
        line_number(&link->out, t_ms);
        link->beat_due = false;
    } else if (link->notices_due) {
        write_notice(link);
    } else if (link->cursor < ring->now.count) {
        write_event(link, ring, t_ms);
    } else {
        return false;
    }
    line_end(&link->out);
    return true;
}

bool link_send(struct link *link, char *byte, const struct ring *ring, const struct settings *settings,
               const struct identity *identity, uint32_t t_ms)
{
    if (link->sent == link->out.length) {
        link->sent = 0;
        link->out.length = 0;
        if (!write_next(link, ring, settings, identity, t_ms))
            return false;
    }
    *byte = link->out.bytes[link->sent++];
    return true;
}
