/* The interfaces between the parts of this board's program. */
#ifndef SCHARTEN_PICO_H
#define SCHARTEN_PICO_H

#include <stdbool.h>
#include <stdint.h>

/* Called by the start code; never returns. */
void reset(void);
/* The interrupt of each drive line. */
void scan_line(void);

/* The serial line over USB. Without an open port, bytes are dropped as on a wire; bytes of the host wait in the host
 * for room. */
void usb_start(void);
void usb_interrupt(void);
/* Returns whether the host sleeps: the board takes as little power as it can then. */
bool usb_asleep(void);
bool usb_opened(void);
bool usb_waiting(void);
bool usb_received(char *byte);
bool usb_has_room(void);
void usb_put(char byte);

#endif
