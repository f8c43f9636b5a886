/* The loop: passes into the core, bytes both ways, the lamp; then sleep until there is more. */
#include "../src/core.h"
#include "board.h"

/* Not cleared at start: opening the port resets an Uno or a Mega through DTR. */
static struct ring_memory memory __attribute__((section(".noinit")));
static struct core core;

static void serve_line(void)
{
    char byte;
    while (board_received(&byte))
        core_receive(&core, byte);
    while (board_has_room() && core_send(&core, &byte))
        board_put(byte);
}

int main(void)
{
    uint32_t session = ring_is_sound(&memory) ? 0 : board_random();
    core_start(&core, &memory, session, board_name());
    board_start();
    for (;;) {
        struct frame frame;
        while (board_frame(&frame))
            core_pass(&core, &frame, board_buttons());
        serve_line();
        board_lamp(core_lamp(&core));
        board_sleep();
    }
}
