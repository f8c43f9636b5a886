/* The lamp: each state has a colour and a rhythm of its own, so that a single LED tells them apart too. */
#ifndef SCHARTEN_LAMP_H
#define SCHARTEN_LAMP_H

#include <stdint.h>

enum lamp_state { LAMP_OFF, LAMP_THROW, LAMP_COUNTED, LAMP_LOST, LAMP_FAULT, LAMP_STATES };
enum lamp_colour { LAMP_GREEN = 1, LAMP_BLUE = 2, LAMP_RED = 4 };

/* The colours lit at this moment, as bits of lamp_colour; 0: dark. */
uint8_t lamp_colours(uint8_t state, uint32_t t_ms);

#endif
