/* The compiled program in simavr. Input pins are answered at the moment the program reads them, from the matrix as
 * it is then: simavr's own way (setting levels from outside) filters repeated values and forgets them at a reset. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <avr_adc.h>
#include <avr_ioport.h>
#include <avr_uart.h>
#include <sim_avr.h>
#include <sim_elf.h>

#include "engine.h"
#include "wire.h"
#include "world.h"

#define PORTS 12           /* letters A to L */
#define ENTRY_CYCLES 5     /* an interrupt costs the chip this many before its first instruction; simavr counts none */
#define ENTRY_STACK 20     /* bytes that the longest interrupt pushes, with its return address */
#define PIEZO_STEP 400     /* cycles between two values of a ringing piezo */
#define POLL_CYCLES 4000   /* how often the pty is looked at */
#define BYTE_CYCLES (CYCLES_PER_US * 1000000ULL * 10 / 115200)

struct chip_pin {
    char port;
    uint8_t bit;
};
struct pins {
    struct chip_pin pin[LINES];
    unsigned count;
};

static avr_t *avr;
static elf_firmware_t program;
static struct pins drives, senses, buttons, lamp;
static avr_irq_t *uart_in, *adc_in;
static bool may_send = true, piezo_runs, crashed;
static struct {
    uint64_t listens, session; /* cycles */
    uint64_t until;            /* the program runs from then on */
} loader;
static int piezo_channel;
static uint64_t settle, sending_until;

/* Which drive lines were low before the last change of a port, and when that was: lines need time to settle. */
static uint16_t low_before;
static uint64_t changed_at;

static struct {
    uint64_t last, first, shortest, longest, count;
} passes;
static struct {
    uint64_t entered, cycles, since;
    bool inside;
} interrupts;
static unsigned long early_reads, driven_high;
static unsigned lowest_stack;

static uint8_t data_at(unsigned address)
{
    return avr->data[address];
}

/* The address of PINx; DDRx and PORTx follow it. The ports from H on lie outside the first 64 addresses. */
static unsigned pin_address(char port)
{
    static const unsigned HIGH[] = {0x100, 0, 0x103, 0x106, 0x109}; /* H, (I), J, K, L */
    return port < 'H' ? 0x20U + 3U * (unsigned)(port - 'A') : HIGH[port - 'H'];
}

static bool read_pins(const char *text, struct pins *pins)
{
    for (pins->count = 0; text && *text; text += *text == ',') {
        if (pins->count == LINES || text[0] < 'A' || text[0] > 'L' || text[1] < '0' || text[1] > '7')
            return false;
        pins->pin[pins->count++] = (struct chip_pin){text[0], (uint8_t)(text[1] - '0')};
        text += 2;
    }
    return true;
}

static uint16_t low_drives(void)
{
    uint16_t low = 0;
    for (unsigned i = 0; i < drives.count; i++) {
        unsigned pin = pin_address(drives.pin[i].port);
        if (!(data_at(pin + 1) >> drives.pin[i].bit & 1))
            continue;
        if (data_at(pin + 2) >> drives.pin[i].bit & 1)
            driven_high++;
        else
            low |= (uint16_t)(1 << i);
    }
    return low;
}

static void note_pass(void)
{
    uint64_t length = avr->cycle - passes.last;
    if (!passes.last) {
        passes.first = avr->cycle;
    } else {
        passes.count++;
        passes.shortest = passes.shortest && passes.shortest < length ? passes.shortest : length;
        passes.longest = passes.longest > length ? passes.longest : length;
    }
    passes.last = avr->cycle;
}

/* simavr calls this before the register has its new value: the port still shows what is about to end. */
static void on_drive(avr_irq_t *irq, uint32_t value, void *param)
{
    (void)irq, (void)value, (void)param;
    static uint16_t seen;
    uint16_t low = low_drives();
    changed_at = avr->cycle;
    if (low)
        low_before = low;
    if (low != seen && low == 1)
        note_pass();
    seen = low;
}

static void answer_bits(const struct pins *pins, char port, uint16_t low, uint8_t *value)
{
    for (unsigned i = 0; i < pins->count; i++)
        if (pins->pin[i].port == port && low >> i & 1)
            *value &= (uint8_t)~(1 << pins->pin[i].bit);
}

static uint8_t on_read(struct avr_t *chip, avr_io_addr_t address, void *param)
{
    char port = *(const char *)param;
    uint8_t outputs = data_at(address + 1U), levels = data_at(address + 2U);
    uint8_t inputs = levels; /* an open input follows its pull-up */
    world_advance(chip->cycle);
    bool early = chip->cycle - changed_at < settle;
    uint16_t low = world_senses(early ? low_before : low_drives());
    for (unsigned i = 0; early && i < senses.count; i++)
        if (senses.pin[i].port == port) {
            early_reads++;
            break;
        }
    answer_bits(&senses, port, low, &inputs);
    answer_bits(&buttons, port, world_buttons(), &inputs);
    uint8_t seen = (uint8_t)((levels & outputs) | (inputs & ~outputs));
    chip->data[address] = seen;
    return seen;
}

