/* The board's end of the line: lines to send, lines received, and lines to repeat. */
#ifndef SCHARTEN_LINK_H
#define SCHARTEN_LINK_H

#include "ring.h"
#include "settings.h"
#include "text.h"

#define PROTOCOL_VERSION 1
#define RETRY_MS 250
#define HEARTBEAT_MS 1000
#define QUESTION_MS 200 /* the board obeys `?` at most this often */
#define NOTICE_MS 250   /* and sends notices at most this often */

/* Conditions of the board that are not events of the game, as counts since its start. PIEZO is 1 while the piezo rests
 * above its threshold. ALONE, CLEAR and UNHEARD hold the number of the last hit beside which nothing else closed,
 * something closed at most half as often, or the piezo felt no blow. At most eight: they are bits of a byte. */
enum notice {
    NOTICE_DOUBTFUL, NOTICE_PIEZO, NOTICE_MEMORY, NOTICE_LINE, NOTICE_RESTARTS, NOTICE_ALONE, NOTICE_CLEAR,
    NOTICE_UNHEARD, NOTICES
};

struct link {
    struct line out;
    uint8_t sent;             /* bytes of `out` already sent */
    char in[LINE_BYTES];      /* the line that the host is sending */
    uint8_t in_length;        /* 0: waiting for a `$` */
    bool hello_due, beat_due;
    uint8_t settings_due;     /* one bit for each setting to send */
    uint8_t cursor;           /* how many of the ring's events were sent, counted from the oldest */
    uint8_t again;            /* while the cursor is below this, events are repeated */
    uint16_t sent_ms[RING_EVENTS]; /* time of sending, by place in the ring */
    uint16_t beat_ms;         /* until the next heartbeat */
    uint16_t sent_dropped;    /* the count in the last hello */
    bool asked;               /* `?` was received and is not obeyed yet */
    uint8_t request_pause_ms;          /* until the board obeys `?` again */
    uint16_t notices[NOTICES];
    uint8_t notices_new, notices_due; /* one bit for each notice that changed, and to send */
    uint8_t notice_ms;        /* until the next notice may be sent */
};

struct identity {
    const char *firmware, *board;
};

void link_start(struct link *link);
void link_receive(struct link *link, char byte, struct ring *ring, struct settings *settings);
/* Sets a notice; the board sends it at once or within NOTICE_MS. */
void link_notice(struct link *link, enum notice which, uint16_t value);
/* Requests a hello line. */
void link_greet(struct link *link);
void link_millisecond(struct link *link, const struct ring *ring, uint32_t t_ms);
/* Stores the next byte for the line; false without one. */
bool link_send(struct link *link, char *byte, const struct ring *ring, const struct settings *settings,
               const struct identity *identity, uint32_t t_ms);

#endif
