/* The board's end of the line: what to say next, what the host said, and what has to be said again. */
#ifndef SCHARTEN_LINK_H
#define SCHARTEN_LINK_H

#include "ring.h"
#include "settings.h"
#include "text.h"

#define PROTOCOL_VERSION 1
#define RETRY_MS 250
#define HEARTBEAT_MS 1000
#define QUESTION_MS 200 /* `?` is obeyed at most so often */
#define NOTICE_MS 250   /* and what has happened is told */

/* What has happened on the board that is no event of the game, as counts since its start. The piezo's is 1 while it
 * rests above its threshold; the last three are the number of the last hit beside which nothing else closed, or
 * something at most half as often, or with which the piezo heard no blow. At most eight: they are bits of a byte. */
enum notice {
    NOTICE_DOUBTFUL, NOTICE_PIEZO, NOTICE_MEMORY, NOTICE_LINE, NOTICE_RESTARTS, NOTICE_ALONE, NOTICE_CLEAR,
    NOTICE_UNHEARD, NOTICES
};

struct link {
    struct line out;
    uint8_t sent;             /* bytes of `out` that are gone */
    char in[LINE_BYTES];      /* what the host is saying */
    uint8_t in_length;        /* 0: waiting for a `$` */
    bool hello_due, beat_due;
    uint8_t settings_due;     /* one bit for each setting to be told */
    uint8_t cursor;           /* how many of the ring's events have been sent, counted from the oldest */
    uint8_t again;            /* while the cursor is below this, they are being sent again */
    uint16_t sent_ms[RING_EVENTS]; /* when, by place in the ring */
    uint16_t beat_ms;         /* until the next heartbeat */
    uint16_t told_dropped;    /* as of the last hello */
    bool asked;               /* `?` has come and is not obeyed yet */
    uint8_t deaf_ms;          /* until `?` is obeyed again */
    uint16_t notices[NOTICES];
    uint8_t notices_new, notices_due; /* one bit for each that changed, that is to be told */
    uint8_t notice_ms;        /* until one may be told again */
};

struct identity {
    const char *firmware, *board;
};

void link_start(struct link *link);
void link_receive(struct link *link, char byte, struct ring *ring, struct settings *settings);
/* It is so from now on; told at once, or a little later. */
void link_notice(struct link *link, enum notice which, uint16_t value);
/* To be said: who this is. */
void link_greet(struct link *link);
void link_millisecond(struct link *link, const struct ring *ring, uint32_t t_ms);
/* The next byte for the line, if there is one. */
bool link_send(struct link *link, char *byte, const struct ring *ring, const struct settings *settings,
               const struct identity *identity, uint32_t t_ms);

#endif
