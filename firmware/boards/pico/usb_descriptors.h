/* The board's description of itself over USB: a serial line (CDC-ACM), which every system has a driver for. */
#ifndef SCHARTEN_USB_DESCRIPTORS_H
#define SCHARTEN_USB_DESCRIPTORS_H

#include <stdint.h>

#define WORD(value) (uint8_t)((value) & 0xFF), (uint8_t)((value) >> 8)

static const uint8_t DEVICE[] = {
    18, 1, WORD(0x0200), 0xEF, 2, 1, 64, /* USB 2.0; its interfaces are described as one; 64 bytes in endpoint 0 */
    WORD(0x2E8A), WORD(0x000A),          /* Raspberry Pi, a serial line on an RP2040: see firmware/README.md */
    WORD(0x0120), 1, 2, 0, 1,            /* version, strings 1 and 2, no serial number yet, one configuration */
};
#define SERIAL_INDEX 16 /* in DEVICE */

#define CONFIGURATION_LENGTH 75
static const uint8_t CONFIGURATION[CONFIGURATION_LENGTH] = {
    9, 2, WORD(CONFIGURATION_LENGTH), 2, 1, 0, 0x80, 125, /* two interfaces, 250 mA from the bus */
    8, 11, 0, 2, 2, 2, 0, 0,                              /* both are one line */
    9, 4, 0, 0, 1, 2, 2, 0, 0,                            /* interface 0: its control */
    5, 0x24, 0x00, WORD(0x0110),                          /* CDC 1.1 */
    5, 0x24, 0x01, 0, 1,                                  /* no calls */
    4, 0x24, 0x02, 2,                                     /* line coding and state */
    5, 0x24, 0x06, 0, 1,                                  /* interface 0 controls interface 1 */
    7, 5, 0x81, 3, WORD(8), 255,                          /* endpoint 1 in: notifications */
    9, 4, 1, 0, 2, 10, 0, 0, 0,                           /* interface 1: its data */
    7, 5, 0x82, 2, WORD(64), 0,                           /* endpoint 2 in */
    7, 5, 0x02, 2, WORD(64), 0,                           /* endpoint 2 out */
};

/* Each is its length, 3, and UTF-16; the first is the language: English. */
static const uint8_t LANGUAGE[] = {4, 3, WORD(0x0409)};
static const uint8_t MAKER[] = {18, 3, 'S', 0, 'c', 0, 'h', 0, 'a', 0, 'r', 0, 't', 0, 'e', 0, 'n', 0};
static const uint8_t PRODUCT[] = {20, 3, 'D', 0, 'a', 0, 'r', 0, 't', 0, 'b', 0, 'o', 0, 'a', 0, 'r', 0, 'd', 0};

#endif
