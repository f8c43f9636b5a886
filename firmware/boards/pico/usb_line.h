/* The serial line as the control endpoint sees it. */
#ifndef SCHARTEN_USB_LINE_H
#define SCHARTEN_USB_LINE_H

#include <stdbool.h>
#include <stdint.h>

/* A host has chosen the configuration (or none): the port is closed, and its bytes are gone. */
void line_configured(bool on);
/* A program has opened or closed the port. */
void line_opened(bool open, uint32_t baud);
/* A halt has ended: offers the line's packets again. */
void line_resumed(uint8_t address);

/* A request has come, an answer of the control endpoint was fetched, data for it have come, the bus was reset. */
void control_request(void);
void control_given(void);
void control_taken(void);
void control_reset(void);
/* Makes the serial number, once. */
void control_start(void);

#endif
