/* Pins of the Arduino Mega 2560; made by firmware/pins/generate.py from firmware/pins/mega2560.toml: change that, then `make -C firmware pins`. */
#ifndef SCHARTEN_PINS_H
#define SCHARTEN_PINS_H

#include <avr/io.h>

#include "../../src/size.h"

#define BOARD_NAME "scharten-mega"
#define PIEZO_CHANNEL 0

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
    raw = (row_t)(raw | (row_t)(PINK << 8));
    return (row_t)~raw;
}

#define DRIVE_LOW(port, bit) (PORT##port &= (uint8_t)~(1 << (bit)), DDR##port |= 1 << (bit))

/* Lets go of the line (an input with its pull-up: outputs must never fight), and pulls the next low, after
 * the last the first. */
static inline void pins_next_line(uint8_t line, uint8_t last)
{
    switch (line) {
    case 0:
        DDRA &= (uint8_t)~(1 << 0);
        PORTA |= 1 << 0;
        if (last == 0)
            break;
        DRIVE_LOW(A, 1);
        return;
    case 1:
        DDRA &= (uint8_t)~(1 << 1);
        PORTA |= 1 << 1;
        if (last == 1)
            break;
        DRIVE_LOW(A, 2);
        return;
    case 2:
        DDRA &= (uint8_t)~(1 << 2);
        PORTA |= 1 << 2;
        if (last == 2)
            break;
        DRIVE_LOW(A, 3);
        return;
    case 3:
        DDRA &= (uint8_t)~(1 << 3);
        PORTA |= 1 << 3;
        if (last == 3)
            break;
        DRIVE_LOW(A, 4);
        return;
    case 4:
        DDRA &= (uint8_t)~(1 << 4);
        PORTA |= 1 << 4;
        if (last == 4)
            break;
        DRIVE_LOW(A, 5);
        return;
    case 5:
        DDRA &= (uint8_t)~(1 << 5);
        PORTA |= 1 << 5;
        if (last == 5)
            break;
        DRIVE_LOW(A, 6);
        return;
    case 6:
        DDRA &= (uint8_t)~(1 << 6);
        PORTA |= 1 << 6;
        if (last == 6)
            break;
        DRIVE_LOW(A, 7);
        return;
    case 7:
        DDRA &= (uint8_t)~(1 << 7);
        PORTA |= 1 << 7;
        if (last == 7)
            break;
        DRIVE_LOW(C, 7);
        return;
    case 8:
        DDRC &= (uint8_t)~(1 << 7);
        PORTC |= 1 << 7;
        if (last == 8)
            break;
        DRIVE_LOW(C, 6);
        return;
    case 9:
        DDRC &= (uint8_t)~(1 << 6);
        PORTC |= 1 << 6;
        if (last == 9)
            break;
        DRIVE_LOW(C, 5);
        return;
    case 10:
        DDRC &= (uint8_t)~(1 << 5);
        PORTC |= 1 << 5;
        if (last == 10)
            break;
        DRIVE_LOW(C, 4);
        return;
    case 11:
        DDRC &= (uint8_t)~(1 << 4);
        PORTC |= 1 << 4;
        if (last == 11)
            break;
        DRIVE_LOW(C, 3);
        return;
    case 12:
        DDRC &= (uint8_t)~(1 << 3);
        PORTC |= 1 << 3;
        if (last == 12)
            break;
        DRIVE_LOW(C, 2);
        return;
    case 13:
        DDRC &= (uint8_t)~(1 << 2);
        PORTC |= 1 << 2;
        if (last == 13)
            break;
        DRIVE_LOW(C, 1);
        return;
    case 14:
        DDRC &= (uint8_t)~(1 << 1);
        PORTC |= 1 << 1;
        if (last == 14)
            break;
        DRIVE_LOW(C, 0);
        return;
    case 15:
        DDRC &= (uint8_t)~(1 << 0);
        PORTC |= 1 << 0;
    }
    DRIVE_LOW(A, 0);
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
