// Types of the page's own messages and parts. What the contract's models describe stands in contract.d.ts.
type Side = "white" | "black";
type Seat = "seat1" | "seat2";
type Bits<T> = Partial<Record<string, T>>;

// --- drawing ---

interface Point { x: number; y: number }
interface DartPoint { x_mm: number; y_mm: number }
interface Piece { letter: string; unmoved: boolean }
type Pieces = Map<string, Piece>;
interface Position { pieces: Pieces; gone: Set<string>; side: Side }
interface Support { field: string; from: string[]; text?: string; enough?: boolean; kind?: string }
interface Shape { kind: string; points: [number, number][]; bed?: string; sign?: string; share?: number }
type Marks = Record<string, Iterable<string>>;
/** One form of board; `dartboard` tells whether darts can be thrown at it. */
interface BoardForm {
  readonly dartboard: boolean;
  readonly size: number;
  readonly names: string[];
  readonly start: string;
  centre(name: string): Point;
  pieceSize(name: string): number;
  outline(name: string, inset?: number): string;
  classes(name: string): string;
  neighbour(name: string, key: string): string | null;
  way(from: string, to: string, isFree: (name: string) => boolean): Point[];
  border(fields: Set<string>): string;
  namePlace(name: string): Point;
  drawBelow(group: SVGElement, rim: boolean): void;
  drawAbove(group: SVGElement, rim: boolean): void;
  read(text: string | null | undefined): Position;
  write(pieces: Pieces, gone: Set<string>): string;
  millimetres(point: Point): Point | null;
  bedAt(point: Point): string | null;
  point(dart: DartPoint): Point;
}

// --- elements ---

type Leaf = Node | string | number | boolean | null | undefined;
type Child = Leaf | readonly Leaf[];
type AttributeValue = string | number | boolean | null | undefined;
interface Handlers<Tag extends keyof HTMLElementTagNameMap> {
  onclick?: (event: MouseEvent & { target: HTMLElementTagNameMap[Tag] }) => unknown;
  onchange?: (event: Event & { target: HTMLElementTagNameMap[Tag] }) => unknown;
  onsubmit?: (event: Event) => unknown;
}
type Attributes<Tag extends keyof HTMLElementTagNameMap = "div"> = Handlers<Tag> & {
  [name: string]: AttributeValue | ((event: never) => unknown);
};

// --- the firmware ---

/** A serial line to a board, as its boot loader's host needs it. */
interface BoardLine {
  open(baud: number): Promise<void>;
  reset(): Promise<void>;
  write(bytes: Uint8Array): Promise<void>;
  read(count: number, patienceMs: number): Promise<Uint8Array>;
  clear(): Promise<void>;
  close(): Promise<void>;
}
interface BootLoader {
  answers(): Promise<boolean>;
  signature(): Promise<Uint8Array>;
  write(address: number, bytes: Uint8Array): Promise<void>;
  read(address: number, count: number): Promise<Uint8Array>;
  leave(): Promise<unknown>;
}
interface BoardChip {
  image: string;
  signature: number[];
  page: number;
  bauds: number[];
  loader(line: BoardLine): BootLoader;
}
/** What is used of Web Serial, which TypeScript's own types lack. */
interface SerialPortLike {
  readable: ReadableStream<Uint8Array>;
  writable: WritableStream<Uint8Array>;
  open(options: { baudRate: number }): Promise<void>;
  setSignals(signals: { dataTerminalReady: boolean; requestToSend: boolean }): Promise<void>;
  close(): Promise<void>;
}
interface SerialLike { requestPort(): Promise<SerialPortLike> }

// --- messages ---

