/* A serial line over USB (class CDC-ACM) on the RP2040's own controller: datasheet chapter 4.1.
 *
 * Endpoint 0: control (usb_control.c); 1 in: notifications, of which there are none; 2 in and out: the line. Each has one
 * buffer.
 */
#include "pico.h"
#include "rp2040.h"
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

#define SEND_PACKET 63U /* never a full one: the host waits for more behind a full packet */
#define RING 256U       /* a power of two */
#define TOUCH_BAUD 1200U

static volatile bool configured, asleep, line_open, was_opened;
static volatile uint32_t offered; /* bytes of the packet that waits for the host; 0: none waits */
static char received[RING], to_send[RING];
static volatile uint16_t received_in, received_out, send_in, send_out; /* free running */

static void send_more(void)
{
    uint32_t count = 0;
    if (usb_is_halted(LINE | TO_HOST))
        return;
    while (count < SEND_PACKET && send_out != send_in)
        usb_buffer(SEND_DATA)[count++] = (uint8_t)to_send[send_out++ % RING];
    offered = count;
    if (count)
        usb_give(LINE, count);
}

static uint16_t room(void)
{
    return (uint16_t)(RING - (uint16_t)(received_in - received_out));
}

/* Takes a packet only when there is room for a whole one behind it: until then the host waits. */
static void take_more(void)
{
    if (configured && room() >= PACKET && !usb_is_halted(LINE))
        usb_take(LINE);
}

void line_configured(bool on)
{
    configured = on;
    line_open = false;
    offered = 0;
    send_out = send_in;
    received_in = received_out = 0;
    take_more();
}

void line_resumed(uint8_t address)
{
    if (address == LINE)
        take_more();
    else if (address == (LINE | TO_HOST) && offered)
        usb_give(LINE, offered); /* it still lies in the buffer */
    else if (address == (LINE | TO_HOST))
        send_more();
}

/* The boot loader's drive, in which a new program can be dropped; never comes back. */
static void become_drive(void)
{
    const uint16_t *rom = (const uint16_t *)(uintptr_t)0x14; /* the ROM's tables: of functions, and who searches them */
    __asm__("" : "+r"(rom)); /* an address as good as any, whatever the compiler thinks of numbers that small */
    void *(*find)(const uint16_t *, uint32_t) = (void *(*)(const uint16_t *, uint32_t))(uintptr_t)rom[2];
    void (*boot)(uint32_t, uint32_t) = (void (*)(uint32_t, uint32_t))find((const uint16_t *)(uintptr_t)rom[0], 'U' | 'B' << 8);
    boot(0, 0);
}

void line_opened(bool open, uint32_t baud)
{
    if (line_open && !open && baud == TOUCH_BAUD)
        become_drive();
    was_opened = was_opened || (open && !line_open);
    line_open = open;
    send_out = send_in; /* drops bytes for the program that had the port open before */
}

static void on_received(void)
{
    uint32_t count = usb_taken(LINE);
    for (uint32_t i = 0; i < count; i++)
        received[received_in++ % RING] = (char)usb_buffer(RECEIVE_DATA)[i];
    take_more();
}

/* The host sleeps until the next frame: nothing new waits for it, or it would read minutes later what was true before. */
static void on_suspend(void)
{
    CLEAR_BITS(LINK_STATUS) = STATUS_SUSPENDED;
    (void)REGISTER(FRAME_NUMBER); /* forgets the last frame before the sleep */
    SET_BITS(INTERRUPTS) = ON_FRAME;
    asleep = true;
    send_out = send_in;
}

/* The board greets the host that wakes, as one that opens the port. */
static void on_wake(void)
{
    CLEAR_BITS(INTERRUPTS) = ON_FRAME;
    asleep = false;
    was_opened = was_opened || line_open;
}

static void on_buffers(uint32_t done)
{
    if (done & 1 << 0)
        control_given();
    if (done & 1 << 1)
        control_taken();
    if (done & 1 << 4)
        send_more();
    if (done & 1 << 5)
        on_received();
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

bool usb_asleep(void)
{
    return asleep;
}

bool usb_opened(void)
{
    bool was = was_opened;
    if (was)
        was_opened = false;
    return was;
}

bool usb_waiting(void)
{
    return received_in != received_out || was_opened;
}

bool usb_received(char *byte)
{
    if (received_in == received_out)
        return false;
    *byte = received[received_out % RING];
    interrupts_off();
    bool was_full = room() < PACKET;
    received_out++;
    if (was_full && room() >= PACKET)
        take_more();
    interrupts_on();
    return true;
}

static bool somebody_reads(void)
{
    return line_open && !asleep;
}

bool usb_has_room(void)
{
    return !somebody_reads() || (uint16_t)(send_in - send_out) < RING;
}

void usb_put(char byte)
{
    interrupts_off();
    if (somebody_reads()) {
        to_send[send_in++ % RING] = byte;
        if (!offered && (byte == '\n' || (uint16_t)(send_in - send_out) >= SEND_PACKET))
            send_more();
    }
    interrupts_on();
}
