/* What a board must offer to main.c: passes over its matrix, bytes both ways, buttons, lamp, a good random number. */
#ifndef SCHARTEN_BOARD_H
#define SCHARTEN_BOARD_H

#include "../src/size.h"

/* Sets up pins, ADC and UART, and starts to scan. */
void board_start(void);
/* The name in the hello line. */
const char *board_name(void);
/* The next pass, if one is complete. */
bool board_frame(struct frame *frame);
/* One bit for each button that is down. */
uint8_t board_buttons(void);
/* Shows these colours (bits of lamp_colour). */
void board_lamp(uint8_t colours);
/* The next byte from the host, if there is one. */
bool board_received(char *byte);
/* Room for a byte to the host. */
bool board_has_room(void);
void board_put(char byte);
/* Waits until a pass or a byte is there. */
void board_sleep(void);
/* A number that differs from one lost memory to the next. */
uint32_t board_random(void);

#endif
