#include "text.h"

#include <string.h>

#include "crc.h"

static void put(struct line *line, char byte)
{
    line->crc = crc_byte(line->crc, (uint8_t)byte);
    line->bytes[line->length++] = byte;
}

void line_begin(struct line *line, char letter)
{
    line->bytes[0] = '$';
    line->length = 1;
    line->crc = CRC_START;
    put(line, letter);
}

/* Subtracts powers of ten: a 32-bit division costs an AVR ten times as much. */
void line_number(struct line *line, uint32_t value)
{
    static const uint32_t POWERS[] = {1000000000UL, 100000000UL, 10000000UL, 1000000UL, 100000UL,
                                      10000UL,      1000UL,      100UL,      10UL,      1UL};
    bool started = false;
    put(line, ',');
    for (uint8_t i = 0; i < sizeof POWERS / sizeof *POWERS; i++) {
        char digit = '0';
        while (value >= POWERS[i]) {
            value -= POWERS[i];
            digit++;
        }
        started = started || digit != '0' || POWERS[i] == 1;
        if (started)
            put(line, digit);
    }
}

void line_word(struct line *line, const char *word)
{
    put(line, ',');
    while (*word)
        put(line, *word++);
}

static char hex_digit(uint8_t value)
{
    return (char)(value < 10 ? '0' + value : 'A' + value - 10);
}

void line_end(struct line *line)
{
    uint16_t crc = line->crc;
    put(line, '*');
    for (int8_t shift = 12; shift >= 0; shift = (int8_t)(shift - 4))
        put(line, hex_digit(crc >> shift & 15));
    put(line, '\n');
}

/* Returns 0 to 15, or 16 for a character that is not a hex digit. */
static uint8_t hex_value(char digit)
{
    if (digit >= '0' && digit <= '9')
        return (uint8_t)(digit - '0');
    if (digit >= 'A' && digit <= 'F')
        return (uint8_t)(digit - 'A' + 10);
    if (digit >= 'a' && digit <= 'f')
        return (uint8_t)(digit - 'a' + 10);
    return 16;
}

bool text_is_sound(char *text, uint8_t length)
{
    if (length < 7 || text[0] != '$' || text[length - 5] != '*')
        return false;
    uint16_t claimed = 0;
    for (uint8_t i = 4; i; i--) {
        uint8_t value = hex_value(text[length - i]);
        if (value > 15)
            return false;
        claimed = (uint16_t)(claimed << 4 | value);
    }
    text[length - 5] = '\0';
    return strlen(text) == length - 5U && crc_bytes(CRC_START, text + 1, length - 6U) == claimed;
}

bool text_number(const char **at, uint16_t *value)
{
    const char *digit = *at;
    uint32_t sum = 0;
    while (*digit >= '0' && *digit <= '9' && sum <= UINT16_MAX)
        sum = sum * 10 + (uint32_t)(*digit++ - '0');
    if (digit == *at || sum > UINT16_MAX)
        return false;
    *value = (uint16_t)sum;
    *at = digit;
    return true;
}
