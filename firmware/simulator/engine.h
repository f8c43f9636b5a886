/* The engine of the simulated electronics: the compiled program in simavr, or the portable core alone. */
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

/* The engine's counts so far, for the benchmark. */
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
/* Runs a boot loader before the program from the next reset on. It listens for `listens_us`; after any byte it waits
 * for `session_us` without bytes. 0: no boot loader. */
void engine_boot_loader(double listens_us, double session_us);
/* Sends the program into an endless loop; interrupts go on. */
void engine_hang(void);
/* Reports an open or closed port to a board with native USB; the port is open at the start. */
void engine_line(bool open);
/* The next `count` bytes reach the program without their stop bit. */
void engine_spoil(unsigned count);
/* Switches off and on: the RAM then holds random bytes from the seed. */
void engine_power(unsigned seed);
/* Returns the lit lamp pins, one bit each. */
unsigned engine_lamp(void);
void engine_knock_planned(void);
/* Returns one byte of RAM; 0 outside of it. */
uint8_t engine_peek(unsigned address);
void engine_poke(unsigned address, uint8_t value);
struct engine_figures engine_figures(void);
void engine_clear_figures(void);

#endif
