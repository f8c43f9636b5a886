#include "settings.h"

#include <string.h>

static const struct {
    char name[16];
    uint16_t start, least, most;
} TABLE[SETTINGS] = {
    [KNOCK_THRESHOLD] = {"knock_threshold", 0, 0, 1023}, /* 0: off, because an open pin would knock all day */
    [KNOCK_WINDOW_MS] = {"knock_window_ms", 60, 0, 1000},
    [VOTE_WINDOW_MS] = {"vote_window_ms", 5, 0, 50},
    [LAMP] = {"lamp", 0, 0, 4},
    [DRIVE_LINES] = {"drives", 0, 1, MAX_DRIVES}, /* these two start with the board's stored size */
    [SENSE_LINES] = {"senses", 0, 1, MAX_SENSES},
};

void settings_start(struct settings *settings, struct matrix matrix)
{
    for (uint8_t i = 0; i < SETTINGS; i++)
        settings->values[i] = TABLE[i].start;
    setting_change(settings, DRIVE_LINES, matrix.drives ? matrix.drives : MAX_DRIVES);
    setting_change(settings, SENSE_LINES, matrix.senses ? matrix.senses : MAX_SENSES);
}

struct matrix settings_matrix(const struct settings *settings)
{
    return (struct matrix){(uint8_t)settings->values[DRIVE_LINES], (uint8_t)settings->values[SENSE_LINES]};
}

const char *setting_name(uint8_t which)
{
    return TABLE[which].name;
}

uint8_t setting_named(const char *name, uint8_t length)
{
    uint8_t which = 0;
    while (which < SETTINGS && (strlen(TABLE[which].name) != length || strncmp(TABLE[which].name, name, length) != 0))
        which++;
    return which;
}

void setting_change(struct settings *settings, uint8_t which, uint16_t value)
{
    if (value >= TABLE[which].least && value <= TABLE[which].most)
        settings->values[which] = value;
}
