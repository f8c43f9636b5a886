/* A serial line over USB (class CDC-ACM) on the RP2040's own controller: datasheet chapter 4.1, USB 2.0 chapter 9.
 *
 * Endpoint 0: control; 1 in: notifications, of which there are none; 2 in and out: the line. Each has one buffer.
 */
#include "pico.h"
#include "rp2040.h"

#include <stddef.h>
#include <string.h>

#include "usb_descriptors.h"

#define MEMORY 0x50100000U /* of the controller: setup packet, endpoints, buffers */
#define IN_ENDPOINT(n) (MEMORY + 8U * (n))
#define OUT_ENDPOINT(n) (MEMORY + 8U * (n) + 4U)
#define IN_BUFFER(n) (MEMORY + 0x80U + 8U * (n))
#define OUT_BUFFER(n) (MEMORY + 0x84U + 8U * (n))
#define CONTROL_DATA 0x100U
#define NOTICE_DATA 0x180U
#define SEND_DATA 0x1C0U
#define RECEIVE_DATA 0x200U
enum { BUFFER_READY = 1 << 10, BUFFER_STALL = 1 << 11, BUFFER_DATA1 = 1 << 13, BUFFER_FULL = 1 << 15 };
#define ENDPOINT_ON (1U << 31 | 1U << 29)

#define ADDRESS 0x50110000U
#define MAIN_CONTROL 0x50110040U
#define LINK_CONTROL 0x5011004CU
#define LINK_STATUS 0x50110050U
#define BUFFER_STATUS 0x50110058U
#define STALL_ARM 0x50110068U
#define MUXING 0x50110074U
#define POWER 0x50110078U
#define INTERRUPTS 0x50110090U
#define INTERRUPT_STATUS 0x50110098U
enum { ON_BUFFER = 1 << 4, ON_BUS_RESET = 1 << 12, ON_SETUP = 1 << 16 };
#define STATUS_SETUP (1U << 17)
#define STATUS_BUS_RESET (1U << 19)

#define PACKET 64U
#define SEND_PACKET 63U /* never a full one: the host waits for more behind a full packet */
#define RING 256U       /* a power of two */

/* Requests, by type and number. */
enum { GET_STATUS = 0x00, CLEAR_FEATURE = 0x01, SET_FEATURE = 0x03, SET_ADDRESS = 0x05, GET_DESCRIPTOR = 0x06,
       GET_CONFIGURATION = 0x08, SET_CONFIGURATION = 0x09, GET_INTERFACE = 0x0A, SET_INTERFACE = 0x0B,
       SET_LINE_CODING = 0x20, GET_LINE_CODING = 0x21, SET_LINE_STATE = 0x22, SEND_BREAK = 0x23 };
#define TO_HOST 0x80U
#define CLASS_REQUEST 0x20U
#define TOUCH_BAUD 1200U

struct setup {
    uint8_t type, request;
    uint16_t value, index, length;
};

static struct {
    const uint8_t *data;
    uint16_t left;
    bool empty_end;     /* an empty packet is still to come: the answer is shorter than asked, of whole packets */
    bool coding;        /* the host is about to send the line's speed */
    uint8_t address;    /* valid from the end of the request; 0: no new address */
    uint8_t reply[2];
} control;
static uint8_t coding[7] = {0x00, 0xC2, 0x01, 0x00, 0, 0, 8}; /* 115200 8N1; USB has no line speed */
static uint8_t configuration;
static uint32_t next_data[3][2]; /* BUFFER_DATA1 or 0, by endpoint and direction (in, out) */
static volatile bool sending, line_open, was_opened;
static char received[RING], to_send[RING];
static volatile uint16_t received_in, received_out, send_in, send_out; /* free running */

/* The controller may read the word in two halves: the bit that hands it over is written a little after the others. */
static void hand_over(uint32_t buffer, uint32_t control_word)
{
    REGISTER(buffer) = control_word;
    __asm__ volatile("nop\nnop\nnop\nnop\nnop\nnop\nnop\nnop\nnop\nnop\nnop\nnop");
    REGISTER(buffer) = control_word | BUFFER_READY;
}

static void give(uint8_t endpoint, uint32_t length)
{
    uint32_t pid = next_data[endpoint][0];
    next_data[endpoint][0] ^= BUFFER_DATA1;
    hand_over(IN_BUFFER(endpoint), length | pid | BUFFER_FULL);
}

