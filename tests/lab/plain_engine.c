/* A plain engine for silent Scharten, the rival of `make bench ARGS=ladder`: alpha-beta of a fixed depth, captures
 * first, valued by material and mobility. No table, no extensions: it stays as it is, so that figures stay comparable.
 * `plain_engine.py` writes the board's geometry into board.h; a set of fields is a 128-bit number. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

typedef unsigned __int128 Set;
#define SET(high, low) ((((Set)(high)) << 64) | (low))
#define BIT(field) (((Set)1) << (field))
#include "board.h"

enum { P, N, B, R, Q, K, EMPTY };
enum { MATE = 1000000, MOST_MOVES = 512 };

typedef struct {
    Set sets[2][6], own[2], unmoved;
    signed char kind[80];
    int mover, ep;
} Position;

typedef struct {
    int origin, to, promotion, gain;
} Move;

typedef struct {
    int count, checked;
    Move moves[MOST_MOVES];
} List;

static const int WORTH[7] = {100, 300, 330, 480, 850, 0, 0};

static int lowest(Set set) {
    uint64_t low = (uint64_t)set;
    return low ? __builtin_ctzll(low) : 64 + __builtin_ctzll((uint64_t)(set >> 64));
}

static int size(Set set) {
    return __builtin_popcountll((uint64_t)set) + __builtin_popcountll((uint64_t)(set >> 64));
}

static int take(Set *set) {
    int field = lowest(*set);
    *set &= *set - 1;
    return field;
}

static Set walk(const signed char *path, Set occupied) {
    Set seen = 0;
    for (; *path >= 0; path++) {
        seen |= BIT(*path);
        if (occupied & BIT(*path))
            break;
    }
    return seen;
}

static Set straight(int at, Set occupied) {
    return walk(STRAIGHT[at][0], occupied) | walk(STRAIGHT[at][1], occupied) | walk(STRAIGHT[at][2], occupied) |
           walk(STRAIGHT[at][3], occupied);
}

static Set diagonal(const signed char paths[4][21], Set occupied) {
    return walk(paths[0], occupied) | walk(paths[1], occupied) | walk(paths[2], occupied) | walk(paths[3], occupied);
}

static Set occupied_of(const Position *here) { return here->own[0] | here->own[1]; }

static int king_of(const Position *here, int side) { return lowest(here->sets[side][K]); }

static Set attackers(const Position *here, int side, int to, Set occupied) {
    const Set *men = here->sets[side];
    Set found = (PAWN_FROM[side][to] & men[P]) | (KNIGHT[to] & men[N]) | (KING[to] & men[K]);
    found |= straight(to, occupied) & (men[R] | men[Q]);
    return found | (diagonal(ORIGIN[to], occupied) & (men[B] | men[Q]));
}

/* Whether an attacker could capture a king there, with the others' support. */
static int takes_king(const Position *here, int side, Set attacking, int at) {
    if (!attacking)
        return 0;
    if (!(BIT(at) & (DOUBLES | TREBLES)) || (attacking & here->sets[side][P]))
        return 1;
    if (!(attacking & (attacking - 1)))
        return 0;
    return (BIT(at) & DOUBLES) || size(attacking) > 2 || (attacking & (DOUBLES | TREBLES));
}

static int safe(const Position *here, int at, Set occupied, Set gone) {
    int them = 1 - here->mover;
    return !takes_king(here, them, attackers(here, them, at, occupied) & ~gone, at);
}

/* The double and treble fields of `targets` where the man on `origin` has support to capture. */
static Set supported(const Position *here, int origin, Set targets) {
    Set strong = (DOUBLES | TREBLES) & ~here->sets[here->mover][P], held = 0;
    while (targets) {
        int to = take(&targets);
        Set others = attackers(here, here->mover, to, occupied_of(here)) & ~BIT(origin);
        if ((others & strong) || (others && (BIT(to) & DOUBLES)) || (others & (others - 1)))
            held |= BIT(to);
    }
    return held;
}

static void list(const Position *here, List *out, int origin, int to, int promotion) {
    int passing = here->kind[origin] == P && to == here->ep && here->kind[to] == EMPTY &&
                  (PAWN[here->mover][origin] & BIT(to));
    int gain = (passing ? WORTH[P] : WORTH[(int)here->kind[to]]) + WORTH[promotion];
    out->moves[out->count++] = (Move){origin, to, promotion, gain ? 16 * gain - WORTH[(int)here->kind[origin]] : 0};
}

