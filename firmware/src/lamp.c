#include "lamp.h"

/* The rhythm has 8 beats of 128 ms; a set bit is a lit beat. */
static const struct {
    uint8_t colour, rhythm;
} LOOKS[LAMP_STATES] = {
    [LAMP_OFF] = {0, 0x00},
    [LAMP_THROW] = {LAMP_GREEN, 0xFF},   /* steady */
    [LAMP_COUNTED] = {LAMP_BLUE, 0x0F},  /* slow */
    [LAMP_LOST] = {LAMP_RED, 0x55},      /* fast */
    [LAMP_FAULT] = {LAMP_RED | LAMP_BLUE, 0x05}, /* two flashes and a pause */
};

uint8_t lamp_colours(uint8_t state, uint32_t t_ms)
{
    uint8_t beat = (uint8_t)(t_ms >> 7) & 7;
    return LOOKS[state].rhythm >> beat & 1 ? LOOKS[state].colour : 0;
}
