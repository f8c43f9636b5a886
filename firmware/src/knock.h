/* The piezo: a knock without a contact within the window is a possible miss or bounce-out. */
#ifndef SCHARTEN_KNOCK_H
#define SCHARTEN_KNOCK_H

#include "size.h"

#define KNOCK_RESTS_MS 2000 /* without such a quiet moment: the piezo rests above its threshold, and hears nothing */
#define KNOCK_QUIET_MS 50 /* the board rings on after a blow: below the threshold for this long, then listen again */

enum knock_state { KNOCK_LISTENING, KNOCK_WAITING, KNOCK_RINGING };

struct knock {
    enum knock_state state;
    uint16_t peak;       /* of this knock, in the ADC's 10-bit steps */
    uint32_t t_ms;       /* when it began */
    uint16_t since_touch_ms; /* since a contact last closed; saturates */
    uint16_t loud_ms;        /* since it was last quiet for long enough; saturates at KNOCK_RESTS_MS */
    uint8_t quiet_ms;
};

void knock_start(struct knock *knock);
/* One pass. `touched`: a contact closed in it. A threshold of 0 means that there is no piezo. */
void knock_pass(struct knock *knock, uint16_t peak, bool touched, uint16_t threshold, uint16_t window_ms,
                uint32_t t_ms);
/* Once each millisecond. True: the window has passed without a contact; `peak` and `t_ms` tell of the knock. */
bool knock_millisecond(struct knock *knock, uint16_t window_ms, uint32_t t_ms);

#endif
