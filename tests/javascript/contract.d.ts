// Made by tests/javascript/declare_contract.py from the contract's JSON Schema: change the models, then run it again.

interface Advice {
  v: 2;
  match: string;
  seq: number;
  side: "white" | "black" | null;
  scatter: ScatterModel | null;
  advice: AdviceBody | null;
}
interface AdviceBody {
  safe: AdvisedAim;
  best: AdvisedAim;
  fields: FieldAdviceModel[];
}
interface AdvisedAim {
  x_mm: number;
  y_mm: number;
  bed: string;
  part: "inner" | "middle" | "outer";
  words: string;
  placed: number;
  lost: number;
  value: number | null;
}
interface AimModel {
  move: string;
  field: string;
  colour: "dark" | "light" | "any";
  beds: string[];
}
interface Answer {
  v: 2;
  id: string | null;
  accepted: boolean;
  pending?: boolean;
  code: "stale" | "not_your_turn" | "not_allowed" | "illegal" | "wrong_phase" | "malformed" | "too_large" | "unknown_type" | "no_such_match" | "paused" | "internal_error" | "bad_link" | "disk" | "failed" | "forged" | "game_on" | "guest_here" | "no_door" | "no_meeting" | "no_offer" | "not_met" | "refused" | "unreachable" | "version" | null;
  args?: Record<string, any>;
  words?: string;
  throw?: boolean;
  match?: string;
  seq?: number;
  remote?: Record<string, any>;
  [more: string]: any;
}
interface BySide {
  white: number;
  black: number;
}
interface CalibrateModel {
  camera: number | null;
  corrected: number;
  darts: number;
  words: string;
}
interface Can {
  throw: boolean;
  claim: string[];
  take_back: number;
}
interface Checker {
  field: string;
  supporters: string[];
}
interface ChoiceModel {
  bed: string;
  effect: string;
  field: string | null;
}
interface ClockModel {
  white_ms: number;
  black_ms: number;
  running: "white" | "black" | null;
  since_ms: number;
  stage: number;
  stages: BySide;
  flags: Record<string, boolean>;
}
interface ComputerTrouble {
  seat: "seat1" | "seat2";
  code: "ends" | "hangs" | "engine" | "stand_in" | "illegal" | "out_of_turn" | "foreign_topic";
  words: string;
}
interface DrawModel {
  by: "lot" | "dice" | "darts";
  digest: string | null;
  seed: string | null;
  number: number | null;
  steps: DrawStep[];
  to_throw: "seat1" | "seat2" | null;
}
interface DrawStep {
  bed: string | null;
  die: number | null;
  choice: number | null;
  field: string | null;
  by: "seat1" | "seat2";
}
interface EngineModel {
  name: string;
  strength: number | null;
}
interface EnginesBySeat {
  seat1: EngineModel | null;
  seat2: EngineModel | null;
}
interface FieldAdviceModel {
  bed: string;
  field: string;
  hit: number;
  placed: number;
  worth: number | null;
  value: number | null;
  cost: number;
}
interface GameModel {
  key: string;
  options: Record<string, any>;
  layout: LayoutModel;
  claim_rules: ("checkmate" | "stalemate" | "dead_position" | "fogling" | "missed_in_check" | "resignation" | "agreement" | "repetition" | "fifty_moves" | "seventy_five_moves" | "bare_king" | "both_bare" | "blocked" | "seventy_moves" | "hundred_moves" | "goal" | "flag" | "arbiter")[];
}
interface Health {
  v: 2;
  version: string;
  playable: boolean;
  reason: string | null;
  reason_code?: "restarting" | "not_stored" | null;
  cure: string | null;
  warnings: string[];
  notices?: Notice[];
  sources: Record<string, any>[];
  cameras: Record<string, any>[];
  stuck: Record<string, any>[];
  readings: Record<string, any>[];
  dropped: number;
  broker?: Record<string, any>;
  computers?: ComputerTrouble[];
  remarks?: SensorRemark[];
  parts?: PartFault[];
  calibrate?: CalibrateModel | null;
  [more: string]: any;
}
interface Hit {
  v: 2;
  at_ms: number;
  source: string;
  bed: string | null;
  beds: string[];
  probabilities: number[];
  counted: boolean;
  why: "" | "not_started" | "not_announced" | "move_forgotten" | "still_settling" | "paused" | "stale" | "game_over" | "no_pieces_left" | "silent_game" | "no_move_named" | "touched" | "question_open" | "unknown_contact" | "second_word" | "in_doubt" | "other_board" | "internal_error";
  confidence: number;
  x_mm: number | null;
  y_mm: number | null;
  drive: number | null;
  sense: number | null;
  seen_ms: number | null;
  revises: boolean;
  opinions: OpinionModel[];
  place: "seat1" | "seat2" | null;
  match: string;
  seq: number;
}
interface Last {
  by: "white" | "black";
  text: string;
  move: string;
  fields: string[];
  bed: string | null;
  x_mm: number | null;
  y_mm: number | null;
  foul: "outside_zone" | "occupied" | "bull" | "wrong_colour" | "off_board" | "bounce_out" | "declared" | "missed_in_check" | null;
  dart: boolean;
}
interface LayoutModel {
  form: "schartbord" | "grid";
  files?: string;
  rows?: number;
  chequered?: boolean;
}
interface LettersBySide {
  white: string | null;
  black: string | null;
}
interface LevelsBySeat {
  seat1: number | null;
  seat2: number | null;
}
interface Light {
  v: 2;
  by: string;
  at_ms: number;
  back_ms: number;
}
interface MessageModel {
  code: "setup" | "new_game" | "deciding" | "deciding_again" | "white_found" | "drawing" | "drawn" | "advice_asked" | "practice" | "announced" | "aimed" | "cancelled" | "board_ready" | "moved" | "placed" | "lost" | "passed" | "finished" | "resigned" | "not_started" | "not_announced" | "move_forgotten" | "still_settling" | "stale" | "game_over" | "no_pieces_left" | "silent_game" | "no_move_named" | "touched" | "adoube" | "question_open" | "knock" | "button" | "unknown_contact" | "contact_without_dart" | "second_word" | "no_dart_came" | "revised" | "which_bed" | "ask_lost_dart" | "ask_take_back" | "nothing_to_take_back" | "dismissed" | "taken_back" | "corrected" | "deleted" | "added" | "draw_offered" | "draw_declined" | "request" | "request_lapsed" | "request_declined" | "paused" | "resumed" | "restarted" | "other_board" | "link_lost" | "link_back" | "thrown_meanwhile" | "clock_set" | "position_set" | "reopened" | "hits_lost" | "contact_stuck" | "contact_free" | "source" | "computer" | "journal_failed" | "internal_error";
  args: Record<string, any>;
}
interface NamesBySide {
  white: string;
  black: string;
}
interface NextPair {
  v: 2;
  pair: Pair | null;
}
interface Notice {
  code: string;
  words: string;
}
interface OpinionModel {
  source: string;
  bed: string | null;
  probability: number;
}
interface Pair {
  round: number;
  table: number;
  names: NamesBySide;
}
interface PartFault {
  name: string;
  state: "faulty" | "restarted" | "ended" | "process_restarted";
  words: string;
  count: number;
  since_ms: number;
  recent: boolean;
}
interface PlayersBySeat {
  seat1: string | null;
  seat2: string | null;
}
interface PracticeModel {
  exercise: "warm_up" | "round_the_zone" | "lit_field" | "fouls_in_a_row" | "doubles";
  player: string | null;
  targets: string[];
  thrown: number;
  hit: number;
  run: number;
  best_run: number;
  of: number | null;
  over: boolean;
  last: string | null;
  doubt: string[];
}
interface QuestionModel {
  code: "which_bed" | "lost_dart" | "take_back";
  side: "white" | "black" | null;
  beds: string[];
  choices: ChoiceModel[];
  probabilities: number[];
  confidence: number | null;
  x_mm: number | null;
  y_mm: number | null;
  source: string | null;
  opinions: OpinionModel[];
}
interface RequestModel {
  id: string;
  by: "seat1" | "seat2";
  type: string;
  args: Record<string, any>;
  until_ms: number;
}
interface Said {
  v: 2;
  match: string;
  seq: number;
  code: "setup" | "new_game" | "deciding" | "deciding_again" | "white_found" | "drawing" | "drawn" | "advice_asked" | "practice" | "announced" | "aimed" | "cancelled" | "board_ready" | "moved" | "placed" | "lost" | "passed" | "finished" | "resigned" | "not_started" | "not_announced" | "move_forgotten" | "still_settling" | "stale" | "game_over" | "no_pieces_left" | "silent_game" | "no_move_named" | "touched" | "adoube" | "question_open" | "knock" | "button" | "unknown_contact" | "contact_without_dart" | "second_word" | "no_dart_came" | "revised" | "which_bed" | "ask_lost_dart" | "ask_take_back" | "nothing_to_take_back" | "dismissed" | "taken_back" | "corrected" | "deleted" | "added" | "draw_offered" | "draw_declined" | "request" | "request_lapsed" | "request_declined" | "paused" | "resumed" | "restarted" | "other_board" | "link_lost" | "link_back" | "thrown_meanwhile" | "clock_set" | "position_set" | "reopened" | "hits_lost" | "contact_stuck" | "contact_free" | "source" | "computer" | "journal_failed" | "internal_error";
  args: Record<string, any>;
  important: boolean;
  stop: boolean;
  words: Record<string, string>;
}
interface ScatterModel {
  mm: number;
  low: number;
  high: number;
  darts: number;
}
interface SensorRemark {
  code: string;
  args: Record<string, any>;
  words: string;
}
interface Sheet {
  v: 2;
  match: string;
  headers: Record<string, string>;
  started_ms: number;
  start: string;
  entries: SheetEntry[];
  result: "1-0" | "0-1" | "½-½" | "0-0" | "½-0" | "0-½" | null;
  reason: "checkmate" | "stalemate" | "dead_position" | "fogling" | "missed_in_check" | "resignation" | "agreement" | "repetition" | "fifty_moves" | "seventy_five_moves" | "bare_king" | "both_bare" | "blocked" | "seventy_moves" | "hundred_moves" | "goal" | "flag" | "arbiter" | null;
}
interface SheetEntry {
  n: number;
  side: "white" | "black";
  text: string;
  fields: string[];
  bed: string | null;
  at_ms: number;
  position: string;
}
interface Shown {
  fouls?: BySide;
  next?: LettersBySide;
  to_throw?: BySide;
  zone?: string[];
  unmoved?: string[];
  protected?: string[];
  must_throw?: boolean;
  checkers?: Checker[];
  aim?: AimModel | null;
  draw?: DrawModel;
  [more: string]: any;
}
interface SidesBySeat {
  seat1: "white" | "black";
  seat2: "white" | "black";
}
interface Snapshot {
  v: 2;
  match: string;
  seq: number;
  board: string;
  white_sits_at: 3 | 20;
  kind: "silent" | "loud";
  game: GameModel;
  seats: SidesBySeat;
  computers: LevelsBySeat;
  engines?: EnginesBySeat;
  stand_ins?: StandInsBySeat;
  away: "seat1" | "seat2" | null;
  players: PlayersBySeat;
  names: NamesBySide;
  started_ms: number;
  position: string;
  check: string[];
  moves: string[];
  drops: string[];
  shown: Shown;
  phase: "setup" | "deciding" | "drawing" | "turn" | "throwing" | "settling" | "paused" | "finished";
  paused_from: "setup" | "deciding" | "drawing" | "turn" | "throwing" | "settling" | "paused" | "finished" | null;
  side: "white" | "black";
  since_phase_ms: number;
  settle_until_ms: number | null;
  lamp: number;
  clock: ClockModel | null;
  last: Last | null;
  sheet: string[];
  sheet_first: number;
  turns: number;
  practice: PracticeModel | null;
  tosses: Toss[];
  to_toss: "seat1" | "seat2" | null;
  question: QuestionModel | null;
  draw_offer: "white" | "black" | null;
  requests: RequestModel[];
  result: "1-0" | "0-1" | "½-½" | "0-0" | "½-0" | "0-½" | null;
  reason: "checkmate" | "stalemate" | "dead_position" | "fogling" | "missed_in_check" | "resignation" | "agreement" | "repetition" | "fifty_moves" | "seventy_five_moves" | "bare_king" | "both_bare" | "blocked" | "seventy_moves" | "hundred_moves" | "goal" | "flag" | "arbiter" | null;
  message: MessageModel;
  touched: string[];
  can: Can;
}
interface StandInModel {
  player: string;
  mm: number;
}
interface StandInsBySeat {
  seat1: StandInModel | null;
  seat2: StandInModel | null;
}
interface Toss {
  seat: "seat1" | "seat2";
  bed: string;
}
