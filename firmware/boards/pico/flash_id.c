/* The number that the maker burnt into the flash chip: command 4Bh (data sheet of the W25Q16JV). */
#include "flash_id.h"
#include "rp2040.h"

#define CHIP_SELECT 0x4001800CU
enum { SELECT_BY_SSI = 0, SELECT_LOW = 2 << 8, SELECT_HIGH = 3 << 8 };
#define SSI_CONTROL 0x18000000U
#define SSI_ENABLE 0x18000008U
#define SSI_SELECTED 0x18000010U
#define SSI_BAUD 0x18000014U
#define SSI_STATUS 0x18000028U
#define SSI_DATA 0x18000060U
enum { CAN_SEND = 1 << 1, HAS_RECEIVED = 1 << 3 };
#define BYTES_BOTH_WAYS (7U << 16)
#define SLOW 16 /* of the system clock: every chip can follow at 8 MHz */

#define READ_UNIQUE_ID 0x4BU
#define EMPTY_BYTES 4

static uint8_t exchange(uint8_t byte)
{
    while (!(REGISTER(SSI_STATUS) & CAN_SEND))
        ;
    REGISTER(SSI_DATA) = byte;
    while (!(REGISTER(SSI_STATUS) & HAS_RECEIVED))
        ;
    return (uint8_t)REGISTER(SSI_DATA);
}

/* A chip without a number leaves the line high or low: then all bytes are alike. */
bool flash_id(uint8_t id[FLASH_ID_BYTES])
{
    REGISTER(SSI_ENABLE) = 0;
    REGISTER(SSI_BAUD) = SLOW;
    REGISTER(SSI_CONTROL) = BYTES_BOTH_WAYS;
    REGISTER(SSI_SELECTED) = 1;
    REGISTER(SSI_ENABLE) = 1;
    REGISTER(CHIP_SELECT) = SELECT_LOW;
    exchange(READ_UNIQUE_ID);
    for (uint8_t i = 0; i < EMPTY_BYTES; i++)
        exchange(0);
    bool differs = false;
    for (uint8_t i = 0; i < FLASH_ID_BYTES; i++) {
        id[i] = exchange(0);
        differs = differs || id[i] != id[0];
    }
    REGISTER(CHIP_SELECT) = SELECT_HIGH;
    REGISTER(CHIP_SELECT) = SELECT_BY_SSI;
    return differs;
}
