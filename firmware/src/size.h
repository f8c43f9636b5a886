/* The size of the matrix: the maximum, by the board's pins, is built in; the wired size is a setting. */
#ifndef SCHARTEN_SIZE_H
#define SCHARTEN_SIZE_H

#include <stdbool.h>
#include <stdint.h>

#ifndef MAX_DRIVES
#define MAX_DRIVES 16
#endif
#ifndef MAX_SENSES
#define MAX_SENSES 16
#endif
#if MAX_DRIVES < 1 || MAX_DRIVES > 16 || MAX_SENSES < 1 || MAX_SENSES > 16
#error "the matrix has 1 to 16 drive lines and 1 to 16 sense lines"
#endif

struct matrix {
    uint8_t drives, senses;
};

/* The contacts of one drive line: bit s is sense line s. */
#if MAX_SENSES > 8
typedef uint16_t row_t;
#else
typedef uint8_t row_t;
#endif

/* Time to settle between driving a line and reading its senses. */
#define LINE_US 30

/* A contact as one byte: drive line in the upper half, sense line in the lower. */
typedef uint8_t contact_t;
#define CONTACT(drive, sense) ((contact_t)((drive) << 4 | (sense)))
#define DRIVE_OF(contact) ((uint8_t)((contact) >> 4))
#define SENSE_OF(contact) ((uint8_t)((contact) & 15))

static inline row_t all_senses(struct matrix matrix)
{
    return (row_t)((1UL << matrix.senses) - 1);
}

/* The readings of one pass over all drive lines. */
struct frame {
    row_t rows[MAX_DRIVES]; /* bit set: the contact was closed */
    uint8_t peak;           /* highest piezo reading, 0 to 255 */
    uint8_t passes;         /* passes since the last frame: more than 1 after lost frames */
};

#endif
