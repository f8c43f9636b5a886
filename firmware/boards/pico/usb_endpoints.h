/* The controller's endpoints: registers, buffers, kinds of packet, halts. Datasheet chapter 4.1, USB 2.0 chapter 8. */
#ifndef SCHARTEN_USB_ENDPOINTS_H
#define SCHARTEN_USB_ENDPOINTS_H

#include <stdbool.h>
#include <stdint.h>

#define USB_MEMORY 0x50100000U /* of the controller: setup packet, endpoints, buffers */
#define CONTROL_DATA 0x100U
#define SEND_DATA 0x1C0U
#define RECEIVE_DATA 0x200U
#define MEMORY_END 0x240U
#define USB_ADDRESS 0x50110000U
#define PACKET 64U
#define TO_HOST 0x80U /* in an endpoint's address: from the board to the host */

enum { CONTROL, NOTICES, LINE, ENDPOINTS };

/* Bytes of the controller's memory. */
volatile uint8_t *usb_buffer(uint32_t offset);
/* Offers a packet of this many bytes to the host. */
void usb_give(uint8_t endpoint, uint32_t length);
/* Offers room for a packet from the host. */
void usb_take(uint8_t endpoint);
/* Makes this the packet of kind DATA1: the first of a reply, and the end of a request. */
void usb_begin_data1(uint8_t endpoint, bool from_host);
/* Returns the length of the packet that the host sent. */
uint32_t usb_taken(uint8_t endpoint);
/* Refuses the control request that is under way. */
void usb_refuse(void);

/* Withdraws every offer and forgets kinds and halts; switches the line's endpoints on or off. */
void usb_configure_endpoints(bool on);
/* The host halts an endpoint: it refuses every packet until the host ends that. The address has TO_HOST or not. */
bool usb_exists(uint8_t address);
bool usb_is_halted(uint8_t address);
void usb_halt(uint8_t address);
/* Ends a halt, and begins with DATA0 again; the caller repeats the offer. */
void usb_end_halt(uint8_t address);

#endif
