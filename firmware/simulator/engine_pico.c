/* The compiled program for the Pico in rp2040js, a process of its own (pico.mjs) that receives the changes of the
 * electronics in advance. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "engine.h"
#include "wire.h"
#include "world.h"

#define PIEZO_STEP 400 /* cycles between two values of a ringing piezo */

static FILE *to_chip, *from_chip;
static uint64_t now, sent_until;
static char reply[8192];

/* Reads until a line of this kind; bytes of the board go to the wire on the way. False: the program crashed. */
static bool await(const char *kind)
{
    fflush(to_chip);
    while (fgets(reply, sizeof reply, from_chip)) {
        unsigned long long at;
        int start;
        if (sscanf(reply, "o %llu %n", &at, &start) == 1) {
            unsigned value;
            for (const char *hex = reply + start; sscanf(hex, "%2x", &value) == 1; hex += 2)
                wire_from_board((uint8_t)value, at, at);
        } else if (!strncmp(reply, kind, strlen(kind))) {
            return true;
        } else {
            fprintf(stderr, "simulated Pico: %s", reply);
            return false;
        }
    }
    return false;
}

static bool start_chip(const struct engine_options *options)
{
    int in[2], out[2];
    char piezo[16], settle[32];
    const char *library = getenv("RP2040JS"), *script = getenv("PICO_MJS");
    if (!library || !script || pipe(in) || pipe(out))
        return false;
    snprintf(piezo, sizeof piezo, "%d", options->piezo);
    snprintf(settle, sizeof settle, "%f", options->settle_us);
    pid_t child = fork();
    if (child < 0)
        return false;
    if (!child) {
        prctl(PR_SET_PDEATHSIG, SIGTERM);
        dup2(in[0], STDIN_FILENO);
        dup2(out[1], STDOUT_FILENO);
        close(in[1]);
        close(out[0]);
        execlp("node", "node", script, library, options->program, options->drives, options->senses, options->buttons,
               options->lamp, piezo, settle, (char *)NULL);
        _exit(127);
    }
    close(in[0]);
    close(out[1]);
    to_chip = fdopen(in[1], "w");
    from_chip = fdopen(out[0], "r");
    return to_chip && from_chip;
}

bool engine_start(const struct engine_options *options)
{
    if (!options->program || !options->drives || !start_chip(options)) {
        fprintf(stderr, "simboard-pico: needs --program, pins, and the paths RP2040JS and PICO_MJS\n");
        return false;
    }
    return true;
}

uint64_t engine_now(void)
{
    return now;
}

static void tell_world(uint64_t at)
{
    fprintf(to_chip, "w %llu", (unsigned long long)at);
    for (unsigned line = 0; line < LINES; line++)
        fprintf(to_chip, " %u", world_senses((uint16_t)(1U << line)));
    fprintf(to_chip, " %u\n", world_buttons());
}

/* Sends the changes until then in advance: the program cannot influence them. */
static void tell_until(uint64_t until)
{
    for (uint64_t at = now; at <= until; at = world_next(at)) {
        world_advance(at);
        tell_world(at);
        if (at == UINT64_MAX)
            break;
    }
    for (uint64_t at = sent_until > now ? sent_until : now; world_piezo_busy(at) && at <= until; at += PIEZO_STEP) {
        fprintf(to_chip, "p %llu %d\n", (unsigned long long)at, world_piezo_mv(at));
        sent_until = at + PIEZO_STEP;
    }
    world_advance(until);
}

static void feed(void)
{
    uint8_t byte;
    bool some = false;
    wire_poll();
    for (unsigned count = 0; count < 4096 && wire_to_board(&byte); count++) {
        fprintf(to_chip, some ? "%02x" : "b %02x", byte);
        some = true;
    }
    if (some)
        fprintf(to_chip, "\n");
}

bool engine_run(uint64_t until)
{
    unsigned long long reached;
    feed();
    tell_until(until);
    fprintf(to_chip, "run %llu\n", (unsigned long long)until);
    if (!await("done") || sscanf(reply, "done %llu", &reached) != 1)
        return false;
    now = reached;
    return true;
}

void engine_reset(void)
{
    fprintf(to_chip, "reset\n");
}

void engine_power(unsigned seed)
{
    fprintf(to_chip, "power %u\n", seed);
}

void engine_line(bool open)
{
    fprintf(to_chip, "line %d\n", open);
}

void engine_boot_loader(double listens_us, double session_us)
{
    (void)listens_us, (void)session_us; /* its boot loader reacts to a button, not to the line */
}

void engine_hang(void)
{
    fprintf(to_chip, "hang\n");
}

void engine_spoil(unsigned count)
{
    (void)count; /* USB sends a damaged packet again */
}

unsigned engine_lamp(void)
{
    unsigned lit = 0;
    fprintf(to_chip, "lamp\n");
    if (await("value"))
        sscanf(reply, "value %u", &lit);
    return lit;
}

void engine_knock_planned(void)
{
}

uint8_t engine_peek(unsigned address)
{
    unsigned value = 0;
    fprintf(to_chip, "peek %u\n", address);
    if (await("value"))
        sscanf(reply, "value %u", &value);
    return (uint8_t)value;
}

void engine_poke(unsigned address, uint8_t value)
{
    fprintf(to_chip, "poke %u %u\n", address, value);
}

struct engine_figures engine_figures(void)
{
    struct engine_figures f = {0};
    fprintf(to_chip, "figures\n");
    if (await("value"))
        sscanf(reply, "value %lf %lf %lf %lf %u %lu %lu", &f.pass_min_us, &f.pass_mean_us, &f.pass_max_us,
               &f.interrupt_share, &f.stack, &f.early_reads, &f.driven_high);
    return f;
}

void engine_clear_figures(void)
{
    fprintf(to_chip, "clear\n");
}