/** An answer of the server, or the connection's own where none came. */
interface Reply {
  id?: string | null;
  accepted: boolean;
  code?: string | null;
  pending?: boolean;
  args?: Record<string, any>;
  words?: string;
  [more: string]: any; // each command adds fields of its own
}
interface ThrowSeen { match: string; at_ms: number }
interface Welcome {
  role: string;
  board: string;
  now_ms: number;
  version: string;
  club?: string;
  simulated?: boolean;
  remote?: boolean;
  archive?: boolean;
  players?: boolean;
  throws?: boolean;
  throw?: ThrowSeen | null;
  asked?: ThrowSeen | null;
  white_sits_at?: number;
  setup?: { first: boolean } | null;
}
interface PhoneLink { role: string; url: string; qr?: string }
interface JoinLinks { join: { url: string; qr: string } }
interface Links extends Partial<JoinLinks> { local: boolean; links: PhoneLink[] }
interface FinishedGame {
  ended_ms: number;
  result: NonNullable<Snapshot["result"]>;
  reason: Snapshot["reason"];
  side: Side;
  kind: string;
  names?: NamesBySide;
  game: GameModel;
}
interface ProjectorMap { width: number; height: number; homography: number[]; k1: number }
interface Pattern { axis: "white" | "black" | "x" | "y"; bit?: number; inverse?: boolean }
interface ProjectorOrder { n: number; cell: number; show?: Pattern | null; keep?: Partial<ProjectorMap> | null }
interface RemoteLine {
  side: "host" | "guest";
  state: "none" | "invited" | "here" | "playing" | "asked" | "away" | "adjourned" | "waits";
  seat?: Seat;
  by?: string;
  name?: string;
  letters?: string | null;
  link?: string | null;
  qr?: string;
  address?: string;
  round_trip_ms?: number | null;
  differs?: string;
  forged?: number;
  open?: boolean;
  back?: boolean;
  challenger?: string | null;
  meeting?: string;
  meets?: boolean;
}
interface RemoteOffer {
  seat: Seat;
  by: string;
  host: string;
  game: string;
  kind: string;
  clock: Record<string, unknown> | null;
  rated: boolean;
  asks?: boolean;
  cameras?: boolean;
}
interface Topics {
  remote: RemoteLine;
  state: Snapshot;
  sheet: Sheet;
  health: Health;
  availability: "online" | "offline";
  advice: Advice;
  hits: Hit;
  said: Said;
  answer: Reply;
  refused: { code: string };
  alive: Record<string, never>;
  welcome: Welcome;
  link: { broker: boolean };
  links: Links;
  results: { games: FinishedGame[] };
  next: NextPair;
  seated: Record<Seat, string | null>;
  look: { at_ms: number | null };
  projector: ProjectorOrder;
  evening: Evening;
  match: { text: string };
  mapping: MappingState;
  problem: DayModel;
  newer: NewerVersion;
}
type TopicName = keyof Topics;
type Message = { [Name in TopicName]: { topic: Name; payload: Topics[Name] } }[TopicName];

/** A version of the program that is newer than the running one, and where it was found. */
interface NewerVersion { version: string; source: "apt" | "file"; running: string }

// --- problems ---

/** A position of a problem, and the turns that may be played. */
interface ProblemShown {
  layout: LayoutModel;
  position: string;
  side: Side;
  moves: string[];
  drops: string[];
  needs_dart: string[];
  next: string | null;
  check: string[];
  kind?: string;
  white_sits_at?: number;
  turned?: boolean;
  last?: string;
}
interface ProblemModel extends ProblemShown {
  id: string;
  game: string;
  kind: string;
  task: "mate" | "dart" | "field" | "save";
  turns: number;
  difficulty: number;
  rating: number;
  state: "new" | "tried" | "solved";
}
interface DayModel { day: number; problem: ProblemModel; solved: string[] }
interface TriedModel extends ProblemShown {
  right: boolean;
  solved: boolean;
  missed: boolean;
  turn: string;
  bed: string;
  key?: string;
  answer?: string;
  played?: string[];
  odds: (DartPoint & { beds: string[]; hit: number; scatter_mm: number; guest: boolean }) | null;
}

// --- endgames ---

/** What is known of an ending: the men beside the king, and the positions with a forced mate. */
interface EndingModel { men: string; positions: number; won: number; longest: number; ready: boolean }
/** A position of the trainer; `left` counts the turns until mate, null for a draw. */
interface EndgameShown extends ProblemShown { left: number | null }
interface JudgedModel extends EndgameShown {
  turn: string;
  left_before: number;
  left_after: number | null;
  answer: string;
  mated: boolean;
}

// --- a club's evening ---