static int castling_rook(Set occupied, const signed char *path) {
    for (path += 2; *path >= 0; path++)
        if (occupied & BIT(*path))
            return *path;
    return -1;
}

static void list_king(const Position *here, List *out, int king) {
    int side = here->mover;
    Set occupied = occupied_of(here), without = occupied & ~BIT(king);
    Set them = here->own[1 - side], heavy = DOUBLES | TREBLES;
    Set targets = KING[king] & (~occupied | (them & ~heavy));
    targets |= supported(here, king, KING[king] & them & heavy);
    while (targets) {
        int to = take(&targets);
        if (safe(here, to, without | BIT(to), BIT(to)))
            list(here, out, king, to, EMPTY);
    }
    if (out->checked || !(BIT(king) & here->unmoved))
        return;
    for (int way = 0; way < 4; way++) {
        const signed char *path = STRAIGHT[king][way];
        if (path[0] < 0 || path[1] < 0 || (occupied & (BIT(path[0]) | BIT(path[1]))))
            continue;
        int rook = castling_rook(occupied, path);
        if (rook < 0 || !(BIT(rook) & here->sets[side][R] & here->unmoved))
            continue;
        Set landed = (without & ~BIT(rook)) | BIT(path[0]) | BIT(path[1]);
        if (safe(here, path[0], without | BIT(path[0]), 0) && safe(here, path[1], landed, 0))
            list(here, out, king, path[1], EMPTY);
    }
}

static void list_pawn(const Position *here, List *out, int origin, int king) {
    int side = here->mover, ahead = FORWARD[side][origin], leap = ahead < 0 ? -1 : FORWARD[side][ahead];
    Set occupied = occupied_of(here), targets = PAWN[side][origin] & here->own[1 - side] & ~here->sets[1 - side][K];
    if (ahead >= 0 && !(BIT(ahead) & occupied)) {
        targets |= BIT(ahead);
        if ((BIT(origin) & here->unmoved & TWO_STEP[side]) && leap >= 0 && !(BIT(leap) & occupied))
            targets |= BIT(leap);
    }
    while (targets) {
        int to = take(&targets);
        if (!safe(here, king, (occupied & ~BIT(origin)) | BIT(to), BIT(to)))
            continue;
        if (BIT(to) & LAST[side])
            for (int promotion = Q; promotion >= N; promotion--)
                list(here, out, origin, to, promotion);
        else
            list(here, out, origin, to, EMPTY);
    }
    if (here->ep >= 0 && (PAWN[side][origin] & BIT(here->ep))) {
        int beside = FORWARD[1 - side][here->ep];
        Set left = (occupied & ~(BIT(origin) | BIT(beside))) | BIT(here->ep);
        if ((NEIGHBOURS[beside] & BIT(origin)) && safe(here, king, left, BIT(beside)))
            list(here, out, origin, here->ep, EMPTY);
    }
}

static void legal(const Position *here, List *out) {
    int side = here->mover, king = king_of(here, side);
    Set occupied = occupied_of(here), can_take = here->own[1 - side] & ~here->sets[1 - side][K];
    Set heavy = can_take & (DOUBLES | TREBLES);
    out->count = 0;
    out->checked = takes_king(here, 1 - side, attackers(here, 1 - side, king, occupied), king);
    Set men = here->own[side] & ~here->sets[side][P] & ~here->sets[side][K];
    while (men) {
        int origin = take(&men), code = here->kind[origin];
        Set seen = code == N ? KNIGHT[origin] : 0;
        seen |= code == R || code == Q ? straight(origin, occupied) : 0;
        seen |= code == B || code == Q ? diagonal(DIAGONAL[origin], occupied) : 0;
        Set targets = (seen & ~occupied) | (seen & can_take & ~heavy) | supported(here, origin, seen & heavy);
        while (targets) {
            int to = take(&targets);
            if (safe(here, king, (occupied & ~BIT(origin)) | BIT(to), BIT(to)))
                list(here, out, origin, to, EMPTY);
        }
    }
    list_king(here, out, king);
    for (Set pawns = here->sets[side][P]; pawns;)
        list_pawn(here, out, take(&pawns), king);
}

static void remove_man(Position *here, int side, int at) {
    here->sets[side][(int)here->kind[at]] ^= BIT(at);
    here->own[side] ^= BIT(at);
    here->unmoved &= ~BIT(at);
    here->kind[at] = EMPTY;
}

