#include "wire.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pty.h>
#include <stdio.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>

#include "world.h"

#define WAITING 65536

static int port = -1;
static bool logging = true, listening, opened;
static unsigned damage_ppm;
static uint32_t damage_state = 1;
static unsigned long sent, received, damaged;
static uint8_t waiting[WAITING];
static unsigned waiting_in, waiting_out; /* free running */
static char text[256];
static unsigned text_length;
static uint64_t text_from;

const char *wire_open(void)
{
    static char name[64];
    int other;
    struct termios raw;
    memset(&raw, 0, sizeof raw);
    cfmakeraw(&raw);
    raw.c_cflag |= CS8 | CREAD | CLOCAL;
    if (openpty(&port, &other, name, &raw, NULL))
        return NULL;
    close(other); /* so that a hang-up tells whether somebody has it open */
    fcntl(port, F_SETFL, O_NONBLOCK);
    return name;
}

void wire_damage(unsigned per_million, unsigned seed)
{
    damage_ppm = per_million;
    damage_state = seed;
}

void wire_log(bool on)
{
    logging = on;
}

static uint32_t chance(void)
{
    damage_state = damage_state * 1664525U + 1013904223U;
    return damage_state >> 8;
}

static uint8_t pass(uint8_t byte)
{
    if (!damage_ppm || chance() % 1000000 >= damage_ppm)
        return byte;
    damaged++;
    return (uint8_t)(byte ^ 1 << (chance() >> 8) % 8);
}

static void look_for_listener(void)
{
    struct pollfd end = {port, POLLOUT, 0};
    bool now = poll(&end, 1, 0) >= 0 && !(end.revents & POLLHUP);
    if (now && !listening)
        opened = true;
    listening = now;
}

static void to_host(uint8_t byte)
{
    look_for_listener();
    if (listening && write(port, &byte, 1) == 1)
        sent++;
}

static void log_byte(uint8_t byte, uint64_t from, uint64_t until)
{
    if (!text_length)
        text_from = from;
    if (byte != '\n' && text_length < sizeof text - 1) {
        text[text_length++] = (char)byte;
        return;
    }
    text[text_length] = '\0';
    if (logging)
        printf("# line %.1f %.1f %s\n", (double)text_from / CYCLES_PER_US, (double)until / CYCLES_PER_US, text);
    text_length = 0;
}

void wire_from_board(uint8_t byte, uint64_t from, uint64_t until)
{
    log_byte(byte, from, until);
    to_host(pass(byte));
}

void wire_noise(const uint8_t *bytes, unsigned count)
{
    while (count--)
        to_host(*bytes++);
}

void wire_inject(const uint8_t *bytes, unsigned count)
{
    while (count-- && waiting_in - waiting_out < WAITING)
        waiting[waiting_in++ % WAITING] = pass(*bytes++);
}

void wire_poll(void)
{
    uint8_t bytes[512];
    look_for_listener();
    if (waiting_in - waiting_out > WAITING - sizeof bytes)
        return; /* leave it in the pty: the host waits, as on a real line */
    ssize_t count = read(port, bytes, sizeof bytes);
    if (count > 0) {
        received += (unsigned long)count;
        wire_inject(bytes, (unsigned)count);
    }
}

bool wire_wait(unsigned long total)
{
    struct pollfd end = {port, POLLIN, 0};
    while (received < total && poll(&end, 1, 1000) > 0 && end.revents & POLLIN)
        wire_poll();
    return received >= total;
}

bool wire_to_board(uint8_t *byte)
{
    if (waiting_in == waiting_out)
        return false;
    *byte = waiting[waiting_out++ % WAITING];
    return true;
}

bool wire_was_opened(void)
{
    bool was = opened;
    opened = false;
    return was;
}

unsigned long wire_sent(void)
{
    return sent;
}

unsigned long wire_damaged(void)
{
    return damaged;
}
