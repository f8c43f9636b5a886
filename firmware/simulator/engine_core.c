/* The portable core with a clock that stands still between commands: no chip, no register, the same behaviour. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../src/core.h"
#include "engine.h"
#include "wire.h"
#include "world.h"

#define BYTE_CYCLES (CYCLES_PER_US * 1000000ULL * 10 / 115200)
#define LINE_CYCLES (CYCLES_PER_US * LINE_US)

static struct ring_memory memory;
static struct core core;
static uint64_t now, line_free, byte_due;
static struct frame frame;
static uint8_t line;

static struct matrix matrix = {8, 11};

static void start(uint32_t session, bool restarted)
{
    struct start with = {"scharten-core", session, matrix, restarted};
    core_start(&core, &memory, &with);
    line = 0;
    frame.peak = 0;
}

bool engine_start(const struct engine_options *options)
{
    if (options->drives)
        matrix.drives = (uint8_t)atoi(options->drives);
    if (options->senses)
        matrix.senses = (uint8_t)atoi(options->senses);
    start(1, false);
    return true;
}

uint64_t engine_now(void)
{
    return now;
}

static void serve_line(void)
{
    uint8_t byte;
    char out;
    if (now >= byte_due && wire_to_board(&byte)) {
        core_receive(&core, (char)byte);
        byte_due = now + BYTE_CYCLES;
    }
    if (now >= line_free && core_send(&core, &out)) {
        uint64_t from = line_free + BYTE_CYCLES > now ? line_free : now; /* back to back, or after a pause */
        line_free = from + BYTE_CYCLES;
        wire_from_board((uint8_t)out, from, line_free);
    }
}

static void end_line(void)
{
    frame.rows[line] = (row_t)(world_senses((uint16_t)(1U << line)) & all_senses(matrix));
    uint8_t reading = (uint8_t)(world_piezo_mv(now) * 255 / 5000);
    if (reading > frame.peak)
        frame.peak = reading;
    if (++line < matrix.drives)
        return;
    line = 0;
    frame.passes = 1;
    core_pass(&core, &frame, world_buttons());
    frame.peak = 0;
    matrix = core_matrix(&core);
}

bool engine_run(uint64_t until)
{
    while (now < until) {
        now += LINE_CYCLES;
        world_advance(now);
        end_line();
        serve_line();
    }
    return true;
}

void engine_reset(void)
{
    start(1, false);
}

void engine_hang(void)
{
    start(1, true); /* here the watchdog is this line */
}

void engine_boot_loader(double listens_us, double session_us)
{
    (void)listens_us, (void)session_us;
}

void engine_line(bool open)
{
    (void)open;
}

void engine_spoil(unsigned count)
{
    core_line_errors(&core, (uint16_t)count);
}

void engine_power(unsigned seed)
{
    srand(seed);
    uint8_t *bytes = (uint8_t *)&memory;
    for (size_t i = 0; i < sizeof memory; i++)
        bytes[i] = (uint8_t)rand();
    start(seed, false);
}

unsigned engine_lamp(void)
{
    return core_lamp(&core);
}

void engine_knock_planned(void)
{
}

uint8_t engine_peek(unsigned address)
{
    (void)address;
    return 0;
}

void engine_poke(unsigned address, uint8_t value)
{
    (void)address, (void)value;
}

struct engine_figures engine_figures(void)
{
    return (struct engine_figures){.pass_min_us = LINE_US * matrix.drives, .pass_mean_us = LINE_US * matrix.drives, .pass_max_us = LINE_US * matrix.drives};
}

void engine_clear_figures(void)
{
}