static void take(uint8_t endpoint)
{
    uint32_t pid = next_data[endpoint][1];
    next_data[endpoint][1] ^= BUFFER_DATA1;
    hand_over(OUT_BUFFER(endpoint), PACKET | pid);
}

static volatile uint8_t *buffer_at(uint32_t offset)
{
    return (volatile uint8_t *)(uintptr_t)(MEMORY + offset);
}

static void give_control(void)
{
    uint32_t part = control.left < PACKET ? control.left : PACKET;
    for (uint32_t i = 0; i < part; i++)
        buffer_at(CONTROL_DATA)[i] = control.data[i];
    control.data += part;
    control.left = (uint16_t)(control.left - part);
    if (part < PACKET)
        control.empty_end = false;
    give(0, part);
}

static void answer(const struct setup *setup, const void *data, size_t length)
{
    control.data = data;
    control.left = (uint16_t)(length < setup->length ? length : setup->length);
    control.empty_end = control.left < setup->length && control.left % PACKET == 0;
    next_data[0][1] = BUFFER_DATA1;
    take(0); /* the host ends it with an empty packet, perhaps before it has everything */
    give_control();
}

/* An empty packet: the request is done. */
static void acknowledge(void)
{
    control.left = 0;
    control.empty_end = false;
    give(0, 0);
}

static void refuse(void)
{
    REGISTER(STALL_ARM) = 3;
    REGISTER(IN_BUFFER(0)) = BUFFER_STALL;
    REGISTER(OUT_BUFFER(0)) = BUFFER_STALL;
}

static void send_more(void)
{
    uint32_t count = 0;
    while (count < SEND_PACKET && send_out != send_in)
        buffer_at(SEND_DATA)[count++] = (uint8_t)to_send[send_out++ % RING];
    sending = count > 0;
    if (sending)
        give(2, count);
}

