/* The serial line's two endpoints: packets to and from the host, and the bytes that wait for a packet or for the program. */
#include "usb_line.h"
#include "pico.h"
#include "rp2040.h"
#include "usb_endpoints.h"

#define SEND_PACKET 63U /* never a full one: the host waits for more behind a full packet */
#define RING 256U       /* a power of two */
#define TOUCH_BAUD 1200U

static volatile bool configured, asleep, line_open, was_opened;
static volatile uint32_t offered; /* bytes of the packet that waits for the host; 0: none waits */
static char received[RING], to_send[RING];
static volatile uint16_t received_in, received_out, send_in, send_out; /* free running */

void line_send_more(void)
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
        line_send_more();
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

void line_receive(void)
{
    uint32_t count = usb_taken(LINE);
    for (uint32_t i = 0; i < count; i++)
        received[received_in++ % RING] = (char)usb_buffer(RECEIVE_DATA)[i];
    take_more();
}

void line_suspended(void)
{
    asleep = true;
    send_out = send_in;
}

void line_woken(void)
{
    asleep = false;
    was_opened = was_opened || line_open;
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
            line_send_more();
    }
    interrupts_on();
}
