/* The loop: feeds passes into the core, moves bytes both ways, sets the lamp, then sleeps. */
#include "../src/core.h"
#include "board.h"

/* Not cleared at start: opening the port resets an Uno or a Mega through DTR. */
static struct ring_memory memory __attribute__((section(".noinit")));
static struct core core;

static void serve_line(void)
{
    char byte;
    if (board_opened())
        core_opened(&core);
    while (board_received(&byte))
        core_receive(&core, byte);
    core_line_errors(&core, board_line_errors());
    while (board_has_room() && core_send(&core, &byte))
        board_put(byte);
}

static void follow_matrix(void)
{
    static struct matrix scanned;
    struct matrix wanted = core_matrix(&core);
    if (wanted.drives == scanned.drives && wanted.senses == scanned.senses)
        return;
    if (scanned.drives)
        board_matrix(wanted);
    scanned = wanted;
}

int main(void)
{
    bool sound = ring_is_sound(&memory);
    struct start start = {
        .board = board_name(),
        .fresh_session = sound ? 0 : board_random(),
        .matrix = board_kept_matrix(),
        .restarted = board_was_restarted(),
    };
    core_start(&core, &memory, &start);
    board_start(core_matrix(&core));
    for (;;) {
        struct frame frame;
        while (board_frame(&frame))
            core_pass(&core, &frame, board_buttons());
        serve_line();
        follow_matrix();
        board_lamp(core_lamp(&core));
        board_alive();
        board_sleep();
    }
}
