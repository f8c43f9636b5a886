/* The settings that the host may change. */
#ifndef SCHARTEN_SETTINGS_H
#define SCHARTEN_SETTINGS_H

#include "size.h"

enum setting { KNOCK_THRESHOLD, KNOCK_WINDOW_MS, VOTE_WINDOW_MS, LAMP, DRIVE_LINES, SENSE_LINES, SETTINGS };

struct settings {
    uint16_t values[SETTINGS];
};

void settings_start(struct settings *settings, struct matrix matrix);
struct matrix settings_matrix(const struct settings *settings);
const char *setting_name(uint8_t which);
/* SETTINGS if there is none of this name. */
uint8_t setting_named(const char *name, uint8_t length);
/* A value out of range leaves the setting as it is; the answer shows that. */
void setting_change(struct settings *settings, uint8_t which, uint16_t value);

#endif