static void on_interrupt(avr_irq_t *irq, uint32_t vector, void *param)
{
    (void)irq, (void)param;
    if (vector && !interrupts.inside) {
        unsigned stack = data_at(R_SPL) | (unsigned)data_at(R_SPH) << 8;
        lowest_stack = lowest_stack && lowest_stack < stack ? lowest_stack : stack;
        interrupts.entered = avr->cycle;
        interrupts.inside = true;
    } else if (!vector && interrupts.inside) {
        interrupts.cycles += avr->cycle - interrupts.entered + ENTRY_CYCLES;
        interrupts.inside = false;
    }
}

static void on_uart_byte(avr_irq_t *irq, uint32_t value, void *param)
{
    (void)irq, (void)param;
    /* The chip holds two bytes: one in the shift register, one behind it. */
    uint64_t from = sending_until > avr->cycle ? sending_until : avr->cycle;
    sending_until = from + BYTE_CYCLES;
    wire_from_board((uint8_t)value, from, sending_until);
}

static void on_xon(avr_irq_t *irq, uint32_t value, void *param)
{
    (void)irq, (void)value;
    may_send = param != NULL;
}

static avr_cycle_count_t on_piezo(avr_t *chip, avr_cycle_count_t when, void *param)
{
    (void)param;
    avr_raise_irq(adc_in + ADC_IRQ_ADC0 + piezo_channel, (uint32_t)world_piezo_mv(chip->cycle));
    piezo_runs = world_piezo_busy(chip->cycle);
    return piezo_runs ? when + PIEZO_STEP : 0;
}

/* Simulated sleep costs no real time. */
static void on_sleep(avr_t *chip, avr_cycle_count_t cycles)
{
    (void)chip, (void)cycles;
}

static void watch_port(char port)
{
    static char names[PORTS];
    static bool watched[PORTS];
    int place = port - 'A';
    if (watched[place])
        return;
    watched[place] = true;
    names[place] = port;
    unsigned address = pin_address(port);
    avr->io[AVR_DATA_TO_IO(address)].r.c = on_read;
    avr->io[AVR_DATA_TO_IO(address)].r.param = &names[place];
    avr_irq_t *irq = avr_io_getirq(avr, (uint32_t)AVR_IOCTL_IOPORT_GETIRQ(port), 0);
    avr_irq_register_notify(irq + IOPORT_IRQ_DIRECTION_ALL, on_drive, NULL);
    avr_irq_register_notify(irq + IOPORT_IRQ_REG_PORT, on_drive, NULL);
}

static void connect(void)
{
    const struct pins *all[] = {&drives, &senses, &buttons};
    for (unsigned group = 0; group < 3; group++)
        for (unsigned i = 0; i < all[group]->count; i++)
            watch_port(all[group]->pin[i].port);
    uint32_t flags = 0;
    avr_ioctl(avr, (uint32_t)AVR_IOCTL_UART_GET_FLAGS('0'), &flags);
    flags &= ~(uint32_t)(AVR_UART_FLAG_STDIO | AVR_UART_FLAG_POLL_SLEEP);
    avr_ioctl(avr, (uint32_t)AVR_IOCTL_UART_SET_FLAGS('0'), &flags);
    uart_in = avr_io_getirq(avr, (uint32_t)AVR_IOCTL_UART_GETIRQ('0'), 0);
    avr_irq_register_notify(uart_in + UART_IRQ_OUTPUT, on_uart_byte, NULL);
    avr_irq_register_notify(uart_in + UART_IRQ_OUT_XON, on_xon, &may_send);
    avr_irq_register_notify(uart_in + UART_IRQ_OUT_XOFF, on_xon, NULL);
    adc_in = avr_io_getirq(avr, (uint32_t)AVR_IOCTL_ADC_GETIRQ, 0);
    avr_irq_t *running = avr_get_interrupt_irq(avr, AVR_INT_ANY);
    avr_irq_register_notify(running + AVR_INT_IRQ_RUNNING, on_interrupt, NULL);
}