interface Member {
  key: string;
  name: string;
  rating: number;
  foul_limit: number | null;
  said: "here" | "absent" | "excused" | "club" | null;
}
interface Pairing {
  table: number;
  white: string;
  black: string;
  names: NamesBySide;
  board: string | null;
  match: string | null;
  adjourned: boolean;
  left: string | null;
  result: string | null;
}
interface ClubBoard {
  name: string;
  online: boolean;
  phase: string | null;
  match: string | null;
  turns: number | null;
  names: NamesBySide | null;
  released: boolean;
  held: boolean;
}
interface MatchTable {
  number: number;
  white: "home" | "visitors";
  home: string;
  visitors: string;
  board: string | null;
  key: string | null;
  state: string;
  trouble: string;
  result: string | null;
  by_hand: boolean;
}
/** A match against another club. */
interface ClubMatch {
  role: "home" | "visitors";
  home: string;
  visitors: string;
  score: { home: number; visitors: number };
  over: boolean;
  tables: MatchTable[];
}
interface Unpaired { key: string; name: string; why: string }
interface Round {
  number: number;
  date: string;
  tonight: boolean;
  over: boolean;
  started: boolean;
  pairings: Pairing[];
  unpaired: Unpaired[];
}
interface TableRow {
  key: string;
  name: string;
  place: number;
  points: number;
  wins: number;
  draws: number;
  losses: number;
  value?: number;
  counted?: number;
  game_points?: number;
  hand?: Interval & { mm: number } | null;
  head?: Interval & { points: number } | null;
}
interface Interval { low: number; high: number }
interface Meeting { colour: Side; name: string }
interface PairingChange { name: string; before: Meeting | null; after: Meeting | null }
interface Evening {
  open: boolean;
  broker: boolean;
  members: Member[];
  boards: ClubBoard[];
  match: ClubMatch | null;
  next_start_ms: number | null;
  season: { name: string; options: { system: string; start: string } } | null;
  rounds: Round[];
  table: TableRow[];
  evening_table: TableRow[];
  ratings: { name: string; rating: number; deviation: number }[];
  changes: PairingChange[];
  start_list: { number: number; key: string; name: string; rating: number }[];
  asked: { number: number; key: string; name: string }[];
  fixed: { number: number; white: string; black: string; names: [string, string] }[];
  forbidden: { first: string; second: string; names: [string, string] }[];
  file: Remark | null;
}

interface Remark { code: string; args: Record<string, any>; words: string }

// --- the archive and the players ---

interface ArchivedGame {
  match: string;
  started_ms: number;
  names?: NamesBySide;
  result: string | null;
  turns: number;
  game?: string;
  kind: string;
  club?: string;
  board?: string;
}
interface ArchivedMatch extends Omit<ArchivedGame, "game"> {
  game: GameModel;
  sheet: Sheet;
  white_sits_at: number;
  verified?: boolean;
}
interface OpeningFigures { games: number; wins: number; draws: number; losses: number }
interface OpeningTurn extends OpeningFigures { turn: string; text: string; position: string }
/** What finished games know of a position; without `position` the question had no answer, and `problem` says why. */
interface OpeningsModel {
  game: string;
  kind: string;
  variants: { game: string; kind: string; games: number }[];
  waiting: number;
  problem?: { code: string; args: Record<string, any> };
  position?: string;
  side: Side;
  games: number;
  turns: OpeningTurn[];
  placed: (OpeningFigures & { side: Side; piece: number; field: string })[];
  players: (OpeningFigures & { name: string })[];
  layout: LayoutModel;
  white_sits_at: number;
  check: string[];
}
interface Profile {
  name: string;
  initials: string;
  colour: string | null;
  language: string | null;
  stand_in?: boolean;
  picture: string;
}
interface Scatter { darts: number; mm: number; low: number; high: number }
interface Person extends Profile { id: string; games: number; scatter: Scatter; last_ms: number | null }
interface Share { thrown: number; placed: number; rate: number }
/** Points that the choices of reviewed games gave away in a hundred turns. */
interface HeadFigures { games: number; turns: number; points: number; low: number; high: number }
interface DartStatistics {
  darts: { thrown: number; placed: number; lost: number };
  rings: Bits<Share>;
  purposes: Record<string, Share>;
  lost: Record<string, number>;
  beds: Record<string, number>;
  points: [number, number][];
  hottest: number;
  months: (Scatter & { month: string })[];
  head?: (HeadFigures & { months: (HeadFigures & { month: string })[] }) | null;
}
interface Opponent { id: string | null; name: string; gone?: boolean; won: number; drawn: number; lost: number }
interface Bests {
  placed_in_a_row: number;
  darts_without_loss: number;
  won_in_a_row: number;
  quickest_win: { turns: number } | null;
  practice?: Record<string, number>;
}
interface PlayedGame {
  match: string;
  started_ms: number;
  game: string;
  kind: string;
  side: Side;
  result: string | null;
  against: Opponent;
}
interface PersonPage extends DartStatistics, Omit<Person, "games" | "darts" | "scatter"> {
  scatter: Scatter;
  games: PlayedGame[];
  bests: Bests;
  against: Opponent[];
}
interface ThrowPictures extends DartPoint {
  news: string | null;
  segment: string | null;
  match: string | null;
  cameras: number;
  numbers?: number[];
  beds: [string, number][];
  truth: string | null;
}

