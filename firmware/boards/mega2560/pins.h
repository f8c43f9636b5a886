/* Pins of the Arduino Mega 2560; made by firmware/pins/generate.py from firmware/pins/mega2560.toml: change that, then `make -C firmware pins`. */
#ifndef SCHARTEN_PINS_H
#define SCHARTEN_PINS_H

#include <avr/io.h>

#include "../../src/size.h"

#define BOARD_NAME "scharten-mega"
#define PIEZO_CHANNEL 0
#if DRIVES > 16 || SENSES > 16
#error "the Arduino Mega 2560 has pins for 16 drive and 16 sense lines"
#endif

struct pin {
    volatile uint8_t *ddr;
    uint8_t mask;
};

static const struct pin DRIVE_PINS[] = {
    {&DDRA, 1 << 0}, /* 22 */
    {&DDRA, 1 << 1}, /* 23 */
    {&DDRA, 1 << 2}, /* 24 */
    {&DDRA, 1 << 3}, /* 25 */
    {&DDRA, 1 << 4}, /* 26 */
    {&DDRA, 1 << 5}, /* 27 */
    {&DDRA, 1 << 6}, /* 28 */
    {&DDRA, 1 << 7}, /* 29 */
    {&DDRC, 1 << 7}, /* 30 */
    {&DDRC, 1 << 6}, /* 31 */
    {&DDRC, 1 << 5}, /* 32 */
    {&DDRC, 1 << 4}, /* 33 */
    {&DDRC, 1 << 3}, /* 34 */
    {&DDRC, 1 << 2}, /* 35 */
    {&DDRC, 1 << 1}, /* 36 */
    {&DDRC, 1 << 0}, /* 37 */
};

static const struct pin SENSE_PINS[] = {
    {&DDRL, 1 << 0}, /* 49 */
    {&DDRL, 1 << 1}, /* 48 */
    {&DDRL, 1 << 2}, /* 47 */
    {&DDRL, 1 << 3}, /* 46 */
    {&DDRL, 1 << 4}, /* 45 */
    {&DDRL, 1 << 5}, /* 44 */
    {&DDRL, 1 << 6}, /* 43 */
    {&DDRL, 1 << 7}, /* 42 */
    {&DDRK, 1 << 0}, /* A8 */
    {&DDRK, 1 << 1}, /* A9 */
    {&DDRK, 1 << 2}, /* A10 */
    {&DDRK, 1 << 3}, /* A11 */
    {&DDRK, 1 << 4}, /* A12 */
    {&DDRK, 1 << 5}, /* A13 */
    {&DDRK, 1 << 6}, /* A14 */
    {&DDRK, 1 << 7}, /* A15 */
};

/* The contacts of the line that is driven now. */
static inline row_t pins_senses(void)
{
    row_t raw = 0;
    raw = (row_t)(raw | PINL);
#if SENSES > 8
    raw = (row_t)(raw | (row_t)(PINK << 8));
#endif
    return (row_t)~raw & ALL_SENSES;
}

#define DRIVE_LOW(port, bit) (PORT##port &= (uint8_t)~(1 << (bit)), DDR##port |= 1 << (bit))

