/* The flash chip's own number, by which two boards differ. */
#ifndef SCHARTEN_FLASH_ID_H
#define SCHARTEN_FLASH_ID_H

#include <stdbool.h>
#include <stdint.h>

#define FLASH_ID_BYTES 8

/* Reads the number; false if the chip has none. Afterwards the flash cannot be read as memory until the next reset: the
 * program runs in RAM, and its start must be over. */
bool flash_id(uint8_t id[FLASH_ID_BYTES]);

#endif
