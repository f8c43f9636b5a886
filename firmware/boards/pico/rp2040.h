/* The registers of the RP2040 that this program uses; names and numbers of its datasheet (chapters 2 and 4). */
#ifndef SCHARTEN_RP2040_H
#define SCHARTEN_RP2040_H

#include <stdint.h>

#define REGISTER(address) (*(volatile uint32_t *)(uintptr_t)(address))
/* Every register of a peripheral has two more addresses: what is written there sets or clears these bits. */
#define SET_BITS(address) REGISTER((address) + 0x2000U)
#define CLEAR_BITS(address) REGISTER((address) + 0x3000U)

#define RESETS 0x4000C000U
#define RESETS_DONE 0x4000C008U
enum { RESET_ADC = 1 << 0, RESET_IO = 1 << 5, RESET_PADS = 1 << 8, RESET_PLL_SYS = 1 << 12, RESET_PLL_USB = 1 << 13,
       RESET_USB = 1 << 24 };

#define XOSC_CONTROL 0x40024000U
#define XOSC_STATUS 0x40024004U
#define XOSC_STARTUP 0x4002400CU
#define PLL_SYS 0x40028000U
#define PLL_USB 0x4002C000U
enum { PLL_CS = 0, PLL_PWR = 4, PLL_FBDIV = 8, PLL_PRIM = 12 };
#define CLOCK_REF 0x40008030U
#define CLOCK_SYS 0x4000803CU
#define CLOCK_USB 0x40008054U
#define CLOCK_ADC 0x40008060U
enum { CLOCK_CONTROL = 0, CLOCK_DIVIDER = 4, CLOCK_SELECTED = 8 };

#define ROSC_RANDOM_BIT 0x4006001CU
#define PSM_WATCHDOG_RESETS 0x40010008U
#define WATCHDOG_CONTROL 0x40058000U
#define WATCHDOG_LOAD 0x40058004U
#define WATCHDOG_REASON 0x40058008U
#define WATCHDOG_TICK 0x4005802CU

#define PIN_CONTROL(pin) (0x40014004U + 8U * (pin))
#define PAD(pin) (0x4001C004U + 4U * (pin))
enum { PAD_SCHMITT = 1 << 1, PAD_PULL_UP = 1 << 3, PAD_4_MA = 1 << 4, PAD_INPUT = 1 << 6, PAD_NO_OUTPUT = 1 << 7 };
#define PIN_TO_SIO 5U
#define SIO_IN 0xD0000004U
#define SIO_OUT_SET 0xD0000014U
#define SIO_OUT_CLEAR 0xD0000018U
#define SIO_DRIVE_SET 0xD0000024U
#define SIO_DRIVE_CLEAR 0xD0000028U

#define ADC_CONTROL 0x4004C000U
#define ADC_RESULT 0x4004C004U
enum { ADC_ENABLE = 1 << 0, ADC_START_ONCE = 1 << 2, ADC_READY = 1 << 8 };

#define SYSTICK_CONTROL 0xE000E010U
#define SYSTICK_RELOAD 0xE000E014U
#define SYSTICK_COUNT 0xE000E018U
#define INTERRUPTS_ENABLE 0xE000E100U
#define VECTOR_TABLE 0xE000ED08U
#define USB_INTERRUPT 5

static inline void interrupts_off(void)
{
    __asm__ volatile("cpsid i" ::: "memory");
}

static inline void interrupts_on(void)
{
    __asm__ volatile("cpsie i" ::: "memory");
}

#endif
