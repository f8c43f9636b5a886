/* From reset to main: the program copies itself into RAM, where no cache miss delays an interrupt; then the clocks. */
#include "pico.h"
#include "rp2040.h"

extern uint32_t program_start[], program_end[], bss_start[], bss_end[];
extern const uint32_t program_image[];
extern char STACK_TOP[];
int main(void);

#define RAM_VECTORS 48
typedef void (*handler)(void);

/* A fault: the watchdog ends it. */
static void stop(void)
{
    for (;;)
        ;
}

static void calm_reset(uint32_t which)
{
    CLEAR_BITS(RESETS) = which;
    while ((REGISTER(RESETS_DONE) & which) != which)
        ;
}

static void start_pll(uint32_t pll, uint32_t times, uint32_t first, uint32_t second)
{
    REGISTER(pll + PLL_CS) = 1; /* 12 MHz as they are */
    REGISTER(pll + PLL_FBDIV) = times;
    CLEAR_BITS(pll + PLL_PWR) = 1 << 0 | 1 << 5;
    while (!(REGISTER(pll + PLL_CS) >> 31))
        ;
    REGISTER(pll + PLL_PRIM) = first << 16 | second << 12;
    CLEAR_BITS(pll + PLL_PWR) = 1 << 3;
}

/* 125 MHz for the program, 48 MHz for USB and ADC, 1 MHz for the watchdog, all from the crystal. */
static void start_clocks(void)
{
    REGISTER(XOSC_CONTROL) = 0xAA0;
    REGISTER(XOSC_STARTUP) = 47; /* a millisecond */
    SET_BITS(XOSC_CONTROL) = 0xFABU << 12;
    while (!(REGISTER(XOSC_STATUS) >> 31))
        ;
    REGISTER(CLOCK_SYS + CLOCK_CONTROL) = 0; /* off the PLL, should it run from before */
    REGISTER(CLOCK_REF + CLOCK_CONTROL) = 2;
    while (!(REGISTER(CLOCK_REF + CLOCK_SELECTED) & 1 << 2))
        ;
    SET_BITS(RESETS) = RESET_PLL_SYS | RESET_PLL_USB;
    calm_reset(RESET_PLL_SYS | RESET_PLL_USB);
    start_pll(PLL_SYS, 125, 6, 2);
    start_pll(PLL_USB, 100, 5, 5);
    REGISTER(CLOCK_SYS + CLOCK_CONTROL) = 1;
    while (!(REGISTER(CLOCK_SYS + CLOCK_SELECTED) & 1 << 1))
        ;
    REGISTER(CLOCK_USB + CLOCK_CONTROL) = 1 << 11;
    REGISTER(CLOCK_ADC + CLOCK_CONTROL) = 1 << 11;
    REGISTER(WATCHDOG_TICK) = 12 | 1 << 9;
}

static void run(void)
{
    start_clocks();
    SET_BITS(RESETS) = RESET_ADC | RESET_USB;
    calm_reset(RESET_IO | RESET_PADS | RESET_ADC | RESET_USB);
    main();
    stop();
}

__attribute__((section(".vectors"), used)) static const handler vectors[RAM_VECTORS] = {
    [0] = (handler)(uintptr_t)STACK_TOP,
    [2] = stop, [3] = stop, [11] = stop, [14] = stop,
    [15] = scan_line,
    [16 + USB_INTERRUPT] = usb_interrupt,
};

/* In flash, before there is a program in RAM: no call of anything outside it, so no memcpy either. */
__attribute__((section(".start"), used, optimize("no-tree-loop-distribute-patterns"))) void reset(void)
{
    const uint32_t *from = program_image;
    for (uint32_t *to = program_start; to < program_end;)
        *to++ = *from++;
    for (uint32_t *to = bss_start; to < bss_end;)
        *to++ = 0;
    REGISTER(VECTOR_TABLE) = (uint32_t)(uintptr_t)vectors;
    run();
}

__attribute__((section(".start_vectors"), used)) static const handler start_vectors[2] = {
    (handler)(uintptr_t)STACK_TOP,
    reset,
};
