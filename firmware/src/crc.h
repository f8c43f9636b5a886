/* CRC-16 of the board protocol: polynomial 0x1021, start 0xFFFF. */
#ifndef SCHARTEN_CRC_H
#define SCHARTEN_CRC_H

#include <stddef.h>
#include <stdint.h>

#define CRC_START 0xFFFFU

uint16_t crc_byte(uint16_t crc, uint8_t byte);
uint16_t crc_bytes(uint16_t crc, const void *bytes, size_t count);

#endif
