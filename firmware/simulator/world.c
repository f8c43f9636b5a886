#include "world.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PLANS 65536
#define KNOCKS 256
#define RING_HZ 1500.0
#define RING_TIMES 8 /* time constants until a blow is over */

enum plan_kind { PLAN_CONTACT, PLAN_BUTTON };
struct plan {
    uint64_t at;
    enum plan_kind kind;
    uint8_t a, b;
    bool on;
};
struct blow {
    uint64_t at;
    double millivolts, decay;
};

static struct plan plans[PLANS];
static unsigned first_plan, past_plans;
static struct blow blows[KNOCKS];
static unsigned blow_count;
static uint16_t closed[LINES];
static uint8_t buttons;

static void plan(uint64_t at, enum plan_kind kind, int a, int b, bool on)
{
    if (past_plans == PLANS) {
        memmove(plans, plans + first_plan, (past_plans - first_plan) * sizeof *plans);
        past_plans -= first_plan;
        first_plan = 0;
        if (past_plans == PLANS) {
            fprintf(stderr, "too much is planned\n");
            exit(1);
        }
    }
    unsigned place = past_plans++;
    for (; place > first_plan && plans[place - 1].at > at; place--)
        plans[place] = plans[place - 1];
    plans[place] = (struct plan){at, kind, (uint8_t)a, (uint8_t)b, on};
}

void world_contact(uint64_t at, int drive, int sense, bool on)
{
    plan(at, PLAN_CONTACT, drive, sense, on);
}

void world_button(uint64_t at, int button, bool down)
{
    plan(at, PLAN_BUTTON, button, 0, down);
}

/* The generator of the C standard's example: the same presses on every machine. */
static unsigned chance(unsigned *state, unsigned below)
{
    *state = *state * 1103515245U + 12345U;
    return (*state >> 16 & 0x7FFF) % below;
}

static void bounce(uint64_t from, uint64_t until, int drive, int sense, bool on, unsigned *seed)
{
    while (from < until) {
        world_contact(from, drive, sense, on);
        on = !on;
        from += (20 + chance(seed, 180)) * CYCLES_PER_US;
    }
}

void world_press(uint64_t at, int drive, int sense, double closed_us, double bounce_us, unsigned seed)
{
    uint64_t shaking = (uint64_t)(bounce_us * CYCLES_PER_US), held = (uint64_t)(closed_us * CYCLES_PER_US);
    bounce(at, at + shaking, drive, sense, true, &seed);
    world_contact(at + shaking, drive, sense, true);
    bounce(at + shaking + held, at + shaking + held + shaking, drive, sense, false, &seed);
    world_contact(at + shaking + held + shaking, drive, sense, false);
}

void world_knock(uint64_t at, int millivolts, double decay_us)
{
    blows[blow_count++ % KNOCKS] = (struct blow){at, millivolts, decay_us * CYCLES_PER_US};
}

void world_calm(void)
{
    first_plan = past_plans = blow_count = 0;
    memset(closed, 0, sizeof closed);
    buttons = 0;
}

uint64_t world_next(uint64_t now)
{
    for (unsigned i = first_plan; i < past_plans; i++)
        if (plans[i].at > now)
            return plans[i].at;
    return UINT64_MAX;
}

void world_advance(uint64_t now)
{
    for (; first_plan < past_plans && plans[first_plan].at <= now; first_plan++) {
        const struct plan *due = &plans[first_plan];
        if (due->kind == PLAN_BUTTON)
            buttons = (uint8_t)(due->on ? buttons | 1 << due->a : buttons & ~(1 << due->a));
        else if (due->on)
            closed[due->a] |= (uint16_t)(1 << due->b);
        else
            closed[due->a] &= (uint16_t)~(1 << due->b);
    }
}

uint16_t world_senses(uint16_t low_drives)
{
    uint16_t low_senses = 0, senses_before;
    do {
        senses_before = low_senses;
        for (int d = 0; d < LINES; d++) {
            if (closed[d] & low_senses)
                low_drives |= (uint16_t)(1 << d);
            if (low_drives >> d & 1)
                low_senses |= closed[d];
        }
    } while (low_senses != senses_before);
    return low_senses;
}

uint8_t world_buttons(void)
{
    return buttons;
}

static unsigned kept_blows(void)
{
    return blow_count < KNOCKS ? blow_count : KNOCKS;
}

int world_piezo_mv(uint64_t now)
{
    double sum = 0;
    for (unsigned i = 0; i < kept_blows(); i++) {
        if (now < blows[i].at)
            continue;
        double age = (double)(now - blows[i].at);
        if (age > blows[i].decay * RING_TIMES)
            continue;
        sum += blows[i].millivolts * exp(-age / blows[i].decay) * sin(2 * M_PI * RING_HZ * age / (CYCLES_PER_US * 1e6));
    }
    return sum <= 0 ? 0 : sum >= 5000 ? 5000 : (int)sum; /* the clamp diodes */
}

bool world_piezo_busy(uint64_t now)
{
    for (unsigned i = 0; i < kept_blows(); i++)
        if (now < blows[i].at || (double)(now - blows[i].at) <= blows[i].decay * RING_TIMES)
            return true;
    return false;
}
