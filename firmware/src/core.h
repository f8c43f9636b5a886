/* The board's program, without a register in it: frames and bytes in, bytes and lamp colours out. */
#ifndef SCHARTEN_CORE_H
#define SCHARTEN_CORE_H

#include "buttons.h"
#include "contacts.h"
#include "knock.h"
#include "lamp.h"
#include "link.h"

#define FIRMWARE_VERSION "1.0.0"
#define WARM_START_MS 2000 /* at most what a boot loader takes: the clock must not fall behind */
#define STUCK_RESERVE 16   /* places of the ring that reports of stuck contacts leave to the hits */

struct core {
    struct identity identity;
    struct settings settings;
    struct ring ring;
    struct link link;
    struct contacts contacts;
    struct knock knock;
    struct buttons buttons;
    uint32_t t_ms;
    uint16_t part_us; /* of the millisecond that is under way */
};

/* `fresh_session` is used when the memory is not sound. */
void core_start(struct core *core, struct ring_memory *memory, uint32_t fresh_session, const char *board);
/* One pass over the matrix; `pressed`: one bit for each button that is down. */
void core_pass(struct core *core, const struct frame *frame, uint8_t pressed);
void core_receive(struct core *core, char byte);
bool core_send(struct core *core, char *byte);
uint8_t core_lamp(const struct core *core);

#endif
