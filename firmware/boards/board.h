/* The functions of a board for main.c: passes over its matrix, bytes both ways, buttons, lamp, a random number. */
#ifndef SCHARTEN_BOARD_H
#define SCHARTEN_BOARD_H

#include "../src/size.h"

/* Sets up pins, ADC, line and watchdog, and starts to scan. */
void board_start(struct matrix matrix);
/* Scans a matrix of this size from now on, and stores the size if the board can. */
void board_matrix(struct matrix matrix);
/* Returns the stored size, or the size of most dartboards. */
struct matrix board_kept_matrix(void);
/* Returns whether the watchdog ended the program; call it once, before board_start. */
bool board_was_restarted(void);
/* Call it at least four times a second, or the watchdog restarts the program. */
void board_alive(void);
/* Returns the name in the hello line. */
const char *board_name(void);
/* Stores the next complete pass; false without one. */
bool board_frame(struct frame *frame);
/* Returns one bit for each button that is down. */
uint8_t board_buttons(void);
/* Shows these colours (bits of lamp_colour). */
void board_lamp(uint8_t colours);
/* Stores the next byte from the host; false without one. */
bool board_received(char *byte);
/* Returns how many bytes of the host were damaged or lost since the start. */
uint16_t board_line_errors(void);
/* Returns true once after a host has opened the port, on boards that can notice it. */
bool board_opened(void);
/* Returns whether there is room for a byte to the host. */
bool board_has_room(void);
void board_put(char byte);
/* Waits for a pass or a byte. */
void board_sleep(void);
/* Returns a number that differs after each loss of memory. */
uint32_t board_random(void);

#endif
