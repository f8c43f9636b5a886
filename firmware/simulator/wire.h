/* The serial line between the simulated board and the host: a pty, and a log of whole lines on stdout. */
#ifndef SCHARTEN_WIRE_H
#define SCHARTEN_WIRE_H

#include <stdbool.h>
#include <stdint.h>

/* Opens the pty; returns the name of its other end, or NULL with errno set. */
const char *wire_open(void);
/* Damages one bit in `per_million` of a million bytes, both ways. */
void wire_damage(unsigned per_million, unsigned seed);
/* Prints every line that the board sends: `# line FIRST_US LAST_US TEXT`. */
void wire_log(bool on);
/* A byte leaves the board; `from` and `until`: when it begins and ends on the line, in cycles. */
void wire_from_board(uint8_t byte, uint64_t from, uint64_t until);
/* Sends bytes to the board as if from the host, past the pty. */
void wire_inject(const uint8_t *bytes, unsigned count);
/* Sends noise to the host as if from the board. */
void wire_noise(const uint8_t *bytes, unsigned count);
/* Takes what the host wrote into the pty; waits up to a second for `total` bytes in all. False: they did not arrive. */
bool wire_wait(unsigned long total);
void wire_poll(void);
/* Stores the next byte for the board; false without one. */
bool wire_to_board(uint8_t *byte);
/* Returns true once after the port was opened: a real board sees it on DTR. */
bool wire_was_opened(void);
/* Returns how many bytes went to the host so far. */
unsigned long wire_sent(void);
unsigned long wire_damaged(void);

#endif
