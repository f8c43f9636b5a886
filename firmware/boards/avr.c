/* ATmega2560 and ATmega328P: one timer interrupt for each drive line, the UART through two small rings. */
#include <avr/eeprom.h>
#include <avr/interrupt.h>
#include <avr/io.h>
#include <avr/sleep.h>
#include <avr/wdt.h>

#include "../src/crc.h"
#include "board.h"
#include "pins.h"

#ifndef BAUD
#define BAUD 115200UL
#endif
#define FRAMES 8 /* passes that may wait while the loop writes a line; powers of two, all three */
#define RECEIVED (RAMEND > 0x1000 ? 128U : 64U)
#define SENDING 64

#ifdef USART_RX_vect /* the smaller chip has one UART and does not number it in its vectors */
#define USART0_RX_vect USART_RX_vect
#define USART0_UDRE_vect USART_UDRE_vect
#endif

static struct frame frames[FRAMES];
static volatile uint8_t filling, taking; /* counts of frames, free running */
static row_t *slot = frames[0].rows;     /* the place for the driven line */
static uint8_t lost;                     /* passes without a free frame */

static volatile char received[RECEIVED], sending[SENDING];
static volatile uint8_t received_in, received_out, sending_in, sending_out; /* free running */

/* Prevents the compiler from moving a copy past the count that guards it. */
#define BARRIER() __asm__ volatile("" ::: "memory")

static row_t senses_used;
static volatile uint16_t line_errors;
static volatile uint16_t restarted __attribute__((section(".noinit")));

/* In the EEPROM: a count of lost memories, the size of the matrix, and its inverse. */
#define KEPT_COUNT ((uint32_t *)0)
#define KEPT_MATRIX ((uint8_t *)4)
#define RESTARTED 0x5DA7 /* written by the watchdog; any other value is from the power-up */

/* Registers of the chip with no function of their own: the interrupt reads and writes them in one cycle. */
#define LINE GPIOR0 /* the drive line that is low now */
#define PEAK GPIOR1 /* highest piezo reading of this pass */
#define LAST GPIOR2 /* the last drive line */

/* Before anything else: a boot loader, or a watchdog reset, may leave the watchdog running. */
static void __attribute__((naked, used, section(".init3"))) calm_watchdog(void)
{
    MCUSR = 0;
    wdt_disable();
}

/* Restarts the program without a reset of the chip: boot loaders of older Megas hang after a watchdog reset. */
ISR(WDT_vect)
{
    restarted = RESTARTED;
    __asm__ volatile("jmp 0");
    __builtin_unreachable();
}

static inline void end_pass(void)
{
    struct frame *frame = &frames[filling % FRAMES];
    frame->peak = PEAK;
    frame->passes = (uint8_t)(1 + lost);
    PEAK = 0;
    if ((uint8_t)(filling - taking) < FRAMES - 1) {
        filling++;
        lost = 0;
    } else if (lost < 100) {
        lost++; /* this frame is overwritten, but the core's clock still counts it */
    }
    slot = frames[filling % FRAMES].rows;
}

/* Reads the line that has been low since the last interrupt, then drives the next: settling costs no waiting. */
ISR(TIMER1_COMPA_vect)
{
    row_t *row = slot;
    *row++ = pins_senses() & senses_used;
    slot = row;
    uint8_t line = LINE;
    pins_next_line(line, LAST);
    uint8_t reading = ADCH;
    if (reading > PEAK)
        PEAK = reading;
    if (line++ == LAST) {
        line = 0;
        end_pass();
    }
    LINE = line;
}

ISR(USART0_RX_vect)
{
    uint8_t status = UCSR0A; /* the flags belong to the byte that is read next */
    char byte = (char)UDR0;
    bool room = (uint8_t)(received_in - received_out) < RECEIVED;
    if (room)
        received[received_in++ % RECEIVED] = byte;
    if (!room || status & (1 << FE0 | 1 << DOR0))
        line_errors++;
}

ISR(USART0_UDRE_vect)
{
    if (sending_in == sending_out)
        UCSR0B &= (uint8_t)~(1 << UDRIE0);
    else
        UDR0 = (uint8_t)sending[sending_out++ % SENDING];
}

static void start_adc(void)
{
    ADMUX = 1 << REFS0 | 1 << ADLAR | PIEZO_CHANNEL; /* supply as reference; the upper 8 bits are enough */
    ADCSRB = 0;                                      /* free running, a reading every 52 us */
    DIDR0 = 1 << PIEZO_CHANNEL;
    ADCSRA = 1 << ADEN | 1 << ADSC | 1 << ADATE | 1 << ADPS2 | 1 << ADPS1;
}

static void set_matrix(struct matrix matrix)
{
    LINE = 0;
    PEAK = 0;
    LAST = (uint8_t)(matrix.drives - 1);
    senses_used = all_senses(matrix);
    taking = filling;
    slot = frames[filling % FRAMES].rows;
    pins_start();
}

