/* Pins of the Arduino Uno; made by firmware/pins/generate.py from firmware/pins/uno.toml: change that, then `make -C firmware pins`. */
#ifndef SCHARTEN_PINS_H
#define SCHARTEN_PINS_H

#include <avr/io.h>

#include "../../src/size.h"

#define BOARD_NAME "scharten-uno"
#define PIEZO_CHANNEL 5
#if DRIVES > 8 || SENSES > 8
#error "the Arduino Uno has pins for 8 drive and 8 sense lines"
#endif

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
#if SENSES > 3
    raw = (row_t)(raw | (row_t)((PINC & 0x1F) << 3));
#endif
    return (row_t)~raw & ALL_SENSES;
}

#define DRIVE_LOW(port, bit) (PORT##port &= (uint8_t)~(1 << (bit)), DDR##port |= 1 << (bit))

/* Lets go of the line (an input with its pull-up: outputs must never fight) and pulls the next one low. */
static inline void pins_next_line(uint8_t line)
{
    switch (line) {
    case 0:
        DDRD &= (uint8_t)~(1 << 2);
        PORTD |= 1 << 2;
#if DRIVES > 1
        DRIVE_LOW(D, 3);
#else
        DRIVE_LOW(D, 2);
#endif
        break;
#if DRIVES > 1
    case 1:
        DDRD &= (uint8_t)~(1 << 3);
        PORTD |= 1 << 3;
#if DRIVES > 2
        DRIVE_LOW(D, 4);
#else
        DRIVE_LOW(D, 2);
#endif
        break;
#endif
#if DRIVES > 2
    case 2:
        DDRD &= (uint8_t)~(1 << 4);
        PORTD |= 1 << 4;
#if DRIVES > 3
        DRIVE_LOW(D, 5);
#else
        DRIVE_LOW(D, 2);
#endif
        break;
#endif
#if DRIVES > 3
    case 3:
        DDRD &= (uint8_t)~(1 << 5);
        PORTD |= 1 << 5;
#if DRIVES > 4
        DRIVE_LOW(D, 6);
#else
        DRIVE_LOW(D, 2);
#endif
        break;
#endif
#if DRIVES > 4
    case 4:
        DDRD &= (uint8_t)~(1 << 6);
        PORTD |= 1 << 6;
#if DRIVES > 5
        DRIVE_LOW(D, 7);
#else
        DRIVE_LOW(D, 2);
#endif
        break;
#endif
#if DRIVES > 5
    case 5:
        DDRD &= (uint8_t)~(1 << 7);
        PORTD |= 1 << 7;
#if DRIVES > 6
        DRIVE_LOW(B, 0);
#else
        DRIVE_LOW(D, 2);
#endif
        break;
#endif
#if DRIVES > 6
    case 6:
        DDRB &= (uint8_t)~(1 << 0);
        PORTB |= 1 << 0;
#if DRIVES > 7
        DRIVE_LOW(B, 1);
#else
        DRIVE_LOW(D, 2);
#endif
        break;
#endif
#if DRIVES > 7
    case 7:
        DDRB &= (uint8_t)~(1 << 1);
        PORTB |= 1 << 1;
        DRIVE_LOW(D, 2);
        break;
#endif
    }
}

/* Pull-ups for lines and buttons, outputs for the lamp. */
static inline void pins_start(void)
{
    for (uint8_t i = 0; i < DRIVES; i++)
        *(DRIVE_PINS[i].ddr + 1) |= DRIVE_PINS[i].mask;
    for (uint8_t i = 0; i < SENSES; i++)
        *(SENSE_PINS[i].ddr + 1) |= SENSE_PINS[i].mask;
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