static void configure(uint8_t which)
{
    configuration = which;
    memset(next_data[1], 0, sizeof next_data[1]);
    memset(next_data[2], 0, sizeof next_data[2]);
    sending = line_open = false;
    received_in = received_out = 0;
    if (!which)
        return;
    REGISTER(IN_ENDPOINT(1)) = ENDPOINT_ON | 3U << 26 | NOTICE_DATA;
    REGISTER(IN_ENDPOINT(2)) = ENDPOINT_ON | 2U << 26 | SEND_DATA;
    REGISTER(OUT_ENDPOINT(2)) = ENDPOINT_ON | 2U << 26 | RECEIVE_DATA;
    take(2);
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

static void set_line(bool open)
{
    uint32_t baud = coding[0] | (uint32_t)coding[1] << 8 | (uint32_t)coding[2] << 16 | (uint32_t)coding[3] << 24;
    if (line_open && !open && baud == TOUCH_BAUD)
        become_drive();
    was_opened = was_opened || (open && !line_open);
    line_open = open;
    send_out = send_in; /* drops bytes for the program that had the port open before */
}

static void describe(const struct setup *setup)
{
    uint8_t which = (uint8_t)setup->value;
    switch (setup->value >> 8) {
    case 1: answer(setup, DEVICE, sizeof DEVICE); break;
    case 2: answer(setup, CONFIGURATION, sizeof CONFIGURATION); break;
    case 3:
        if (which < sizeof STRINGS / sizeof *STRINGS)
            answer(setup, STRINGS[which], STRINGS[which][0]);
        else
            refuse();
        break;
    default: refuse();
    }
}

/* A halted endpoint begins with the first kind of packet again. */
static void clear_halt(uint8_t endpoint)
{
    if ((endpoint & 15) == 2)
        next_data[2][!(endpoint & TO_HOST)] = 0;
}

static void obey_standard(const struct setup *setup)
{
    control.reply[0] = control.reply[1] = 0;
    switch (setup->request) {
    case GET_DESCRIPTOR: describe(setup); break;
    case SET_ADDRESS:
        control.address = setup->value & 127;
        acknowledge();
        break;
    case SET_CONFIGURATION:
        configure((uint8_t)setup->value);
        acknowledge();
        break;
    case GET_CONFIGURATION: answer(setup, &configuration, 1); break;
    case GET_STATUS: answer(setup, control.reply, 2); break;
    case GET_INTERFACE: answer(setup, control.reply, 1); break;
    case CLEAR_FEATURE:
        if ((setup->type & 31) == 2)
            clear_halt((uint8_t)setup->index);
        acknowledge();
        break;
    case SET_FEATURE:
    case SET_INTERFACE: acknowledge(); break;
    default: refuse();
    }
}

static void obey_class(const struct setup *setup)
{
    switch (setup->request) {
    case SET_LINE_CODING:
        control.coding = true;
        next_data[0][1] = BUFFER_DATA1;
        take(0);
        break;
    case GET_LINE_CODING: answer(setup, coding, sizeof coding); break;
    case SET_LINE_STATE:
        set_line(setup->value & 1);
        acknowledge();
        break;
    case SEND_BREAK: acknowledge(); break;
    default: refuse();
    }
}

static void on_setup(void)
{
    struct setup setup;
    memcpy(&setup, (const void *)(uintptr_t)MEMORY, sizeof setup);
    control.coding = false;
    control.address = 0;
    next_data[0][0] = BUFFER_DATA1;
    if ((setup.type & 0x60) == CLASS_REQUEST)
        obey_class(&setup);
    else
        obey_standard(&setup);
}

static void on_control_taken(void)
{
    if (!control.coding)
        return;
    control.coding = false;
    for (uint32_t i = 0; i < sizeof coding; i++)
        coding[i] = buffer_at(CONTROL_DATA)[i];
    acknowledge();
}

static void on_control_given(void)
{
    if (control.address) {
        REGISTER(ADDRESS) = control.address;
        control.address = 0;
    } else if (control.left || control.empty_end) {
        give_control();
    }
}

static uint16_t room(void)
{
    return (uint16_t)(RING - (uint16_t)(received_in - received_out));
}

/* Takes a packet only when there is room for a whole one behind it: until then the host waits. */
static void on_received(void)
{
    uint32_t count = REGISTER(OUT_BUFFER(2)) & 0x3FF;
    for (uint32_t i = 0; i < count; i++)
        received[received_in++ % RING] = (char)buffer_at(RECEIVE_DATA)[i];
    if (room() >= PACKET)
        take(2);
}

static void on_bus_reset(void)
{
    REGISTER(ADDRESS) = 0;
    control.address = 0;
    configure(0);
}

void usb_interrupt(void)
{
    uint32_t why = REGISTER(INTERRUPT_STATUS);
    if (why & ON_BUS_RESET) {
        CLEAR_BITS(LINK_STATUS) = STATUS_BUS_RESET;
        on_bus_reset();
    }
    if (why & ON_BUFFER) {
        uint32_t done = REGISTER(BUFFER_STATUS);
        CLEAR_BITS(BUFFER_STATUS) = done;
        if (done & 1 << 0)
            on_control_given();
        if (done & 1 << 1)
            on_control_taken();
        if (done & 1 << 4)
            send_more();
        if (done & 1 << 5)
            on_received();
    }
    if (why & ON_SETUP) {
        CLEAR_BITS(LINK_STATUS) = STATUS_SETUP;
        on_setup();
    }
}

void usb_start(void)
{
    for (uint32_t at = MEMORY; at < MEMORY + 0x240; at += 4)
        REGISTER(at) = 0;
    REGISTER(MUXING) = 1 << 0 | 1 << 3;   /* to its own pins, by software */
    REGISTER(POWER) = 1 << 2 | 1 << 3;    /* as if VBUS were there: no pin looks at it */
    REGISTER(MAIN_CONTROL) = 1;
    REGISTER(LINK_CONTROL) = 1 << 29;     /* an interrupt for each packet of endpoint 0 */
    REGISTER(INTERRUPTS) = ON_BUFFER | ON_BUS_RESET | ON_SETUP;
    REGISTER(INTERRUPTS_ENABLE) = 1 << USB_INTERRUPT;
    SET_BITS(LINK_CONTROL) = 1 << 16;     /* the pull-up: here is a device */
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
    if (was_full && room() >= PACKET && configuration)
        take(2);
    interrupts_on();
    return true;
}

bool usb_has_room(void)
{
    return !line_open || (uint16_t)(send_in - send_out) < RING;
}

void usb_put(char byte)
{
    interrupts_off();
    if (line_open) {
        to_send[send_in++ % RING] = byte;
        if (!sending && (byte == '\n' || (uint16_t)(send_in - send_out) >= SEND_PACKET))
            send_more();
    }
    interrupts_on();
}
