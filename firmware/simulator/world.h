/* The simulated electronics: switches, buttons, piezo, and their planned changes. Times in 16 MHz cycles. */
#ifndef SCHARTEN_WORLD_H
#define SCHARTEN_WORLD_H

#include <stdbool.h>
#include <stdint.h>

#define CYCLES_PER_US 16
#define LINES 16

/* Contact (drive, sense) closes or opens at `at`. */
void world_contact(uint64_t at, int drive, int sense, bool closed);
/* Bounces for `bounce_us`, is closed for `closed_us`, bounces open for `bounce_us`. */
void world_press(uint64_t at, int drive, int sense, double closed_us, double bounce_us, unsigned seed);
void world_button(uint64_t at, int button, bool down);
/* A blow on the piezo: a decaying oscillation that starts at `millivolts`. */
void world_knock(uint64_t at, int millivolts, double decay_us);
/* All contacts open, all buttons up, the piezo still, nothing planned. */
void world_calm(void);
/* Returns the time of the next planned change after `now`; UINT64_MAX without one. */
uint64_t world_next(uint64_t now);
/* Carries out every change due by `now`. */
void world_advance(uint64_t now);

/* Returns the senses that read low while these drive lines are low, by any way through closed contacts. */
uint16_t world_senses(uint16_t low_drives);
uint8_t world_buttons(void);
int world_piezo_mv(uint64_t now);
/* Returns whether a blow is ringing or planned. */
bool world_piezo_busy(uint64_t now);

#endif
