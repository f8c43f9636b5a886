/* The piezo: a knock without a contact within the window is a possible miss or bounce-out. */
#ifndef SCHARTEN_KNOCK_H
#define SCHARTEN_KNOCK_H

#include "size.h"

#define KNOCK_RESTS_MS 2000 /* without a quiet moment for this long, the piezo rests above its threshold */
#define KNOCK_QUIET_MS 50 /* listen again once the ringing board was below the threshold for this long */

enum knock_state { KNOCK_LISTENING, KNOCK_WAITING, KNOCK_RINGING };

struct knock {
    enum knock_state state;
    uint16_t peak;       /* peak of this knock in 10-bit steps of the ADC */
    uint32_t t_ms;       /* start of this knock */
    uint16_t since_touch_ms; /* since a contact last closed; saturates */
    uint16_t loud_ms;        /* since it was last quiet for long enough; saturates at KNOCK_RESTS_MS */
    uint8_t quiet_ms;
};

void knock_start(struct knock *knock);
/* Takes one pass. `touched`: a contact closed in it. A threshold of 0 means no piezo. */
void knock_pass(struct knock *knock, uint16_t peak, bool touched, uint16_t threshold, uint16_t window_ms,
                uint32_t t_ms);
/* Call it each millisecond. Returns true for a knock without a contact in the window; see `peak` and `t_ms`. */
bool knock_millisecond(struct knock *knock, uint16_t window_ms, uint32_t t_ms);

#endif
