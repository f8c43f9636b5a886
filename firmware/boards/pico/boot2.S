/* The first 252 bytes of the flash: the ROM checks their CRC (put behind them by uf2.py), copies them to RAM and runs
 * them. They make the flash readable as memory with the slowest command (03h), which every flash chip knows, and go
 * on with the program. It copies itself to RAM at once, so slowness does not matter. */
        .syntax unified
        .cpu cortex-m0plus
        .thumb
        .section .boot2, "ax"
        .global boot2
        .thumb_func
boot2:
        ldr     r3, =0x18000000         /* the flash's serial interface (SSI) */
        movs    r0, #0
        str     r0, [r3, #0x08]         /* SSIENR: off, to set it up */
        movs    r0, #4
        str     r0, [r3, #0x14]         /* BAUDR: a quarter of the system clock */
        ldr     r0, =0x001F0300         /* CTRLR0: one bit a clock, 32 bits a frame, send a command and read */
        str     r0, [r3, #0x00]
        ldr     r0, =0x03000218         /* SPI_CTRLR0: command 03h, 8 bits of it, 24 bits of address */
        movs    r1, #0xF4
        str     r0, [r3, r1]
        movs    r0, #0
        str     r0, [r3, #0x04]         /* CTRLR1: one frame a read */
        movs    r0, #1
        str     r0, [r3, #0x08]
        ldr     r0, =0x10000100         /* the program: its stack and its first instruction */
        ldr     r1, =0xE000ED08
        str     r0, [r1]
        ldmia   r0!, {r1, r2}
        msr     msp, r1
        bx      r2
        .ltorg
