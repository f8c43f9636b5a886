/* The control endpoint, as the interrupt sees it. */
#ifndef SCHARTEN_USB_CONTROL_H
#define SCHARTEN_USB_CONTROL_H

/* A request has come, an answer of the control endpoint was fetched, data for it have come, the bus was reset. */
void control_request(void);
void control_given(void);
void control_taken(void);
void control_reset(void);
/* Makes the serial number, once. */
void control_start(void);

#endif
