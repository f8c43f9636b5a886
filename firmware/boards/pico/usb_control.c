/* Endpoint 0: what the host asks of the device, and of its serial line. USB 2.0 chapter 9, CDC-PSTN chapter 6.3. */
#include "usb_control.h"
#include "flash_id.h"
#include "rp2040.h"
#include "usb_endpoints.h"
#include "usb_line.h"

#include <stddef.h>
#include <string.h>

#include "usb_descriptors.h"

/* Requests, by type and number. */
enum { GET_STATUS = 0x00, CLEAR_FEATURE = 0x01, SET_FEATURE = 0x03, SET_ADDRESS = 0x05, GET_DESCRIPTOR = 0x06,
       GET_CONFIGURATION = 0x08, SET_CONFIGURATION = 0x09, GET_INTERFACE = 0x0A, SET_INTERFACE = 0x0B,
       SET_LINE_CODING = 0x20, GET_LINE_CODING = 0x21, SET_LINE_STATE = 0x22, SEND_BREAK = 0x23 };
#define CLASS_REQUEST 0x20U
enum { TO_ENDPOINT = 2 }; /* recipient of a request, in the low bits of its type */
#define ENDPOINT_HALT 0

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
static uint8_t device[sizeof DEVICE];
static uint8_t serial_number[2 + 4 * FLASH_ID_BYTES]; /* two digits a byte, as UTF-16 */

static void give_control(void)
{
    uint32_t part = control.left < PACKET ? control.left : PACKET;
    for (uint32_t i = 0; i < part; i++)
        usb_buffer(CONTROL_DATA)[i] = control.data[i];
    control.data += part;
    control.left = (uint16_t)(control.left - part);
    if (part < PACKET)
        control.empty_end = false;
    usb_give(CONTROL, part);
}

static void answer(const struct setup *setup, const void *data, size_t length)
{
    control.data = data;
    control.left = (uint16_t)(length < setup->length ? length : setup->length);
    control.empty_end = control.left < setup->length && control.left % PACKET == 0;
    usb_begin_data1(CONTROL, true);
    usb_take(CONTROL); /* the host ends it with an empty packet, perhaps before it has everything */
    give_control();
}

/* An empty packet: the request is done. */
static void acknowledge(void)
{
    control.left = 0;
    control.empty_end = false;
    usb_give(CONTROL, 0);
}

static void acknowledge_if(bool possible)
{
    if (possible)
        acknowledge();
    else
        usb_refuse();
}

static void configure(uint8_t which)
{
    configuration = which;
    usb_configure_endpoints(which);
    line_configured(which);
}

static void describe(const struct setup *setup)
{
    uint8_t which = (uint8_t)setup->value;
    const uint8_t *const strings[] = {LANGUAGE, MAKER, PRODUCT, serial_number};
    size_t count = device[SERIAL_INDEX] ? 4 : 3;
    switch (setup->value >> 8) {
    case 1: answer(setup, device, sizeof device); break;
    case 2: answer(setup, CONFIGURATION, sizeof CONFIGURATION); break;
    case 3:
        if (which < count)
            answer(setup, strings[which], strings[which][0]);
        else
            usb_refuse();
        break;
    default: usb_refuse();
    }
}

static void end_halt(uint8_t address)
{
    usb_end_halt(address);
    line_resumed(address);
}

/* The host has chosen the one setting of the line's interface: its packets begin with DATA0 again. */
static void restart_line(void)
{
    end_halt(LINE);
    end_halt(LINE | TO_HOST);
}

/* The one feature is the halt of an endpoint; endpoint 0 has none. */
static void set_feature(const struct setup *setup, bool on)
{
    uint8_t address = (uint8_t)setup->index;
    bool possible = (setup->type & 31) == TO_ENDPOINT && setup->value == ENDPOINT_HALT && configuration && usb_exists(address);
    if (possible && on)
        usb_halt(address);
    else if (possible)
        end_halt(address);
    acknowledge_if(possible);
}

static void get_status(const struct setup *setup)
{
    uint8_t address = (uint8_t)setup->index;
    if ((setup->type & 31) == TO_ENDPOINT && address & 15) {
        if (!configuration || !usb_exists(address)) {
            usb_refuse();
            return;
        }
        control.reply[0] = usb_is_halted(address);
    }
    answer(setup, control.reply, 2);
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
        if (setup->value <= 1)
            configure((uint8_t)setup->value);
        acknowledge_if(setup->value <= 1);
        break;
    case GET_CONFIGURATION: answer(setup, &configuration, 1); break;
    case GET_STATUS: get_status(setup); break;
    case GET_INTERFACE: answer(setup, control.reply, 1); break;
    case CLEAR_FEATURE:
    case SET_FEATURE: set_feature(setup, setup->request == SET_FEATURE); break;
    case SET_INTERFACE:
        if (setup->index && !setup->value)
            restart_line();
        acknowledge_if(!setup->value);
        break;
    default: usb_refuse();
    }
}

static uint32_t baud(void)
{
    return coding[0] | (uint32_t)coding[1] << 8 | (uint32_t)coding[2] << 16 | (uint32_t)coding[3] << 24;
}

static void obey_class(const struct setup *setup)
{
    switch (setup->request) {
    case SET_LINE_CODING:
        control.coding = true;
        usb_begin_data1(CONTROL, true);
        usb_take(CONTROL);
        break;
    case GET_LINE_CODING: answer(setup, coding, sizeof coding); break;
    case SET_LINE_STATE:
        line_opened(setup->value & 1, baud());
        acknowledge();
        break;
    case SEND_BREAK: acknowledge(); break;
    default: usb_refuse();
    }
}

void control_request(void)
{
    struct setup setup;
    memcpy(&setup, (const void *)(uintptr_t)USB_MEMORY, sizeof setup);
    control.coding = false;
    control.address = 0;
    usb_begin_data1(CONTROL, false);
    if ((setup.type & 0x60) == CLASS_REQUEST)
        obey_class(&setup);
    else
        obey_standard(&setup);
}

void control_taken(void)
{
    if (!control.coding)
        return;
    control.coding = false;
    for (uint32_t i = 0; i < sizeof coding; i++)
        coding[i] = usb_buffer(CONTROL_DATA)[i];
    acknowledge();
}

void control_given(void)
{
    if (control.address) {
        REGISTER(USB_ADDRESS) = control.address;
        control.address = 0;
    } else if (control.left || control.empty_end) {
        give_control();
    }
}

void control_reset(void)
{
    REGISTER(USB_ADDRESS) = 0;
    control.address = 0;
    configure(0);
}

void control_start(void)
{
    uint8_t id[FLASH_ID_BYTES];
    memcpy(device, DEVICE, sizeof device);
    if (!flash_id(id))
        return; /* no number is better than one that two boards share */
    device[SERIAL_INDEX] = 3;
    serial_number[0] = sizeof serial_number;
    serial_number[1] = 3;
    for (uint8_t i = 0; i < 2 * FLASH_ID_BYTES; i++)
        serial_number[2 + 2 * i] = (uint8_t)"0123456789ABCDEF"[id[i / 2] >> (i % 2 ? 0 : 4) & 15];
}
