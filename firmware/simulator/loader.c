/* A board with its boot loader alone, in simavr: bytes on stdin reach its serial line, its bytes go to stdout.
 *
 *   loader MCU BOOT_LOADER.hex FLASH
 *
 * SIGUSR1 is the reset button, and DTR. At the end of stdin the flash is written to the file FLASH.
 */
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <avr_uart.h>
#include <sim_avr.h>
#include <sim_hex.h>
#include <sim_regbit.h>

#define FREQUENCY 16000000
#define LOOK_CYCLES 2000

static volatile sig_atomic_t pressed;
static bool may_send = true;

static void on_reset(int signal)
{
    (void)signal;
    pressed = 1;
}

static void on_byte(avr_irq_t *irq, uint32_t value, void *param)
{
    (void)irq, (void)param;
    uint8_t byte = (uint8_t)value;
    if (write(STDOUT_FILENO, &byte, 1) != 1)
        exit(1);
}

static void on_flow(avr_irq_t *irq, uint32_t value, void *param)
{
    (void)irq, (void)value;
    may_send = param != NULL;
}

static void on_sleep(avr_t *chip, avr_cycle_count_t cycles)
{
    (void)chip, (void)cycles;
}

static void reset(avr_t *avr)
{
    avr_reset(avr);
    avr_regbit_set(avr, avr->reset_flags.extrf);
    may_send = true;
}

/* One byte of the host, if there is one. False: the host has closed the line. */
static bool feed(avr_irq_t *uart)
{
    struct pollfd line = {.fd = STDIN_FILENO, .events = POLLIN};
    uint8_t byte;
    if (!may_send || poll(&line, 1, 0) < 1)
        return true;
    ssize_t count = read(STDIN_FILENO, &byte, 1);
    if (count == 1)
        avr_raise_irq(uart + UART_IRQ_INPUT, byte);
    return count == 1;
}

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

int main(int count, char **words)
{
    uint32_t size, start;
    avr_t *avr = count == 4 ? avr_make_mcu_by_name(words[1]) : NULL;
    uint8_t *code = avr ? read_ihex_file(words[2], &size, &start) : NULL;
    if (!code)
        return fprintf(stderr, "usage: loader MCU BOOT_LOADER.hex FLASH\n"), 2;
    avr_init(avr);
    avr->frequency = FREQUENCY;
    avr->log = LOG_NONE;
    avr->sleep = on_sleep;
    memset(avr->flash, 0xFF, avr->flashend + 1);
    memcpy(avr->flash + start, code, size);
    avr->reset_pc = start;
    avr->codeend = avr->flashend;
    uint32_t flags = 0;
    avr_ioctl(avr, (uint32_t)AVR_IOCTL_UART_GET_FLAGS('0'), &flags);
    flags &= ~(uint32_t)(AVR_UART_FLAG_STDIO | AVR_UART_FLAG_POLL_SLEEP);
    avr_ioctl(avr, (uint32_t)AVR_IOCTL_UART_SET_FLAGS('0'), &flags);
    avr_irq_t *uart = avr_io_getirq(avr, (uint32_t)AVR_IOCTL_UART_GETIRQ('0'), 0);
    avr_irq_register_notify(uart + UART_IRQ_OUTPUT, on_byte, NULL);
    avr_irq_register_notify(uart + UART_IRQ_OUT_XON, on_flow, &may_send);
    avr_irq_register_notify(uart + UART_IRQ_OUT_XOFF, on_flow, NULL);
    signal(SIGUSR1, on_reset);
    reset(avr);
    double began = now();
    for (avr_cycle_count_t look = 0;;) {
        if (pressed) {
            pressed = 0;
            reset(avr);
        }
        if (avr->cycle >= look) {
            if (!feed(uart))
                break;
            look = avr->cycle + LOOK_CYCLES;
            double ahead = (double)avr->cycle / FREQUENCY - (now() - began);
            if (ahead > 0.002)
                usleep((useconds_t)(ahead * 1e6));
        }
        int state = avr_run(avr);
        if (state == cpu_Done || state == cpu_Crashed)
            reset(avr); /* an erased flash leads round to the boot loader */
    }
    FILE *out = fopen(words[3], "wb");
    return !(out && fwrite(avr->flash, avr->flashend + 1, 1, out) == 1 && !fclose(out));
}
