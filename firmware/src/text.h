/* Lines of the board protocol as text: writing them with their checksum, and taking fields out of received ones. */
#ifndef SCHARTEN_TEXT_H
#define SCHARTEN_TEXT_H

#include <stdbool.h>
#include <stdint.h>

#define LINE_BYTES 96 /* the longest line, with its `$` and its line feed */

struct line {
    uint8_t length;
    uint16_t crc;
    char bytes[LINE_BYTES];
};

void line_begin(struct line *line, char letter);
void line_number(struct line *line, uint32_t value);
void line_word(struct line *line, const char *word);
void line_end(struct line *line);

/* True if `text` is `$BODY*CCCC` with the right checksum; then its `*` has become the end of the string. */
bool text_is_sound(char *text, uint8_t length);
/* Reads a number of at most 16 bits at *at and steps behind it; false if there is none, or it is too large. */
bool text_number(const char **at, uint16_t *value);

#endif