static void start_watchdog(void)
{
    wdt_reset();
    WDTCSR = 1 << WDCE | 1 << WDE;
    WDTCSR = 1 << WDIE | 1 << WDP2; /* an interrupt after 0.25 s, never a reset */
}

void board_matrix(struct matrix matrix)
{
    cli();
    set_matrix(matrix);
    sei();
    eeprom_update_byte(KEPT_MATRIX, (uint8_t)((matrix.drives - 1) << 4 | (matrix.senses - 1)));
    eeprom_update_byte(KEPT_MATRIX + 1, (uint8_t) ~((matrix.drives - 1) << 4 | (matrix.senses - 1)));
}

struct matrix board_kept_matrix(void)
{
    uint8_t kept = eeprom_read_byte(KEPT_MATRIX);
    if ((kept ^ eeprom_read_byte(KEPT_MATRIX + 1)) != UINT8_MAX)
        return (struct matrix){DRIVES, SENSES};
    return (struct matrix){(uint8_t)((kept >> 4) + 1), (uint8_t)((kept & 15) + 1)};
}

bool board_was_restarted(void)
{
    bool was = restarted == RESTARTED;
    restarted = 0;
    return was;
}

void board_alive(void)
{
    wdt_reset();
}

uint16_t board_line_errors(void)
{
    cli();
    uint16_t count = line_errors;
    sei();
    return count;
}

bool board_opened(void)
{
    return false; /* with DTR wired, opening the port resets the chip; else it cannot be noticed */
}

void board_start(struct matrix matrix)
{
    set_matrix(matrix);
    start_adc();
    UCSR0A = 1 << U2X0;
    UBRR0 = (F_CPU / 4 / BAUD - 1) / 2;
    UCSR0C = 1 << UCSZ01 | 1 << UCSZ00;
    UCSR0B = 1 << RXEN0 | 1 << TXEN0 | 1 << RXCIE0;
    TCCR1A = 0;
    OCR1A = F_CPU / 1000000UL * LINE_US - 1;
    TCCR1B = 1 << WGM12 | 1 << CS10;
    TIMSK1 = 1 << OCIE1A;
    start_watchdog();
    set_sleep_mode(SLEEP_MODE_IDLE);
    sei();
}

const char *board_name(void)
{
    return BOARD_NAME;
}

bool board_frame(struct frame *frame)
{
    if (filling == taking)
        return false;
    BARRIER();
    *frame = frames[taking % FRAMES];
    BARRIER();
    taking++;
    return true;
}

uint8_t board_buttons(void)
{
    return pins_buttons();
}

void board_lamp(uint8_t colours)
{
    static uint8_t shown;
    if (colours == shown)
        return;
    shown = colours;
    cli(); /* the interrupt writes the same ports */
    pins_lamp(colours);
    sei();
}

bool board_received(char *byte)
{
    if (received_in == received_out)
        return false;
    *byte = received[received_out % RECEIVED];
    received_out++;
    return true;
}

bool board_has_room(void)
{
    return (uint8_t)(sending_in - sending_out) < SENDING;
}

void board_put(char byte)
{
    sending[sending_in % SENDING] = byte;
    sending_in++;
    cli();
    UCSR0B |= 1 << UDRIE0;
    sei();
}

void board_sleep(void)
{
    sleep_enable();
    cli();
    while (filling == taking && received_in == received_out) {
        sei(); /* takes effect after the next instruction: no interrupt can slip in between */
        sleep_cpu();
        __asm__ volatile("nop"); /* the chip serves what woke it first; simavr needs an instruction for that */
        cli();
    }
    sei();
    sleep_disable();
}

/* Mixes the RAM at power-up, the noise of the open ADC inputs, and a count that never repeats. */
uint32_t board_random(void)
{
    uint32_t count = eeprom_read_dword(KEPT_COUNT) + 1;
    eeprom_update_dword(KEPT_COUNT, count);
    uint16_t ram = crc_bytes(CRC_START, (const void *)RAMSTART, RAMEND - RAMSTART);
    uint16_t noise = CRC_START;
    ADCSRA = 1 << ADEN | 1 << ADPS1; /* too fast to be exact: noisy, as wanted */
    for (uint8_t i = 0; i < 64; i++) {
        ADMUX = 1 << REFS0 | (i & 7);
        ADCSRA |= 1 << ADSC;
        while (ADCSRA & 1 << ADSC)
            ;
        noise = crc_byte(noise, ADCL);
        noise = crc_byte(noise, ADCH);
    }
    ADCSRA = 0;
    return (uint32_t)(ram ^ (uint16_t)count) << 16 | (uint16_t)(noise + (uint16_t)(count * 40503U));
}
