import { createHmac } from 'node:crypto';
import { FrameSocket, maskedFrame } from '../fanout/frame-socket.js';
import { type LoadResult, nowUs, REFUSED_STATUS, REJECTED, Tally } from '../http-load.js';
import { type BenchKey, orderBody, RECV_WINDOW_MS, START_AHEAD_MS } from '../orders.js';

export interface SessionTarget {
  /** Absent: this machine. */
  readonly host?: string;
  readonly port: number;
  readonly path: string;
  /** null: the server takes requests without authentication. */
  readonly key: BenchKey | null;
  /** Begins each client order id of the run. */
  readonly prefix: string;
}

export interface SessionLoad {
  readonly sessions: number;
  /** Requests in flight in each session. */
  readonly depth: number;
  readonly durationMs: number;
}

export const SESSION_PATH = '/api/v2/ws/trade';
const CREATED = 201;
/** More than the requests of a session that may be in flight; a power of two. */
const SLOTS = 4_096;
const AUTH_ID = 'auth';
const STATUS = Buffer.from('"status":');
const ID_FROM = '{"id":"'.length;
const DIGIT_0 = 0x30;
const DIGIT_9 = 0x39;

/** Closed loop: each session keeps `depth` creates in flight. A rejected create counts as a failure. */
export async function sessionLoop(target: SessionTarget, load: SessionLoad): Promise<LoadResult> {
  const run = new Run(target, load);
  try {
    return await run.result();
  } finally {
    run.close();
  }
}

class Run {
  readonly #target: SessionTarget;
  readonly #load: SessionLoad;
  readonly #sockets: FrameSocket[] = [];
  #createdCount = 0;

  constructor(target: SessionTarget, load: SessionLoad) {
    this.#target = target;
    this.#load = load;
  }

  async result(): Promise<LoadResult> {
    const { sessions, depth, durationMs } = this.#load;
    const members = await Promise.all(Array.from({ length: sessions }, () => this.#open()));
    const tally = new Tally();
    const endUs = nowUs() + durationMs * 1000;
    const text = (id: number): string => this.#create(id);
    await Promise.all(members.map((member) => member.run({ depth, endUs, tally, text })));
    return tally.result(CREATED);
  }

  close(): void {
    for (const socket of this.#sockets) socket.close();
  }

  async #open(): Promise<Member> {
    const { key, host, port, path } = this.#target;
    const member = new Member();
    const socket = await FrameSocket.open({
      ...(host !== undefined && { host }),
      port,
      path,
      onFrame: (bytes, from, to) => member.onFrame(bytes, from, to),
      onClosed: () => member.onClosed(),
    });
    this.#sockets.push(socket);
    await member.start(socket, key === null ? null : authText(key));
    return member;
  }

  #create(id: number): string {
    const index = this.#createdCount;
    this.#createdCount += 1;
    const startTime = new Date(Date.now() + START_AHEAD_MS).toISOString();
    const body = orderBody(`${this.#target.prefix}-${index}`, startTime, index);
    return `{"id":"${id}","op":"order.create","args":${body}}`;
  }
}

let lastTimestamp = 0;

/** Each session has its own time stamp, because a signature starts one session. */
function authText({ apiKey, apiSecret }: BenchKey): string {
  const timestamp = Math.max(Date.now(), lastTimestamp + 1);
  lastTimestamp = timestamp;
  const sign = createHmac('sha256', Buffer.from(apiSecret, 'base64url'))
    .update(`${timestamp}${apiKey}${RECV_WINDOW_MS}`)
    .digest('base64');
  const args = { api_key: apiKey, timestamp, recv_window: RECV_WINDOW_MS, sign };
  return JSON.stringify({ id: AUTH_ID, op: 'auth', args });
}

interface MemberRun {
  readonly depth: number;
  readonly endUs: number;
  readonly tally: Tally;
  readonly text: (id: number) => string;
}

/** One session of a run. */
class Member {
  readonly #sentUs = new Float64Array(SLOTS);
  #socket: FrameSocket | null = null;
  #run: MemberRun | null = null;
  #onDone: () => void = () => undefined;
  #onFailed: (error: Error) => void = () => undefined;
  #lastId = 0;
  #openCount = 0;
  #unsent: Buffer[] = [];

  /** Resolves when the session has authenticated. */
  start(socket: FrameSocket, authentication: string | null): Promise<void> {
    this.#socket = socket;
    if (authentication === null) return Promise.resolve();
    return new Promise((resolve, reject) => {
      [this.#onDone, this.#onFailed] = [resolve, reject];
      socket.send(authentication);
    });
  }

  /** Resolves when every request of the run has its answer. */
  run(run: MemberRun): Promise<void> {
    return new Promise((resolve, reject) => {
      [this.#onDone, this.#onFailed] = [resolve, reject];
      this.#run = run;
      for (let count = 0; count < run.depth; count += 1) this.#send(run);
    });
  }

  onClosed(): void {
    this.#onFailed(new Error('the service has closed a session'));
  }

  onFrame(bytes: Buffer, from: number, to: number): void {
    const id = idIn(bytes, from + ID_FROM);
    if (this.#run === null) return this.#onAuthenticated(bytes.toString('utf8', from, to));
    // A ping of the service has no id.
    if (id === null) return;
    const frame = bytes.subarray(from, to);
    this.#run.tally.note(statusOf(frame), this.#sentUs[id % SLOTS] as number);
    this.#openCount -= 1;
    if (nowUs() < this.#run.endUs) this.#send(this.#run);
    else if (this.#openCount === 0) this.#onDone();
  }

  #onAuthenticated(text: string): void {
    const answer = JSON.parse(text) as { readonly id?: string; readonly status?: number };
    if (answer.id !== AUTH_ID) return;
    if (answer.status === 200) this.#onDone();
    else this.#onFailed(new Error(`the session was refused: ${text}`));
  }

  /** The frames of one turn leave in one write. */
  #send({ text }: MemberRun): void {
    this.#lastId += 1;
    this.#openCount += 1;
    if (this.#unsent.length === 0) queueMicrotask(() => this.#flush());
    this.#unsent.push(maskedFrame(text(this.#lastId)));
    this.#sentUs[this.#lastId % SLOTS] = nowUs();
  }

  #flush(): void {
    const frames = this.#unsent;
    this.#unsent = [];
    this.#socket?.write(frames.length === 1 ? (frames[0] as Buffer) : Buffer.concat(frames));
  }
}

/** The number at the start of the id; null: the id is no number. */
function idIn(bytes: Buffer, from: number): number | null {
  let [at, id] = [from, 0];
  for (let digit = bytes[at] ?? 0; digit >= DIGIT_0 && digit <= DIGIT_9; digit = bytes[at] ?? 0) {
    id = 10 * id + (digit - DIGIT_0);
    at += 1;
  }
  return at === from ? null : id;
}

/** An echo has no status and counts as created. */
function statusOf(frame: Buffer): number {
  if (frame.includes(REJECTED)) return REFUSED_STATUS;
  const at = frame.indexOf(STATUS);
  return at === -1 ? CREATED : (idIn(frame, at + STATUS.length) ?? REFUSED_STATUS);
}
