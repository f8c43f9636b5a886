#include "buttons.h"

void buttons_start(struct buttons *buttons)
{
    /* As if all were held: one held at power-up must be let go before it counts. */
    *buttons = (struct buttons){.down = (1U << BUTTONS) - 1};
}

uint8_t buttons_millisecond(struct buttons *buttons, uint8_t pressed)
{
    uint8_t went_down = 0;
    for (uint8_t i = 0; i < BUTTONS; i++) {
        uint8_t bit = (uint8_t)(1U << i);
        if (!((pressed ^ buttons->down) & bit)) {
            buttons->steady_ms[i] = 0;
        } else if (++buttons->steady_ms[i] >= BUTTON_MS) {
            buttons->steady_ms[i] = 0;
            buttons->down ^= bit;
            went_down |= buttons->down & bit;
        }
    }
    return went_down;
}