// --- the set-up ---

interface MappingState {
  said?: string;
  ended: boolean;
  done: string[];
  profile: string;
  words?: string;
  bed: string | null;
  answer: string;
  taken: boolean;
  over: number;
  of: number;
}
interface SerialBoard { port: string; name: string; title: string }
interface BoardProfile { name: string; drives: number; senses: number; words?: string }
interface CameraFound { device: string; recorded?: boolean }
/** What the set-up found on this machine; `now` holds the configuration by dotted key. */
interface MachineSeen {
  now: Record<string, any>;
  first: boolean;
  failed?: Record<string, string> | null;
  address?: string;
  in_use: string | null;
  may_type: boolean;
  boards: SerialBoard[];
  profiles: BoardProfile[];
  cameras: CameraFound[];
  kinds: (string | string[])[];
  file: { name: string; digest: string; refusal?: string };
}
interface SetupApp {
  ask(type: string, fields?: object): Promise<Reply>;
  want(key: string, value: unknown): void;
  value(key: string): any;
  seen(): MachineSeen;
  look(): Promise<void>;
}
interface Choice { id: string; words: string; small?: string }

// --- games and lessons ---

interface Option {
  group?: string;
  type?: string;
  default?: any;
  enum?: string[];
  const?: string;
  minimum?: number;
  maximum?: number;
  pattern?: string;
  items?: Option;
  properties?: Record<string, Option>;
  $ref?: string;
  anyOf?: Option[];
  allOf?: Option[];
}
interface OptionsSchema { properties: Record<string, Option>; $defs: Record<string, Option> }
interface GameReference { layout: LayoutModel; men: string; options: OptionsSchema }
interface Reference {
  games: Record<string, GameReference>;
  neighbours: Record<string, string[]>;
  lessons: string[];
  levels: Record<string, number>;
}
/** The control of one option of a game. */
interface Control { rows: HTMLElement[]; value: () => any; show?: () => unknown }
type ChosenOptions = Record<string, any>;
interface LessonMove { after: string; good: boolean; text: string }
interface ExerciseData {
  key: string;
  kind: "tap" | "move" | "throw";
  position: string;
  protection?: boolean;
  check?: boolean;
  fields: string[];
  moves?: Record<string, LessonMove>;
  why?: Record<string, { code: string; args: Record<string, any> }>;
  beds: Record<string, [string, string]>;
  placed: Record<string, string>;
  zone: string[];
  free: string[];
  next: string;
  good: "lost" | "placed";
  fouls: number;
  fouls_after: number;
  limit: number;
}
interface Lessons {
  layout: LayoutModel;
  white_sits_at: number;
  fields: Record<string, { ring: string; value: number; line: string }>;
  exercises: ExerciseData[];
}

// --- the play page ---

type Store = import("../../host/scharten/display/static/js/store.js").Store;
type Connection = import("../../host/scharten/display/static/js/connection.js").Connection;
type Board = import("../../host/scharten/display/static/js/board.js").Board;
type Dartboard = import("../../host/scharten/display/static/js/dartboard.js").Dartboard;
/** What the simulated board takes. */
type Throw = DartPoint | { miss: true } | { bounce_out: true };
/** What the controller needs of a page: the play page and the lessons have it. */
interface MovingApp {
  board: Board;
  store: {
    ownSide?(): Side | null;
    readonly snapshot: Pick<Snapshot, "side" | "moves"> & { names?: NamesBySide } | null;
    readonly reviewing: number | null;
    mayMove(): boolean;
    mayAct(): boolean;
  };
  connection: { status: string };
  command(type: string, fields?: Record<string, unknown>): Promise<Reply>;
  ask(type: string, fields?: Record<string, unknown>): Promise<Reply>;
  say(text: string, kind?: string): void;
}
interface App extends MovingApp {
  store: Store;
  connection: Connection;
  controller: import("../../host/scharten/display/static/js/controller.js").Controller;
  throwing: import("../../host/scharten/display/static/js/throwing.js").Throwing;
  role: string;
  throwDart(payload: Throw): void;
  look(at_ms: number | null): void;
  fetchAsArbiter(path: string): Promise<Response>;
}
interface Panel { update(news: Set<string>): void }
