/* The size of the matrix and of what is kept of it: chosen at build, never at run time. */
#ifndef SCHARTEN_SIZE_H
#define SCHARTEN_SIZE_H

#include <stdbool.h>
#include <stdint.h>

#ifndef DRIVES
#define DRIVES 8
#endif
#ifndef SENSES
#define SENSES 11
#endif
#if DRIVES < 1 || DRIVES > 16 || SENSES < 1 || SENSES > 16
#error "the matrix has 1 to 16 drive lines and 1 to 16 sense lines"
#endif

/* The contacts of one drive line: bit s is sense line s. */
#if SENSES > 8
typedef uint16_t row_t;
#else
typedef uint8_t row_t;
#endif
#define ALL_SENSES ((row_t)((1UL << SENSES) - 1))

/* One drive line is driven for this long before its senses are read: the lines settle meanwhile. */
#define LINE_US 30
#define PASS_US (LINE_US * DRIVES)

/* A contact as one byte: drive line in the upper half, sense line in the lower. */
typedef uint8_t contact_t;
#define CONTACT(drive, sense) ((contact_t)((drive) << 4 | (sense)))
#define DRIVE_OF(contact) ((uint8_t)((contact) >> 4))
#define SENSE_OF(contact) ((uint8_t)((contact) & 15))

/* What the board saw in one pass over all drive lines. */
struct frame {
    row_t rows[DRIVES]; /* bit set: the contact was closed */
    uint8_t peak;       /* highest piezo reading, 0 to 255 */
    uint8_t passes;     /* passes since the frame before: more than 1 when frames were lost */
};

#endif