bool engine_start(const struct engine_options *options)
{
    if (!options->mcu || !options->program || !read_pins(options->drives, &drives) ||
        !read_pins(options->senses, &senses) || !read_pins(options->buttons, &buttons) ||
        !read_pins(options->lamp, &lamp)) {
        fprintf(stderr, "simboard: needs --mcu, --program and pins such as A0,A1\n");
        return false;
    }
    avr = avr_make_mcu_by_name(options->mcu);
    if (!avr || elf_read_firmware(options->program, &program)) {
        fprintf(stderr, "simboard: cannot load %s for %s\n", options->program, options->mcu);
        return false;
    }
    avr_init(avr);
    avr_load_firmware(avr, &program);
    avr->frequency = CYCLES_PER_US * 1000000;
    avr->vcc = avr->avcc = avr->aref = 5000;
    avr->log = LOG_ERROR;
    avr->sleep = on_sleep;
    piezo_channel = options->piezo;
    settle = (uint64_t)(options->settle_us * CYCLES_PER_US);
    connect();
    return true;
}

uint64_t engine_now(void)
{
    return avr->cycle;
}

static void feed(void)
{
    uint8_t byte;
    wire_poll();
    while (may_send && wire_to_board(&byte))
        avr_raise_irq(uart_in + UART_IRQ_INPUT, byte);
}

/* stk500v2 and optiboot as far as a host notices: the chip says nothing, and any byte keeps it from the program. */
static void run_loader(uint64_t until)
{
    uint8_t byte;
    wire_poll();
    if (wire_to_board(&byte))
        loader.until = avr->cycle + loader.session;
    avr->cycle += BYTE_CYCLES;
    if (avr->cycle > until)
        avr->cycle = until;
}

bool engine_run(uint64_t until)
{
    uint64_t poll_at = 0;
    while (avr->cycle < until && !crashed) {
        if (avr->cycle < loader.until) {
            run_loader(until);
            continue;
        }
        if (avr->cycle >= poll_at) {
            feed();
            poll_at = avr->cycle + POLL_CYCLES;
        }
        int state = avr_run(avr);
        crashed = state == cpu_Done || state == cpu_Crashed;
    }
    return !crashed;
}

static void after_start(void)
{
    may_send = true;
    interrupts.inside = false;
    low_before = 0;
    passes.last = 0;
    loader.until = avr->cycle + loader.listens;
}

void engine_boot_loader(double listens_us, double session_us)
{
    loader.listens = (uint64_t)(listens_us * CYCLES_PER_US);
    loader.session = (uint64_t)(session_us * CYCLES_PER_US);
}

void engine_hang(void)
{
    for (uint32_t at = 0; at < avr->flashend; at += 2)
        if (avr->flash[at] == 0xFF && avr->flash[at + 1] == 0xCF) { /* rjmp to itself: where main would end */
            avr->pc = at;
            return;
        }
}

void engine_line(bool open)
{
    (void)open;
}

void engine_spoil(unsigned count)
{
    while (count--)
        avr_raise_irq(uart_in + UART_IRQ_INPUT, 'x' | UART_INPUT_FE);
}

void engine_reset(void)
{
    avr_reset(avr);
    after_start();
}

void engine_power(unsigned seed)
{
    srand(seed);
    for (unsigned address = avr->ioend + 1U; address <= avr->ramend; address++)
        avr->data[address] = (uint8_t)rand();
    engine_reset();
}

unsigned engine_lamp(void)
{
    unsigned lit = 0;
    for (unsigned i = 0; i < lamp.count; i++) {
        unsigned pin = pin_address(lamp.pin[i].port);
        lit |= (unsigned)(data_at(pin + 1) & data_at(pin + 2)) >> lamp.pin[i].bit << 31 >> (31 - i);
    }
    return lit;
}

void engine_knock_planned(void)
{
    if (!piezo_runs)
        avr_cycle_timer_register(avr, PIEZO_STEP, on_piezo, NULL);
    piezo_runs = true;
}

uint8_t engine_peek(unsigned address)
{
    return address <= avr->ramend ? data_at(address) : 0;
}

void engine_poke(unsigned address, uint8_t value)
{
    if (address <= avr->ramend)
        avr->data[address] = value;
}

struct engine_figures engine_figures(void)
{
    uint64_t all = avr->cycle - interrupts.since;
    double mean = passes.count ? (double)(passes.last - passes.first) / (double)passes.count : 0;
    return (struct engine_figures){
        .pass_min_us = (double)passes.shortest / CYCLES_PER_US,
        .pass_mean_us = mean / CYCLES_PER_US,
        .pass_max_us = (double)passes.longest / CYCLES_PER_US,
        .interrupt_share = all ? (double)interrupts.cycles / (double)all : 0,
        .stack = lowest_stack ? avr->ramend - lowest_stack + ENTRY_STACK : 0,
        .early_reads = early_reads,
        .driven_high = driven_high,
    };
}

void engine_clear_figures(void)
{
    memset(&passes, 0, sizeof passes);
    interrupts.cycles = 0;
    interrupts.since = avr->cycle;
    early_reads = driven_high = 0;
    lowest_stack = 0;
}