/* Lets go of the line (an input with its pull-up: outputs must never fight) and pulls the next one low. */
static inline void pins_next_line(uint8_t line)
{
    switch (line) {
    case 0:
        DDRA &= (uint8_t)~(1 << 0);
        PORTA |= 1 << 0;
#if DRIVES > 1
        DRIVE_LOW(A, 1);
#else
        DRIVE_LOW(A, 0);
#endif
        break;
#if DRIVES > 1
    case 1:
        DDRA &= (uint8_t)~(1 << 1);
        PORTA |= 1 << 1;
#if DRIVES > 2
        DRIVE_LOW(A, 2);
#else
        DRIVE_LOW(A, 0);
#endif
        break;
#endif
#if DRIVES > 2
    case 2:
        DDRA &= (uint8_t)~(1 << 2);
        PORTA |= 1 << 2;
#if DRIVES > 3
        DRIVE_LOW(A, 3);
#else
        DRIVE_LOW(A, 0);
#endif
        break;
#endif
#if DRIVES > 3
    case 3:
        DDRA &= (uint8_t)~(1 << 3);
        PORTA |= 1 << 3;
#if DRIVES > 4
        DRIVE_LOW(A, 4);
#else
        DRIVE_LOW(A, 0);
#endif
        break;
#endif
#if DRIVES > 4
    case 4:
        DDRA &= (uint8_t)~(1 << 4);
        PORTA |= 1 << 4;
#if DRIVES > 5
        DRIVE_LOW(A, 5);
#else
        DRIVE_LOW(A, 0);
#endif
        break;
#endif
#if DRIVES > 5
    case 5:
        DDRA &= (uint8_t)~(1 << 5);
        PORTA |= 1 << 5;
#if DRIVES > 6
        DRIVE_LOW(A, 6);
#else
        DRIVE_LOW(A, 0);
#endif
        break;
#endif
#if DRIVES > 6
    case 6:
        DDRA &= (uint8_t)~(1 << 6);
        PORTA |= 1 << 6;
#if DRIVES > 7
        DRIVE_LOW(A, 7);
#else
        DRIVE_LOW(A, 0);
#endif
        break;
#endif
#if DRIVES > 7
    case 7:
        DDRA &= (uint8_t)~(1 << 7);
        PORTA |= 1 << 7;
#if DRIVES > 8
        DRIVE_LOW(C, 7);
#else
        DRIVE_LOW(A, 0);
#endif
        break;
#endif
#if DRIVES > 8
    case 8:
        DDRC &= (uint8_t)~(1 << 7);
        PORTC |= 1 << 7;
#if DRIVES > 9
        DRIVE_LOW(C, 6);
#else
        DRIVE_LOW(A, 0);
#endif
        break;
#endif
#if DRIVES > 9
    case 9:
        DDRC &= (uint8_t)~(1 << 6);
        PORTC |= 1 << 6;
#if DRIVES > 10
        DRIVE_LOW(C, 5);
#else
        DRIVE_LOW(A, 0);
#endif
        break;
#endif
#if DRIVES > 10
    case 10:
        DDRC &= (uint8_t)~(1 << 5);
        PORTC |= 1 << 5;
#if DRIVES > 11
        DRIVE_LOW(C, 4);
#else
        DRIVE_LOW(A, 0);
#endif
        break;
#endif
#if DRIVES > 11
    case 11:
        DDRC &= (uint8_t)~(1 << 4);
        PORTC |= 1 << 4;
#if DRIVES > 12
        DRIVE_LOW(C, 3);
#else
        DRIVE_LOW(A, 0);
#endif
        break;
#endif
#if DRIVES > 12
    case 12:
        DDRC &= (uint8_t)~(1 << 3);
        PORTC |= 1 << 3;
#if DRIVES > 13
        DRIVE_LOW(C, 2);
#else
        DRIVE_LOW(A, 0);
#endif
        break;
#endif
#if DRIVES > 13
    case 13:
        DDRC &= (uint8_t)~(1 << 2);
        PORTC |= 1 << 2;
#if DRIVES > 14
        DRIVE_LOW(C, 1);
#else
        DRIVE_LOW(A, 0);
#endif
        break;
#endif
#if DRIVES > 14
    case 14:
        DDRC &= (uint8_t)~(1 << 1);
        PORTC |= 1 << 1;
#if DRIVES > 15
        DRIVE_LOW(C, 0);
#else
        DRIVE_LOW(A, 0);
#endif
        break;
#endif
#if DRIVES > 15
    case 15:
        DDRC &= (uint8_t)~(1 << 0);
        PORTC |= 1 << 0;
        DRIVE_LOW(A, 0);
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
    DRIVE_LOW(A, 0);
    PORTE |= 1 << 4;
    PORTE |= 1 << 5;
    PORTG |= 1 << 5;
    DDRE |= 1 << 3;
    DDRH |= 1 << 3;
    DDRH |= 1 << 4;
    DDRB |= 1 << 7;
}

static inline uint8_t pins_buttons(void)
{
    uint8_t down = 0;
    if (!(PINE & 1 << 4))
        down |= 1 << 0; /* miss */
    if (!(PINE & 1 << 5))
        down |= 1 << 1; /* ready */
    if (!(PING & 1 << 5))
        down |= 1 << 2; /* undo */
    return down;
}

static inline void pins_lamp(uint8_t colours)
{
    if (colours & 1) /* green */
        PORTE |= 1 << 3;
    else
        PORTE &= (uint8_t)~(1 << 3);
    if (colours & 2) /* blue */
        PORTH |= 1 << 3;
    else
        PORTH &= (uint8_t)~(1 << 3);
    if (colours & 4) /* red */
        PORTH |= 1 << 4;
    else
        PORTH &= (uint8_t)~(1 << 4);
    if (colours & 7) /* any */
        PORTB |= 1 << 7;
    else
        PORTB &= (uint8_t)~(1 << 7);
}

#endif
