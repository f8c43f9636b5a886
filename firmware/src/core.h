/* The board's program, without a register in it: frames and bytes in, bytes and lamp colours out. */
#ifndef SCHARTEN_CORE_H
#define SCHARTEN_CORE_H

#include "buttons.h"
#include "contacts.h"
#include "knock.h"
#include "lamp.h"
#include "link.h"

#define FIRMWARE_VERSION "0.2.0"
#define WARM_START_MS 2000 /* at most what a boot loader takes: the clock must not fall behind */
#define STUCK_RESERVE 16   /* places of the ring that reports of stuck contacts leave to the hits */

/* The facts that the board knows when it starts. */
struct start {
    const char *board;
    uint32_t fresh_session; /* used when the memory is not sound */
    struct matrix matrix;   /* 0: as many as there are pins for */
    bool restarted;         /* by its own watchdog */
};

struct core {
    struct identity identity;
    struct settings settings;
    struct ring ring;
    struct link link;
    struct contacts contacts;
    struct knock knock;
    struct buttons buttons;
    uint32_t t_ms;
    uint16_t hit_seq; /* number of the last hit */
    bool hit_kept;    /* the ring had room for it, and its notices are not sent yet */
    bool hit_felt;   /* the piezo felt a blow around it */
    uint16_t part_us; /* of the millisecond that is under way */
};

void core_start(struct core *core, struct ring_memory *memory, const struct start *start);
/* One pass over the matrix; `pressed`: one bit for each button that is down. */
void core_pass(struct core *core, const struct frame *frame, uint8_t pressed);
void core_receive(struct core *core, char byte);
bool core_send(struct core *core, char *byte);
/* A host has opened the port. */
void core_opened(struct core *core);
/* `count` bytes of the host have been damaged or lost since the start. */
void core_line_errors(struct core *core, uint16_t count);
/* Returns the size of the matrix to scan; the host may change it. */
struct matrix core_matrix(const struct core *core);
uint8_t core_lamp(const struct core *core);

#endif
