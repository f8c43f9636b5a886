// The words of the page in English; nl.js has the same keys.
export default {
  "app.title": "Scharten", "close": "Close", "none": "none", "tools": "Tools", "waiting": "Waiting for the board …",
  "new_game": "New game", "arbiter": "Arbiter", "settings": "Settings", "full_screen": "Full screen", "rematch": "Rematch, colours swapped",
  "evening": "Tonight", "pause": "Pause", "resume": "Go on", "resign": "Resign", "sheet": "Score sheet", "take_back": "Take back a turn",
  "kind.loud": "loud", "kind.silent": "silent", "side.white": "White", "side.black": "Black", "seat.seat1": "Seat 1", "seat.seat2": "Seat 2",
  "board.label": "Schartbord", "field.empty": "empty", "dartboard.label": "Dartboard",
  "piece.K": "king", "piece.Q": "queen", "piece.R": "rook", "piece.B": "bishop", "piece.N": "knight", "piece.P": "pawn",
  "piece.white.K": "white king", "piece.white.Q": "white queen", "piece.white.R": "white rook", "piece.white.B": "white bishop", "piece.white.N": "white knight", "piece.white.P": "white pawn",
  "piece.black.K": "black king", "piece.black.Q": "black queen", "piece.black.R": "black rook", "piece.black.B": "black bishop", "piece.black.N": "black knight", "piece.black.P": "black pawn",
  "mark.destination": "can be reached", "mark.capture": "can be captured", "mark.chosen": "chosen", "mark.zone": "in the zone", "mark.checker": "gives check", "mark.unsupported": "lacks support", "mark.shielded": "protected, has not moved",
  "bed.D": "D{number}", "bed.F": "{number} (outer)", "bed.T": "T{number}", "bed.L": "{number} (inner)", "bed.S": "{number}", "bed.25": "25", "bed.BULL": "Bull", "bed.MISS": "Miss", "bed.none": "No bed",

  "link.lost": "No connection: trying again", "link.connecting": "Connecting …", "link.no_broker": "The broker is away: nothing can be played until it is back", "link.offline": "The referee is not running",
  "refused.wrong_secret": "This link is not valid (any more): ask for a new one", "refused.unknown_role": "This display has no such role", "refused.needs_tls": "This role needs a secure connection (https)",
  "refused.too_many_guesses": "Too many wrong links: wait a minute", "refused.malformed": "The page and the server do not understand each other: reload", "refused.no_first_message": "The page was too slow to say who it is",
  "refused.too_many_messages": "Too many messages at once: trying again", "refused.null": "No connection",
  "health.found": "The dartboard is connected", "health.lost": "The dartboard is not connected", "health.silent": "The dartboard is silent", "health.wrong_protocol": "The dartboard speaks another protocol version: update its firmware", "health.stopped": "Play has stopped: {reason}", "health.stuck": "A contact of the board is stuck: {beds}",

  "phase.setup": "New game?", "phase.deciding": "Who has White?", "phase.paused": "Paused", "phase.throwing": "{side} throws", "phase.throwing.hint": "to place: {piece}", "phase.settling": "Take the dart out", "phase.turn": "{side} to move", "phase.check": "{side} is in check", "phase.must_throw": "only a dart can help",
  "player.label": "{side} {name} {state}", "player.at_move": "to move", "fouls": "{count} of {limit} fouls", "next": "Next: {piece}.", "to_throw": "{count} to throw", "clock.of": "Clock of {side}", "wishes.of": "{side}: resign, draw, claims",
  "announce": "{side} throws a dart", "missed": "Dart lost", "cancel": "No throw", "ready": "Dart is out", "not_to_move": "It is {side}'s turn.",
  "first.words": "{side} begins: move a piece or throw a dart.", "last.words": "{side} played {text}.", "last.was": "last: {text}", "lost.words": "{side} lost a dart: {foul}.", "lost.title": "{bed}: {foul}",
  "decide.words": "Each throws one dart, seat 1 first: nearest the centre has White.", "decide.lot": "Draw lots instead", "decide.next": "{name} throws",
  "promotion.title": "Promote to",
  "spoken.moved": "{side} plays {text}.", "spoken.placed": "{side} hits {bed} and places {text}.", "spoken.lost": "{side} loses a dart: {bed}, {foul}. {fouls} of {limit} fouls.", "check.now": "{side} is in check.",

  "foul.outside_zone": "outside the zone", "foul.occupied": "the field is occupied", "foul.bull": "the bull is no field", "foul.off_board": "off the board", "foul.bounce_out": "bounced out", "foul.declared": "declared lost", "foul.missed_in_check": "the check was not met",

  "why.legal": "{move} is possible.", "why.no_support": "{field} is worth {value}: the capture needs support {needed}, and there is {support}.", "why.protected": "The piece on {field} has not moved since it was thrown: it cannot be captured.",
  "why.blocked": "Something stands in the way to {field}.", "why.leaves_check": "That would leave the king in check.", "why.not_a_move": "The piece cannot go to {field}.", "why.stale": "The board has changed meanwhile.", "why.touched": "A touched piece must be moved.",

  "refusal.stale": "The board changed just then: look and try again.", "refusal.not_your_turn": "It is {side}'s turn.", "refusal.not_allowed": "That is not allowed.", "refusal.illegal": "That move is not legal.", "refusal.wrong_phase": "That cannot be done at this moment.",
  "refusal.malformed": "The host did not understand that.", "refusal.too_large": "That was too much at once.", "refusal.unknown_type": "This host does not know that command.", "refusal.no_such_match": "That game is over: another one has begun.", "refusal.paused": "The game is paused.",
  "refusal.connection_lost": "No connection: nothing was sent.", "refusal.no_answer": "No answer came: look at the board before trying again.", "refusal.no_broker": "The broker is away: nothing was sent.",
  "because.role": "This page may not do that.", "because.side": "That is for the other side.", "because.no_request": "That request has lapsed.", "because.offered": "A draw has been offered already.", "because.no_offer": "No draw is offered.", "because.own_offer": "The other player answers.",
  "because.wrong_claim": "The claim is not right: play goes on.", "because.touch_move_off": "This game is played without touch-move.", "because.no_clock": "This game has no clock.", "because.no_dart": "No dart has been thrown yet.", "because.too_many": "There are not so many turns to take back.",
  "because.turns_after": "Turns came after that dart: take back {turns} first.", "because.over": "The game is over on the board: take a turn back first.", "because.no_question": "The question has been answered.", "because.question": "Take back, or leave it.", "because.question_open": "Say first which bed the dart is in.",
  "because.silent_game": "Nothing is thrown in a silent game.", "because.no_pieces_left": "All pieces have been thrown.", "because.touched": "A touched piece must be moved.", "because.seats": "The seats play different colours.", "because.white": "Say which seat has White.",

  "reason.checkmate": "checkmate", "reason.stalemate": "stalemate", "reason.dead_position": "neither side can mate any more", "reason.fogling": "{side} lost {limit} darts in a row", "reason.missed_in_check": "{side} was in check and the dart did not help", "reason.resignation": "{side} resigned", "reason.agreement": "a draw was agreed",
  "reason.repetition": "the position was repeated", "reason.fifty_moves": "fifty moves without progress", "reason.seventy_five_moves": "seventy-five moves without progress", "reason.flag": "time is up", "reason.arbiter": "the arbiter decided",

  "message.journal_failed": "The journal cannot be written: play has stopped.", "message.setup": "Start a new game.", "message.deciding": "Each throws one dart for White.", "message.deciding_again": "Equally near: both throw again.", "message.white_found": "The colours are known: White begins.", "message.announced": "{side} throws: the next dart counts.", "message.cancelled": "No throw after all.",
  "message.moved": "{side} played {text}.", "message.placed": "{side} placed a {piece} on {field}.", "message.lost": "{side} lost a dart: {foul}.", "message.which_bed": "Which bed is the dart in?", "message.lost_dart": "Was a dart lost?", "message.not_started": "A dart in {bed}: no game is on.", "message.still_settling": "Still settling: that did not count.",
  "message.paused": "Paused.", "message.game_over": "The game is over: that dart does not count.", "message.stale": "A dart in {bed} from before this moment: it counts only if you say so.", "message.question_open": "Answer the open question first.", "message.silent_game": "Nothing is thrown in a silent game.", "message.no_pieces_left": "{side} has nothing left to throw.",
  "message.touched": "A touched piece must be moved.", "message.not_announced": "A dart in {bed}, but no throw was announced.", "message.move_forgotten": "A dart in {bed}: was a move forgotten?", "message.unknown_contact": "The board reported a contact that its profile does not know.", "message.knock": "A knock without a contact.",
  "message.finished": "The game is over: {result}.", "message.new_game": "A new game begins.", "message.board_ready": "The board is empty.", "message.hits_lost": "The board lost {count} events: check the last darts.", "message.source": "{state}.", "message.restarted": "The host was away: the game is paused.",
  "message.button": "A button was pressed.", "message.request": "A request waits for the other seat.", "message.request_lapsed": "The request lapsed.", "message.resigned": "{side} resigns.", "message.draw_offered": "{side} offers a draw.", "message.draw_declined": "{side} declines the draw.", "message.adoube": "J'adoube.",
  "message.resumed": "Play goes on.", "message.clock_set": "The clocks were set.", "message.reopened": "The game is open again.", "message.position_set": "A position was set up.", "message.taken_back": "Taken back: {side} to move.", "message.corrected": "The dart was corrected to {bed}.", "message.deleted": "The dart was deleted.",
  "message.added": "A dart was added: {bed}.", "message.dismissed": "It does not count.", "message.nothing_to_take_back": "There is nothing to take back.", "message.ask_take_back": "Take back the last turn?", "message.ask_lost_dart": "Was a dart lost?", "message.contact_stuck": "A contact of the board is stuck: {bed}.", "message.contact_free": "The contact is free again: {bed}.",

  "why_not.not_started": "No game is on.", "why_not.still_settling": "The last dart was still settling.", "why_not.paused": "The game is paused.", "why_not.game_over": "The game is over.", "why_not.stale": "It came from before this moment.", "why_not.question_open": "A question was open.", "why_not.silent_game": "Nothing is thrown in a silent game.",
  "why_not.no_pieces_left": "Nothing is left to throw.", "why_not.not_announced": "No throw was announced.", "why_not.move_forgotten": "It is the other side's turn.", "why_not.unknown_contact": "The profile does not know the contact.", "why_not.in_doubt": "The bed is in doubt.", "why_not.touched": "A touched piece must be moved.",
  "doubt.dart": "{bed} did not count.", "doubt.forgotten": "Was a move or an announcement forgotten?", "doubt.counts": "It counts", "doubt.ignore": "Leave it",

  "question.which_bed": "Which bed is the dart in?", "question.lost_dart": "Was it a lost dart for {side}?", "question.take_back": "Take back the last turn?", "question.none": "Neither: it does not count", "question.field": "field {field}", "question.lost": "a lost dart", "question.toss": "for White", "question.yes": "Yes", "question.no": "No",
  "correct.hint": "tap to correct", "correct.title": "{bed} — what was it really?", "correct.pick": "Dartboard: choose a bed", "correct.other": "Another bed: tap it below", "correct.as_correction": "in place of the last dart", "correct.as_addition": "as a dart nobody saw", "delete_dart": "There was no dart",
  "virtual.miss": "Throw a miss", "virtual.bounce": "Throw a bounce-out", "scatter": "Scatter", "scatter.mm": "{mm} mm",

  "request.waits": "The other seat has to agree.", "request.by": "{who} asks: {what}", "request.agree": "Agree", "request.new_game": "a new game", "request.decide_white": "decide who has White", "request.choose_bed": "the dart is in {bed}", "request.correct": "correct the last dart to {bed}", "request.delete_dart": "delete the last dart", "request.add_dart": "add a dart in {bed}", "request.take_back": "take back {turns}",
  "draw.offer": "Offer a draw", "draw.offer.help": "The other player accepts, declines, or simply moves on.", "draw.offered": "{side} offers a draw.", "draw.accept": "Accept", "draw.decline": "Decline",
  "claim.repetition": "Claim: same position three times", "claim.repetition.help": "For the player to move. A wrong claim changes nothing.", "claim.fifty": "Claim: fifty moves", "claim.fifty.help": "Fifty moves by each without a capture, a pawn move or a placed piece.", "claim.flag": "Claim: the other's time is up", "claim.flag.help": "A fallen flag counts only when it is claimed.",
  "resign.sure": "Yes, {side} resigns", "resign.help": "Gives the game to the other player.",

  "sheet.first": "To the start", "sheet.back": "One back", "sheet.on": "One on", "sheet.now": "To the present", "sheet.download": "Download", "sheet.print": "Print", "review.title": "Looking back", "review.hint": "⏭ to the present",
  "banner.wins": "{name} wins", "banner.draw": "A draw", "banner.look": "Look at the board", "banner.correct": "Correct the last dart",

  "set.theme": "Colours", "set.theme.auto": "as the device", "set.theme.light": "light", "set.theme.dark": "dark", "set.theme.contrast": "high contrast", "set.language": "Language", "set.language.auto": "as the browser", "set.language.nl": "Nederlands", "set.language.en": "English",
  "set.letters": "Letters on the score sheet", "set.letters.auto": "as the language", "set.letters.nl": "Dutch (K D T L P)", "set.letters.en": "English (K Q R B N)", "set.letters.figurine": "figurines", "set.sounds": "Sounds", "set.names": "Field names on the board",

  "new.kind": "Kind of game", "new.kind.loud": "loud: pieces are thrown", "new.kind.silent": "silent: all pieces are on the board", "new.kind.help": "In a loud game only the kings are on the board; all other pieces come by dart.",
  "new.white_name": "White's name", "new.black_name": "Black's name", "new.white_by": "Who has White", "new.white_by.agreed": "as filled in here", "new.white_by.lot": "by lot", "new.white_by.dart": "a dart each", "new.white_by.help": "By dart: one dart each, nearest the centre has White.",
  "new.clock": "Clock", "new.clock.none": "no clock", "new.clock.blitz": "10 minutes + 5 seconds a turn", "new.clock.club": "30 minutes + 10 seconds a turn", "new.clock.long": "40 in 100, 20 in 50, the rest in 15 minutes", "new.clock.own": "own time", "new.clock.help": "A throw counts as a move. A flag counts only when the other player claims it.",
  "new.minutes": "Minutes each", "new.minutes.help": "For the whole game.", "new.increment": "Seconds a turn", "new.increment.help": "Added after every turn.",
  "new.darts": "Darts", "new.white_fouls": "White's fouls", "new.white_fouls.help": "So many lost darts in a row lose the game for White.", "new.black_fouls": "Black's fouls", "new.black_fouls.help": "A different limit makes an even match of unequal throwers.",
  "new.zones": "Zones", "new.zones.half": "own half, without the o-line", "new.zones.half_with_o": "own half, with the o-line", "new.zones.home": "the two home rows", "new.zones.help": "Where a dart may put a piece.",
  "new.arming": "Which darts count", "new.arming.announce": "announced ones", "new.arming.auto": "every dart", "new.arming.help": "Announced: press the button before throwing, so that a stray contact never counts.",
  "new.settle_s": "Seconds to settle", "new.settle_s.help": "How long after a dart further contacts are ignored, where every dart counts.",
  "new.bounce_counts": "Bounced darts", "new.bounce_counts.yes": "count where they hit", "new.bounce_counts.no": "are lost", "new.bounce_counts.help": "Whether a dart that fell out after touching a bed counts.",
  "new.rules": "Rules", "new.support": "Support", "new.support.field_value": "by field value", "new.support.count": "one each", "new.support.help": "What a supporter adds to a capture: the value of its own field (a pawn 1), or always 1.",
  "new.protection": "Protection", "new.protection.default": "as usual for the kind", "new.protection.until_moved": "until a piece has moved", "new.protection.off": "none", "new.protection.help": "Whether a thrown piece is safe from capture until its first move (usual in loud games).",
  "new.double_step": "Pawn's double step", "new.double_step.first_move": "any pawn's first move", "new.double_step.home_row": "from its home row only", "new.double_step.help": "Which unmoved pawns may go two fields.",
  "new.touch_move": "Touch-move", "new.touch_move.off": "off", "new.touch_move.on": "on (serious games)", "new.touch_move.help": "On: a touched piece must move; the arbiter or a sensor reports touches.",
  "new.abandon": "A game is under way: a new one abandons it.", "new.start": "Start the game",

  "arbiter.clocks": "Clocks", "arbiter.set_clock": "Set both clocks", "arbiter.result": "Result", "arbiter.set_result": "Declare this result", "arbiter.reopen": "Open the game again", "arbiter.position": "Position", "arbiter.set_up": "Set up a position", "arbiter.palette": "Pieces to put on the board", "arbiter.erase": "erase", "arbiter.unmoved": "Pieces have not moved yet", "arbiter.string": "Position string", "arbiter.use": "Play from this position",
};
