/* The buttons: debounced, one event each time one goes down. */
#ifndef SCHARTEN_BUTTONS_H
#define SCHARTEN_BUTTONS_H

#include "size.h"

#define BUTTONS 3 /* 0 miss, 1 ready, 2 undo */
#define BUTTON_MS 10

struct buttons {
    uint8_t down; /* debounced, one bit each */
    uint8_t steady_ms[BUTTONS];
};

void buttons_start(struct buttons *buttons);
/* Once each millisecond, with what the pins say now. The bits of those that went down. */
uint8_t buttons_millisecond(struct buttons *buttons, uint8_t pressed);

#endif
