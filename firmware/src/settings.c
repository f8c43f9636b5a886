#include "settings.h"

#include <string.h>

static const struct {
    char name[16];
    uint16_t start, most;
} TABLE[SETTINGS] = {
    [KNOCK_THRESHOLD] = {"knock_threshold", 0, 1023}, /* 0: off. An open pin would knock all day */
    [KNOCK_WINDOW_MS] = {"knock_window_ms", 60, 1000},
    [VOTE_WINDOW_MS] = {"vote_window_ms", 5, 50},
    [LAMP] = {"lamp", 0, 4},
};

void settings_start(struct settings *settings)
{
    for (uint8_t i = 0; i < SETTINGS; i++)
        settings->values[i] = TABLE[i].start;
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
    if (value <= TABLE[which].most)
        settings->values[which] = value;
}
