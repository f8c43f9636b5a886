#include "usb_endpoints.h"
#include "rp2040.h"

#define IN_CONTROL(n) (USB_MEMORY + 8U * (n))
#define OUT_CONTROL(n) (USB_MEMORY + 8U * (n) + 4U)
#define IN_BUFFER(n) (USB_MEMORY + 0x80U + 8U * (n))
#define OUT_BUFFER(n) (USB_MEMORY + 0x84U + 8U * (n))
#define NOTICE_DATA 0x180U
enum { BUFFER_READY = 1 << 10, BUFFER_STALL = 1 << 11, BUFFER_DATA1 = 1 << 13, BUFFER_FULL = 1 << 15 };
enum { BULK = 2, INTERRUPT = 3 };
#define ENDPOINT_ON(kind, data) (1U << 31 | 1U << 29 | (kind) << 26 | (data))
#define STALL_ARM 0x50110068U

static struct {
    uint32_t next; /* BUFFER_DATA1 or 0 */
    bool halted;
} endpoints[ENDPOINTS][2]; /* by number and direction (in, out) */

static uint32_t buffer_of(uint8_t address)
{
    uint8_t number = address & 15;
    return address & TO_HOST ? IN_BUFFER(number) : OUT_BUFFER(number);
}

/* The controller may read the word in two halves: the bit that hands it over is written a little after the others. */
static void hand_over(uint32_t buffer, uint32_t control_word)
{
    REGISTER(buffer) = control_word;
    __asm__ volatile("nop\nnop\nnop\nnop\nnop\nnop\nnop\nnop\nnop\nnop\nnop\nnop");
    REGISTER(buffer) = control_word | BUFFER_READY;
}

static uint32_t next_kind(uint8_t endpoint, uint8_t direction)
{
    uint32_t kind = endpoints[endpoint][direction].next;
    endpoints[endpoint][direction].next ^= BUFFER_DATA1;
    return kind;
}

volatile uint8_t *usb_buffer(uint32_t offset)
{
    return (volatile uint8_t *)(uintptr_t)(USB_MEMORY + offset);
}

void usb_give(uint8_t endpoint, uint32_t length)
{
    hand_over(IN_BUFFER(endpoint), length | next_kind(endpoint, 0) | BUFFER_FULL);
}

void usb_take(uint8_t endpoint)
{
    hand_over(OUT_BUFFER(endpoint), PACKET | next_kind(endpoint, 1));
}

void usb_begin_data1(uint8_t endpoint, bool from_host)
{
    endpoints[endpoint][from_host].next = BUFFER_DATA1;
}

uint32_t usb_taken(uint8_t endpoint)
{
    return REGISTER(OUT_BUFFER(endpoint)) & 0x3FF;
}

void usb_refuse(void)
{
    REGISTER(STALL_ARM) = 3;
    REGISTER(IN_BUFFER(CONTROL)) = BUFFER_STALL;
    REGISTER(OUT_BUFFER(CONTROL)) = BUFFER_STALL;
}

/* A packet that waits since before a reset has the wrong kind now: the host would drop it, and the next ones be askew. */
void usb_configure_endpoints(bool on)
{
    for (uint8_t n = NOTICES; n < ENDPOINTS; n++)
        for (uint8_t direction = 0; direction < 2; direction++) {
            REGISTER(direction ? OUT_BUFFER(n) : IN_BUFFER(n)) = 0;
            endpoints[n][direction].next = endpoints[n][direction].halted = 0;
        }
    REGISTER(IN_CONTROL(NOTICES)) = on ? ENDPOINT_ON((uint32_t)INTERRUPT, NOTICE_DATA) : 0;
    REGISTER(IN_CONTROL(LINE)) = on ? ENDPOINT_ON((uint32_t)BULK, SEND_DATA) : 0;
    REGISTER(OUT_CONTROL(LINE)) = on ? ENDPOINT_ON((uint32_t)BULK, RECEIVE_DATA) : 0;
}

bool usb_exists(uint8_t address)
{
    return address == (LINE | TO_HOST) || address == LINE || address == (NOTICES | TO_HOST);
}

bool usb_is_halted(uint8_t address)
{
    return endpoints[address & 15][!(address & TO_HOST)].halted;
}

void usb_halt(uint8_t address)
{
    endpoints[address & 15][!(address & TO_HOST)].halted = true;
    REGISTER(buffer_of(address)) = BUFFER_STALL;
}

void usb_end_halt(uint8_t address)
{
    endpoints[address & 15][!(address & TO_HOST)].halted = false;
    endpoints[address & 15][!(address & TO_HOST)].next = 0;
    REGISTER(buffer_of(address)) = 0;
}