static void put_man(Position *here, int side, int at, int code) {
    here->sets[side][code] |= BIT(at);
    here->own[side] |= BIT(at);
    here->kind[at] = code;
}

static void play(Position *here, Move move) {
    int side = here->mover, code = here->kind[move.origin], passed = here->ep;
    here->ep = -1;
    if (here->kind[move.to] != EMPTY)
        remove_man(here, 1 - side, move.to);
    else if (code == P && move.to == passed && (PAWN[side][move.origin] & BIT(move.to)))
        remove_man(here, 1 - side, FORWARD[1 - side][move.to]);
    else if (code == P && move.to != FORWARD[side][move.origin])
        here->ep = FORWARD[side][move.origin];
    if (code == K && !(KING[move.origin] & BIT(move.to)))
        for (int way = 0; way < 4; way++) {
            const signed char *path = STRAIGHT[move.origin][way];
            if (path[0] >= 0 && path[1] == move.to) {
                remove_man(here, side, castling_rook(occupied_of(here), path));
                put_man(here, side, path[0], R);
                break;
            }
        }
    remove_man(here, side, move.origin);
    put_man(here, side, move.to, move.promotion == EMPTY ? code : move.promotion);
    if (move.promotion != EMPTY)
        here->unmoved |= BIT(move.to);
    here->mover = 1 - side;
}

static int worth(const Position *here, int side) {
    Set occupied = occupied_of(here);
    int total = 0;
    for (int code = P; code < K; code++)
        for (Set men = here->sets[side][code]; men;) {
            int at = take(&men);
            Set seen = code == P ? PAWN[side][at] : code == N ? KNIGHT[at] : 0;
            seen |= code == R || code == Q ? straight(at, occupied) : 0;
            seen |= code == B || code == Q ? diagonal(DIAGONAL[at], occupied) : 0;
            total += WORTH[code] + 4 * size(seen & ~here->own[side]);
        }
    return total;
}

static int by_gain(const void *left, const void *right) {
    return ((const Move *)right)->gain - ((const Move *)left)->gain;
}

static int search(const Position *here, int depth, int alpha, int beta, int ply, Move *best) {
    if (depth == 0)
        return worth(here, here->mover) - worth(here, 1 - here->mover);
    List listed;
    legal(here, &listed);
    if (listed.count == 0)
        return listed.checked ? ply - MATE : 0;
    qsort(listed.moves, listed.count, sizeof(Move), by_gain);
    int most = -2 * MATE;
    for (int number = 0; number < listed.count && alpha < beta; number++) {
        Position reached = *here;
        play(&reached, listed.moves[number]);
        int value = -search(&reached, depth - 1, -beta, -alpha, ply + 1, NULL);
        if (value > most) {
            most = value;
            alpha = value > alpha ? value : alpha;
            if (best)
                *best = listed.moves[number];
        }
    }
    return most;
}

static Position parsed(const signed char *men, const signed char *unmoved, int mover, int ep) {
    Position here;
    memset(&here, 0, sizeof here);
    here.mover = mover;
    here.ep = ep;
    for (int at = 0; at < 80; at++) {
        here.kind[at] = EMPTY;
        if (men[at] >= 0)
            put_man(&here, men[at] / 6, at, men[at] % 6);
        here.unmoved |= unmoved[at] ? BIT(at) : 0;
    }
    return here;
}

/* Return the best move as origin + 80 * goal + 6400 * promotion; men are -1, or 6 * side + kind, by field. */
int best_move(const signed char *men, const signed char *unmoved, int mover, int ep, int depth) {
    Position here = parsed(men, unmoved, mover, ep);
    Move best = {0, 0, 0, 0};
    search(&here, depth, -2 * MATE, 2 * MATE, 0, &best);
    return best.origin + 80 * best.to + 6400 * best.promotion;
}

static long counted(const Position *here, int depth) {
    List listed;
    legal(here, &listed);
    long total = 0;
    for (int number = 0; number < listed.count; number++) {
        Position reached = *here;
        play(&reached, listed.moves[number]);
        total += depth == 1 ? 1 : counted(&reached, depth - 1);
    }
    return total;
}

/* Count the leaves after `depth` turns, to compare this engine's rules with others'. */
long count_turns(const signed char *men, const signed char *unmoved, int mover, int ep, int depth) {
    Position here = parsed(men, unmoved, mover, ep);
    return counted(&here, depth);
}
