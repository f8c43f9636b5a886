/* Raspberry Pi Pico (RP2040): one SysTick interrupt for each drive line, the serial line over USB. */
#include "../../src/crc.h"
#include "../board.h"
#include "pico.h"
#include "pins.h"
#include "rp2040.h"

#define FRAMES 8 /* passes that may wait; a power of two */
#define CLOCK_MHZ 125
#define WATCHDOG_US 250000
#define UNUSED_RAM 0x20020000U /* its content at power-up differs each time */
#define UNUSED_BYTES 16384U

static struct frame frames[FRAMES];
static volatile uint8_t filling, taking; /* counts of frames, free running */
static uint8_t lost, line, last, peak;
static row_t senses_used;
/* There is no EEPROM: the size outlives a reset, and the host sends it again after a power-up. */
static struct {
    struct matrix matrix;
    uint8_t inverse[2];
} kept __attribute__((section(".noinit")));

static void end_pass(void)
{
    struct frame *frame = &frames[filling % FRAMES];
    frame->peak = peak;
    frame->passes = (uint8_t)(1 + lost);
    peak = 0;
    if ((uint8_t)(filling - taking) < FRAMES - 1) {
        filling++;
        lost = 0;
    } else if (lost < 100) {
        lost++;
    }
}

/* Reads the line that has been low since the last interrupt, then drives the next: settling costs no waiting. */
void scan_line(void)
{
    frames[filling % FRAMES].rows[line] = pins_senses(REGISTER(SIO_IN)) & senses_used;
    REGISTER(SIO_DRIVE_CLEAR) = DRIVE_PINS[line];
    uint8_t next = line == last ? 0 : (uint8_t)(line + 1);
    REGISTER(SIO_DRIVE_SET) = DRIVE_PINS[next];
    uint8_t reading = (uint8_t)(REGISTER(ADC_RESULT) >> 4);
    SET_BITS(ADC_CONTROL) = ADC_START_ONCE; /* conversion of the previous line, ready long ago */
    if (reading > peak)
        peak = reading;
    line = next;
    if (!line)
        end_pass();
}

static void set_matrix(struct matrix matrix)
{
    REGISTER(SIO_DRIVE_CLEAR) = ALL_DRIVE_PINS;
    line = peak = lost = 0;
    last = (uint8_t)(matrix.drives - 1);
    senses_used = all_senses(matrix);
    taking = filling;
    REGISTER(SIO_DRIVE_SET) = DRIVE_PINS[0];
}

void board_matrix(struct matrix matrix)
{
    interrupts_off();
    set_matrix(matrix);
    interrupts_on();
    kept.matrix = matrix;
    kept.inverse[0] = (uint8_t)~matrix.drives;
    kept.inverse[1] = (uint8_t)~matrix.senses;
}

struct matrix board_kept_matrix(void)
{
    uint8_t drives = kept.matrix.drives, senses = kept.matrix.senses;
    if ((drives ^ kept.inverse[0]) == UINT8_MAX && (senses ^ kept.inverse[1]) == UINT8_MAX)
        return kept.matrix;
    return (struct matrix){DRIVES, SENSES};
}

static void start_pins(void)
{
    for (uint32_t pin = 0; pin < PIN_COUNT; pin++) {
        REGISTER(PAD(pin)) = PAD_INPUT | PAD_SCHMITT | PAD_PULL_UP | PAD_4_MA;
        REGISTER(PIN_CONTROL(pin)) = PIN_TO_SIO;
    }
    REGISTER(PAD(PIEZO_PIN)) = PAD_NO_OUTPUT;
    REGISTER(SIO_OUT_CLEAR) = UINT32_MAX; /* a drive line is low or let go, never high */
    REGISTER(SIO_DRIVE_CLEAR) = UINT32_MAX;
    REGISTER(SIO_DRIVE_SET) = LAMP_PINS;
}

static void start_adc(void)
{
    REGISTER(ADC_CONTROL) = ADC_ENABLE | PIEZO_CHANNEL << 12;
    while (!(REGISTER(ADC_CONTROL) & ADC_READY))
        ;
}

static void start_watchdog(void)
{
    REGISTER(PSM_WATCHDOG_RESETS) = 0x1FFFC; /* all but the oscillators */
    board_alive();
    SET_BITS(WATCHDOG_CONTROL) = 1U << 30;
}

void board_start(struct matrix matrix)
{
    start_pins();
    start_adc();
    set_matrix(matrix);
    usb_start();
    REGISTER(SYSTICK_RELOAD) = CLOCK_MHZ * LINE_US - 1;
    REGISTER(SYSTICK_COUNT) = 0;
    REGISTER(SYSTICK_CONTROL) = 7;
    start_watchdog();
}

const char *board_name(void)
{
    return BOARD_NAME;
}

bool board_was_restarted(void)
{
    return REGISTER(WATCHDOG_REASON) & 1;
}

void board_alive(void)
{
    REGISTER(WATCHDOG_LOAD) = 2 * WATCHDOG_US; /* it counts two a microsecond (erratum E1) */
}

bool board_frame(struct frame *frame)
{
    if (filling == taking)
        return false;
    __asm__ volatile("" ::: "memory");
    *frame = frames[taking % FRAMES];
    __asm__ volatile("" ::: "memory");
    taking++;
    return true;
}

uint8_t board_buttons(void)
{
    return pins_buttons(REGISTER(SIO_IN));
}

void board_lamp(uint8_t colours)
{
    uint32_t lit = usb_asleep() ? 0 : pins_lamp(colours);
    REGISTER(SIO_OUT_CLEAR) = LAMP_PINS & ~lit;
    REGISTER(SIO_OUT_SET) = lit;
}

uint16_t board_line_errors(void)
{
    return 0; /* USB checks every packet and repeats damaged ones */
}

bool board_opened(void)
{
    return usb_opened();
}

bool board_received(char *byte)
{
    return usb_received(byte);
}

bool board_has_room(void)
{
    return usb_has_room();
}

void board_put(char byte)
{
    usb_put(byte);
}

void board_sleep(void)
{
    interrupts_off();
    while (filling == taking && !usb_waiting()) {
        __asm__ volatile("wfi"); /* wakes for an interrupt although it is not served before the next line */
        interrupts_on();
        interrupts_off();
    }
    interrupts_on();
}

/* Mixes the RAM at power-up and the jitter of the ring oscillator. */
uint32_t board_random(void)
{
    uint16_t ram = crc_bytes(CRC_START, (const void *)(uintptr_t)UNUSED_RAM, UNUSED_BYTES);
    uint16_t noise = crc_bytes(CRC_START, (const void *)(uintptr_t)(UNUSED_RAM + UNUSED_BYTES), UNUSED_BYTES);
    for (uint8_t i = 0; i < 128; i++)
        noise = crc_byte(noise, (uint8_t)REGISTER(ROSC_RANDOM_BIT));
    return (uint32_t)ram << 16 | noise;
}
