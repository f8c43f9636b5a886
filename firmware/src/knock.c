#include "knock.h"

/* state      what happens             next
 * LISTENING  peak, no recent contact  WAITING
 * LISTENING  peak, recent contact     RINGING    the blow of a dart that was a hit
 * WAITING    contact                  RINGING
 * WAITING    window over              RINGING    and a knock is reported
 * RINGING    quiet for long enough    LISTENING
 */

void knock_start(struct knock *knock)
{
    *knock = (struct knock){.state = KNOCK_LISTENING, .since_touch_ms = UINT16_MAX};
}

static void hear(struct knock *knock, uint16_t peak, uint16_t window_ms, uint32_t t_ms)
{
    knock->quiet_ms = 0;
    if (knock->state == KNOCK_LISTENING) {
        knock->state = knock->since_touch_ms < window_ms ? KNOCK_RINGING : KNOCK_WAITING;
        knock->peak = 0;
        knock->t_ms = t_ms;
    }
    if (peak > knock->peak)
        knock->peak = peak;
}

void knock_pass(struct knock *knock, uint16_t peak, bool touched, uint16_t threshold, uint16_t window_ms,
                uint32_t t_ms)
{
    if (touched) {
        knock->since_touch_ms = 0;
        if (knock->state == KNOCK_WAITING)
            knock->state = KNOCK_RINGING;
    }
    if (threshold && peak >= threshold)
        hear(knock, peak, window_ms, t_ms);
}

bool knock_millisecond(struct knock *knock, uint16_t window_ms, uint32_t t_ms)
{
    if (knock->since_touch_ms < UINT16_MAX)
        knock->since_touch_ms++;
    if (knock->quiet_ms < KNOCK_QUIET_MS)
        knock->quiet_ms++;
    if (knock->quiet_ms == KNOCK_QUIET_MS)
        knock->loud_ms = 0;
    else if (knock->loud_ms < KNOCK_RESTS_MS)
        knock->loud_ms++;
    if (knock->state == KNOCK_WAITING && t_ms - knock->t_ms >= window_ms) {
        knock->state = KNOCK_RINGING;
        return true;
    }
    if (knock->state == KNOCK_RINGING && knock->quiet_ms >= KNOCK_QUIET_MS)
        knock->state = KNOCK_LISTENING;
    return false;
}
