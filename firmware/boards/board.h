/* What a board must offer to main.c: passes over its matrix, bytes both ways, buttons, lamp, a good random number. */
#ifndef SCHARTEN_BOARD_H
#define SCHARTEN_BOARD_H

#include "../src/size.h"

/* Sets up pins, ADC, line and watchdog, and starts to scan. */
void board_start(struct matrix matrix);
/* Scans a matrix of another size from now on, and keeps it where the board can. */
void board_matrix(struct matrix matrix);
/* The size that was kept, or that most dartboards have. */
struct matrix board_kept_matrix(void);
/* True if the watchdog ended the program before: to be asked once, before board_start. */
bool board_was_restarted(void);
/* To be called more often than four times a second: else the watchdog starts the program anew. */
void board_alive(void);
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
/* How many bytes of the host were damaged or lost since the start. */
uint16_t board_line_errors(void);
/* True once after a host has opened the port, on a board that can tell. */
bool board_opened(void);
/* Room for a byte to the host. */
bool board_has_room(void);
void board_put(char byte);
/* Waits until a pass or a byte is there. */
void board_sleep(void);
/* A number that differs from one lost memory to the next. */
uint32_t board_random(void);

#endif
