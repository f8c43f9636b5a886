/* The serial line, as the control endpoint and the interrupt see it; pico.h has what the program sees. */
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
/* The host has fetched a packet: offers the next. */
void line_send_more(void);
/* The host has sent a packet: takes its bytes. */
void line_receive(void);
/* The bus sleeps: nothing new waits for the host, or it would read minutes later what was true before. */
void line_suspended(void);
/* The board greets the host that wakes, as one that opens the port. */
void line_woken(void);

#endif
