#include "crc.h"

/* Shifts and no table: 16 steps of a table would cost 32 bytes of RAM on an AVR. */
uint16_t crc_byte(uint16_t crc, uint8_t byte)
{
    crc = (uint16_t)((crc >> 8) | (crc << 8));
    crc ^= byte;
    crc ^= (uint16_t)((crc & 0xFF) >> 4);
    crc ^= (uint16_t)(crc << 12);
    crc ^= (uint16_t)((crc & 0xFF) << 5);
    return crc;
}

uint16_t crc_bytes(uint16_t crc, const void *bytes, size_t count)
{
    const uint8_t *at = bytes;
    while (count--)
        crc = crc_byte(crc, *at++);
    return crc;
}
