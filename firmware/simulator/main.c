/* The simulated board on the command line: one command a line on stdin, one answer a line on stdout.
 *
 *   run US                          lockstep: simulate US microseconds as fast as possible
 *   live                            real time from now on; `stop` ends it
 *   contact D S 0|1 AFTER           contact opens or closes after AFTER microseconds
 *   press D S AFTER CLOSED BOUNCE SEED
 *   button N 0|1 AFTER              0 miss, 1 ready, 2 undo
 *   knock AFTER MILLIVOLTS DECAY_US
 *   calm                            all contacts open, buttons up, nothing planned
 *   send HEX | noise HEX            bytes to the board | to the host, past the pty
 *   sync N                          wait until the host has sent N bytes in total through the pty
 *   damage PPM SEED                 one bit in PPM of a million bytes, both ways
 *   log 0|1                         print lines of the board as `# line FIRST_US LAST_US TEXT`
 *   dtr 0|1                         opening the pty resets the board, as on a Mega or Uno
 *   reset | power SEED              RAM kept | RAM full of random bytes
 *   boot LISTENS SESSION            a boot loader before the program, from the next reset on (microseconds; 0 0: none)
 *   line 0|1                        port closed | port open: a board with native USB notices it
 *   hang | spoil N                  endless loop in the program | N bytes arrive without their stop bit
 *   peek ADDRESS | poke ADDRESS VALUE | lamp | stat | clear | quit
 *
 * Every answer begins with `ok` or `error`.
 */
#include <getopt.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "engine.h"
#include "wire.h"
#include "world.h"

#define SLICE_US 500

static bool live, resets_on_open;
static uint64_t live_from;
static double live_since;

