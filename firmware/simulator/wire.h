/* The serial line between the simulated board and whoever listens: a pty, and a log of whole lines on stdout. */
#ifndef SCHARTEN_WIRE_H
#define SCHARTEN_WIRE_H

#include <stdbool.h>
#include <stdint.h>

/* Opens the pty; returns the name of its other end, or NULL with errno set. */
const char *wire_open(void);
/* Damages one bit of so many bytes in a million, both ways. */
void wire_damage(unsigned per_million, unsigned seed);
/* Print every line that the board sends: `# line FIRST_US LAST_US TEXT`. */
void wire_log(bool on);
/* A byte leaves the board; `from` and `until`: when it begins and ends on the line, in cycles. */
void wire_from_board(uint8_t byte, uint64_t from, uint64_t until);
/* As if the host had sent these bytes (not through the pty). */
void wire_inject(const uint8_t *bytes, unsigned count);
/* As if the board had sent these bytes: noise towards the host. */
void wire_noise(const uint8_t *bytes, unsigned count);
/* Takes what the host wrote into the pty; waits up to a second until `total` bytes came in all. False: they did not. */
bool wire_wait(unsigned long total);
void wire_poll(void);
/* The next byte for the board. */
bool wire_to_board(uint8_t *byte);
/* True once after somebody opened the port: what DTR tells a real board. */
bool wire_was_opened(void);
/* Bytes that went to the host so far. */
unsigned long wire_sent(void);
unsigned long wire_damaged(void);

#endif
