/* Pins of the Arduino Uno; made by firmware/pins/generate.py from firmware/pins/uno.toml: change that, then `make -C firmware pins`. */
#ifndef SCHARTEN_PINS_H
#define SCHARTEN_PINS_H

#include <avr/io.h>

#include "../../src/size.h"

#define BOARD_NAME "scharten-uno"
#define PIEZO_CHANNEL 5

struct pin {
    volatile uint8_t *ddr;
    uint8_t mask;
};

static const struct pin DRIVE_PINS[] = {
    {&DDRD, 1 << 2}, /* 2 */
    {&DDRD, 1 << 3}, /* 3 */
    {&DDRD, 1 << 4}, /* 4 */
    {&DDRD, 1 << 5}, /* 5 */
    {&DDRD, 1 << 6}, /* 6 */
    {&DDRD, 1 << 7}, /* 7 */
    {&DDRB, 1 << 0}, /* 8 */
    {&DDRB, 1 << 1}, /* 9 */
};

static const struct pin SENSE_PINS[] = {
    {&DDRB, 1 << 2}, /* 10 */
    {&DDRB, 1 << 3}, /* 11 */
    {&DDRB, 1 << 4}, /* 12 */
    {&DDRC, 1 << 0}, /* A0 */
    {&DDRC, 1 << 1}, /* A1 */
    {&DDRC, 1 << 2}, /* A2 */
    {&DDRC, 1 << 3}, /* A3 */
    {&DDRC, 1 << 4}, /* A4 */
};

/* The contacts of the line that is driven now. */
static inline row_t pins_senses(void)
{
    row_t raw = 0;
    raw = (row_t)(raw | ((PINB & 0x1C) >> 2));
    raw = (row_t)(raw | (row_t)((PINC & 0x1F) << 3));
    return (row_t)~raw;
}

#define DRIVE_LOW(port, bit) (PORT##port &= (uint8_t)~(1 << (bit)), DDR##port |= 1 << (bit))

/* Lets go of the line (an input with its pull-up: outputs must never fight), and pulls the next low, after
 * the last the first. */
static inline void pins_next_line(uint8_t line, uint8_t last)
{
    switch (line) {
    case 0:
        DDRD &= (uint8_t)~(1 << 2);
        PORTD |= 1 << 2;
        if (last == 0)
            break;
        DRIVE_LOW(D, 3);
        return;
    case 1:
        DDRD &= (uint8_t)~(1 << 3);
        PORTD |= 1 << 3;
        if (last == 1)
            break;
        DRIVE_LOW(D, 4);
        return;
    case 2:
        DDRD &= (uint8_t)~(1 << 4);
        PORTD |= 1 << 4;
        if (last == 2)
            break;
        DRIVE_LOW(D, 5);
        return;
    case 3:
        DDRD &= (uint8_t)~(1 << 5);
        PORTD |= 1 << 5;
        if (last == 3)
            break;
        DRIVE_LOW(D, 6);
        return;
    case 4:
        DDRD &= (uint8_t)~(1 << 6);
        PORTD |= 1 << 6;
        if (last == 4)
            break;
        DRIVE_LOW(D, 7);
        return;
    case 5:
        DDRD &= (uint8_t)~(1 << 7);
        PORTD |= 1 << 7;
        if (last == 5)
            break;
        DRIVE_LOW(B, 0);
        return;
    case 6:
        DDRB &= (uint8_t)~(1 << 0);
        PORTB |= 1 << 0;
        if (last == 6)
            break;
        DRIVE_LOW(B, 1);
        return;
    case 7:
        DDRB &= (uint8_t)~(1 << 1);
        PORTB |= 1 << 1;
    }
    DRIVE_LOW(D, 2);
}

/* All lines let go, pull-ups for them and the buttons, outputs for the lamp; then the first line low. */
static inline void pins_start(void)
{
    for (uint8_t i = 0; i < MAX_DRIVES; i++) {
        *DRIVE_PINS[i].ddr &= (uint8_t)~DRIVE_PINS[i].mask;
        *(DRIVE_PINS[i].ddr + 1) |= DRIVE_PINS[i].mask;
    }
    for (uint8_t i = 0; i < MAX_SENSES; i++) {
        *SENSE_PINS[i].ddr &= (uint8_t)~SENSE_PINS[i].mask;
        *(SENSE_PINS[i].ddr + 1) |= SENSE_PINS[i].mask;
    }
    DRIVE_LOW(D, 2);
    DDRB |= 1 << 5;
}

static inline uint8_t pins_buttons(void)
{
    uint8_t down = 0;
    return down;
}

static inline void pins_lamp(uint8_t colours)
{
    if (colours & 7) /* any */
        PORTB |= 1 << 5;
    else
        PORTB &= (uint8_t)~(1 << 5);
}

#endif
