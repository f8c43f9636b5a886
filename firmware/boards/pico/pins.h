/* Pins of the Raspberry Pi Pico; made by firmware/pins/generate.py from firmware/pins/pico.toml: change that, then `make -C firmware pins`. */
#ifndef SCHARTEN_PINS_H
#define SCHARTEN_PINS_H

#include "../../src/size.h"

#define BOARD_NAME "scharten-pico"
#define PIEZO_PIN 26
#define PIEZO_CHANNEL 0
#define PIN_COUNT 29
#define LAMP_PINS (1U << 22 | 1U << 27 | 1U << 28)
#define ALL_DRIVE_PINS (1U << 0 | 1U << 1 | 1U << 2 | 1U << 3 | 1U << 4 | 1U << 5 | 1U << 6 | 1U << 7)

static const uint32_t DRIVE_PINS[] = {1U << 0, 1U << 1, 1U << 2, 1U << 3, 1U << 4, 1U << 5, 1U << 6, 1U << 7};

/* The contacts of the line that is driven now. */
static inline row_t pins_senses(uint32_t levels)
{
    row_t raw = 0;
    raw = (row_t)(raw | (~levels >> 8 & 0x7FF) << 0);
    return raw;
}

static inline uint8_t pins_buttons(uint32_t levels)
{
    uint8_t down = 0;
    down |= (uint8_t)((~levels >> 19 & 1) << 0); /* miss */
    down |= (uint8_t)((~levels >> 20 & 1) << 1); /* ready */
    down |= (uint8_t)((~levels >> 21 & 1) << 2); /* undo */
    return down;
}

static inline uint32_t pins_lamp(uint8_t colours)
{
    uint32_t lit = 0;
    lit |= colours & 1 ? 1U << 22 : 0; /* green */
    lit |= colours & 2 ? 1U << 27 : 0; /* blue */
    lit |= colours & 4 ? 1U << 28 : 0; /* red */
    return lit;
}

#endif
