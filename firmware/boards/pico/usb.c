/* A serial line over USB (class CDC-ACM) on the RP2040's own controller: datasheet chapter 4.1.
 *
 * Endpoint 0: control (usb_control.c); 1 in: notifications, of which there are none; 2 in and out: the line (usb_line.c).
 * Each has one buffer.
 */
#include "pico.h"
#include "rp2040.h"
#include "usb_control.h"
#include "usb_endpoints.h"
#include "usb_line.h"

#define MAIN_CONTROL 0x50110040U
#define FRAME_NUMBER 0x50110048U
#define LINK_CONTROL 0x5011004CU
#define LINK_STATUS 0x50110050U
#define BUFFER_STATUS 0x50110058U
#define MUXING 0x50110074U
#define POWER 0x50110078U
#define INTERRUPTS 0x50110090U
#define INTERRUPT_STATUS 0x50110098U
enum { ON_BUFFER = 1 << 4, ON_BUS_RESET = 1 << 12, ON_SUSPEND = 1 << 14, ON_SETUP = 1 << 16, ON_FRAME = 1 << 17 };
#define STATUS_SUSPENDED (1U << 4)
#define STATUS_SETUP (1U << 17)
#define STATUS_BUS_RESET (1U << 19)

/* The host sleeps until the next frame. */
static void on_suspend(void)
{
    CLEAR_BITS(LINK_STATUS) = STATUS_SUSPENDED;
    (void)REGISTER(FRAME_NUMBER); /* forgets the last frame before the sleep */
    SET_BITS(INTERRUPTS) = ON_FRAME;
    line_suspended();
}

static void on_wake(void)
{
    CLEAR_BITS(INTERRUPTS) = ON_FRAME;
    line_woken();
}

static void on_buffers(uint32_t done)
{
    if (done & 1 << 0)
        control_given();
    if (done & 1 << 1)
        control_taken();
    if (done & 1 << 4)
        line_send_more();
    if (done & 1 << 5)
        line_receive();
}

void usb_interrupt(void)
{
    uint32_t why = REGISTER(INTERRUPT_STATUS);
    if (why & ON_FRAME)
        on_wake();
    if (why & ON_SUSPEND)
        on_suspend();
    if (why & ON_BUS_RESET) {
        CLEAR_BITS(LINK_STATUS) = STATUS_BUS_RESET;
        control_reset();
    }
    if (why & ON_BUFFER) {
        uint32_t done = REGISTER(BUFFER_STATUS);
        CLEAR_BITS(BUFFER_STATUS) = done;
        on_buffers(done);
    }
    if (why & ON_SETUP) {
        CLEAR_BITS(LINK_STATUS) = STATUS_SETUP;
        control_request();
    }
}

void usb_start(void)
{
    for (uint32_t at = 0; at < MEMORY_END; at += 4)
        REGISTER(USB_MEMORY + at) = 0;
    control_start();
    REGISTER(MUXING) = 1 << 0 | 1 << 3;   /* to its own pins, by software */
    REGISTER(POWER) = 1 << 2 | 1 << 3;    /* as if VBUS were there: no pin looks at it */
    REGISTER(MAIN_CONTROL) = 1;
    REGISTER(LINK_CONTROL) = 1 << 29;     /* an interrupt for each packet of endpoint 0 */
    REGISTER(INTERRUPTS) = ON_BUFFER | ON_BUS_RESET | ON_SUSPEND | ON_SETUP;
    REGISTER(INTERRUPTS_ENABLE) = 1 << USB_INTERRUPT;
    SET_BITS(LINK_CONTROL) = 1 << 16;     /* the pull-up: here is a device */
}
