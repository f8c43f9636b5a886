/* What runs in the simulated electronics: the compiled program in simavr, or the portable core alone. */
#ifndef SCHARTEN_ENGINE_H
#define SCHARTEN_ENGINE_H

#include <stdbool.h>
#include <stdint.h>

/* From the command line; the core alone needs none of it. Pins as "A0": port and bit. */
struct engine_options {
    const char *mcu, *program;
    const char *drives, *senses, *buttons, *lamp; /* comma-separated pins */
    int piezo;
    double settle_us; /* a line needs this long to follow its drive */
};

/* What the engine has seen so far, for the benchmark. */
struct engine_figures {
    double pass_min_us, pass_mean_us, pass_max_us; /* between two passes over the matrix */
    double interrupt_share;                        /* of all cycles, spent in interrupts */
    unsigned stack;             /* bytes: the deepest that an interrupt met, with its own registers */
    unsigned long early_reads;  /* senses read before the line had settled */
    unsigned long driven_high;  /* drive lines that were outputs at 5 V */
};

/* False, with words on stderr, if it cannot start. */
bool engine_start(const struct engine_options *options);
uint64_t engine_now(void);
/* Runs until `until` or a little later. False: the program crashed. */
bool engine_run(uint64_t until);
/* The reset button (or DTR): the RAM keeps its contents. */
void engine_reset(void);
/* From the next reset on a boot loader comes first: it listens for so long, and after any byte as long as bytes come
 * and then for so long again. 0: none. */
void engine_boot_loader(double listens_us, double session_us);
/* The program goes astray, into a loop that never ends; interrupts go on. */
void engine_hang(void);
/* Whether somebody has the port open, for a board that can tell; at first somebody has. */
void engine_line(bool open);
/* So many bytes reach the program with their stop bit missing. */
void engine_spoil(unsigned count);
/* Off and on again: the RAM holds rubbish that depends on the seed. */
void engine_power(unsigned seed);
/* Which lamp pins are lit, one bit each. */
unsigned engine_lamp(void);
void engine_knock_planned(void);
/* One byte of RAM; 0 where there is none. */
uint8_t engine_peek(unsigned address);
void engine_poke(unsigned address, uint8_t value);
struct engine_figures engine_figures(void);
void engine_clear_figures(void);

#endif