static double wall(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static uint64_t after(double us)
{
    return engine_now() + (uint64_t)(us * CYCLES_PER_US);
}

static unsigned read_hex(const char *text, uint8_t *bytes, unsigned room)
{
    unsigned count = 0, value;
    while (count < room && sscanf(text + 2 * count, "%2x", &value) == 1)
        bytes[count++] = (uint8_t)value;
    return count;
}

static void answer(const char *word)
{
    printf("%s %.1f sent=%lu damaged=%lu\n", word, (double)engine_now() / CYCLES_PER_US, wire_sent(), wire_damaged());
}

static void advance(uint64_t until)
{
    if (!engine_run(until)) {
        printf("error the program crashed\n");
        exit(3);
    }
    if (wire_was_opened() && resets_on_open)
        engine_reset();
}

static void say_figures(void)
{
    struct engine_figures f = engine_figures();
    printf("ok %.1f sent=%lu damaged=%lu pass_min_us=%.2f pass_mean_us=%.2f pass_max_us=%.2f interrupt_share=%.4f "
           "stack=%u early_reads=%lu driven_high=%lu\n",
           (double)engine_now() / CYCLES_PER_US, wire_sent(), wire_damaged(), f.pass_min_us, f.pass_mean_us,
           f.pass_max_us, f.interrupt_share, f.stack, f.early_reads, f.driven_high);
}

/* Commands about switches, buttons and the piezo. */
static bool obey_world(const char *line)
{
    int a, b, on;
    unsigned seed;
    double from, length, bounce;
    if (sscanf(line, "contact %d %d %d %lf", &a, &b, &on, &from) == 4)
        world_contact(after(from), a & 15, b & 15, on);
    else if (sscanf(line, "press %d %d %lf %lf %lf %u", &a, &b, &from, &length, &bounce, &seed) == 6)
        world_press(after(from), a & 15, b & 15, length, bounce, seed);
    else if (sscanf(line, "button %d %d %lf", &a, &on, &from) == 3)
        world_button(after(from), a & 7, on);
    else if (sscanf(line, "knock %lf %d %lf", &from, &a, &length) == 3) {
        world_knock(after(from), a, length);
        engine_knock_planned();
    } else if (!strcmp(line, "calm"))
        world_calm();
    else
        return false;
    return true;
}

/* Commands about the serial line. */
static bool obey_wire(const char *line)
{
    uint8_t bytes[4096];
    unsigned ppm, seed;
    int on;
    unsigned long total;
    if (!strncmp(line, "send ", 5))
        wire_inject(bytes, read_hex(line + 5, bytes, sizeof bytes));
    else if (!strncmp(line, "noise ", 6))
        wire_noise(bytes, read_hex(line + 6, bytes, sizeof bytes));
    else if (sscanf(line, "damage %u %u", &ppm, &seed) == 2)
        wire_damage(ppm, seed);
    else if (sscanf(line, "log %d", &on) == 1)
        wire_log(on);
    else if (sscanf(line, "dtr %d", &on) == 1)
        resets_on_open = on;
    else if (sscanf(line, "sync %lu", &total) == 1)
        return wire_wait(total);
    else
        return false;
    return true;
}

/* Commands about the program and its time. */
static bool obey_engine(const char *line)
{
    double us, session;
    unsigned seed;
    if (sscanf(line, "run %lf", &us) == 1 && !live)
        advance(after(us));
    else if (!strcmp(line, "live")) {
        live = true;
        live_from = engine_now();
        live_since = wall();
    } else if (!strcmp(line, "stop"))
        live = false;
    else if (!strcmp(line, "reset"))
        engine_reset();
    else if (sscanf(line, "power %u", &seed) == 1)
        engine_power(seed);
    else if (sscanf(line, "boot %lf %lf", &us, &session) == 2)
        engine_boot_loader(us, session);
    else if (sscanf(line, "line %u", &seed) == 1)
        engine_line(seed);
    else if (!strcmp(line, "hang"))
        engine_hang();
    else if (sscanf(line, "spoil %u", &seed) == 1)
        engine_spoil(seed);
    else if (!strcmp(line, "clear"))
        engine_clear_figures();
    else
        return false;
    return true;
}

static void obey(const char *line)
{
    unsigned address, value;
    if (!strcmp(line, "quit"))
        exit(0);
    if (!strcmp(line, "stat"))
        say_figures();
    else if (!strcmp(line, "lamp"))
        printf("ok %u\n", engine_lamp());
    else if (sscanf(line, "peek %u", &address) == 1)
        printf("ok %u\n", engine_peek(address));
    else if (sscanf(line, "poke %u %u", &address, &value) == 2) {
        engine_poke(address, (uint8_t)value);
        answer("ok");
    } else
        answer(obey_world(line) || obey_wire(line) || obey_engine(line) ? "ok" : "error");
}

/* Reads whole lines from stdin; false at its end. */
static bool take_commands(void)
{
    static char text[16384];
    static size_t length;
    ssize_t count = read(STDIN_FILENO, text + length, sizeof text - 1 - length);
    if (count <= 0)
        return false;
    length += (size_t)count;
    text[length] = '\0';
    char *start = text;
    for (char *end; (end = strchr(start, '\n')); start = end + 1) {
        *end = '\0';
        obey(start);
    }
    length = strlen(start);
    memmove(text, start, length);
    return length < sizeof text - 1;
}

static void live_slice(void)
{
    advance(engine_now() + SLICE_US * CYCLES_PER_US);
    double ahead = (double)(engine_now() - live_from) / (CYCLES_PER_US * 1e6) - (wall() - live_since);
    if (ahead > 0)
        usleep((unsigned)(ahead * 1e6));
}

static bool read_options(int count, char **words, struct engine_options *options)
{
    static const struct option NAMES[] = {
        {"mcu", 1, 0, 'm'},     {"program", 1, 0, 'f'}, {"drives", 1, 0, 'd'}, {"senses", 1, 0, 's'},
        {"buttons", 1, 0, 'b'}, {"lamp", 1, 0, 'l'},    {"piezo", 1, 0, 'p'},  {"settle", 1, 0, 't'},
        {0, 0, 0, 0},
    };
    for (int found; (found = getopt_long(count, words, "", NAMES, NULL)) != -1;)
        switch (found) {
        case 'm': options->mcu = optarg; break;
        case 'f': options->program = optarg; break;
        case 'd': options->drives = optarg; break;
        case 's': options->senses = optarg; break;
        case 'b': options->buttons = optarg; break;
        case 'l': options->lamp = optarg; break;
        case 'p': options->piezo = atoi(optarg); break;
        case 't': options->settle_us = atof(optarg); break;
        default: return false;
        }
    return true;
}

int main(int count, char **words)
{
    struct engine_options options = {.settle_us = 15};
    const char *name;
    if (!read_options(count, words, &options) || !engine_start(&options) || !(name = wire_open()))
        return 2;
    setvbuf(stdout, NULL, _IOLBF, 1 << 16);
    printf("ready %s\n", name);
    struct pollfd commands = {STDIN_FILENO, POLLIN, 0};
    for (;;) {
        if (live)
            live_slice();
        if (poll(&commands, 1, live ? 0 : -1) > 0 && !take_commands())
            return 0;
    }
}
