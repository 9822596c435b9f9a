import { connect, type Socket } from 'node:net';
import { build, type Histogram } from 'hdr-histogram-js';

/** Result of a run of requests. Latencies are in microseconds. */
export interface LoadResult {
  readonly throughput: number;
  readonly latency: Histogram;
  /** Answers with a status other than the expected one. */
  readonly failures: number;
  /** Number of answers by status. */
  readonly statuses: ReadonlyMap<number, number>;
}

/** Complete HTTP requests, each sent once. An array is a source. */
export interface RequestSource {
  readonly length: number;
  at(index: number): Buffer | undefined;
}

export interface LoadTarget {
  /** Absent: this machine. */
  readonly host?: string;
  readonly port: number;
  readonly requests: RequestSource;
  readonly expectedStatus: number;
}

const LATENCY_US_MAX = 60_000_000;
const LOCAL_HOST = '127.0.0.1';
/** Marks a create that is answered 201 but rejected: it counts as a failure, under REFUSED_STATUS. */
export const REJECTED = Buffer.from('"status":"REJECTED"');
export const REFUSED_STATUS = 0;
const HEADER_END = Buffer.from('\r\n\r\n');

function newHistogram(): Histogram {
  return build({ lowestDiscernibleValue: 1, highestTrackableValue: LATENCY_US_MAX, numberOfSignificantValueDigits: 3 });
}

const NAP_US_MAX = 200;
const napping = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));

function nap(us: number): void {
  if (us > 0) Atomics.wait(napping, 0, 0, Math.min(us, NAP_US_MAX) / 1000);
}

export function nowUs(): number {
  const [seconds, nanoseconds] = process.hrtime();
  return seconds * 1e6 + nanoseconds / 1e3;
}

/** Collects the answers of one run. */
export class Tally {
  readonly #latency = newHistogram();
  readonly #statuses = new Map<number, number>();
  readonly #startUs = nowUs();
  answered = 0;

  note(status: number, sinceUs: number): void {
    this.#latency.recordValue(Math.max(1, Math.round(nowUs() - sinceUs)));
    this.#statuses.set(status, (this.#statuses.get(status) ?? 0) + 1);
    this.answered += 1;
  }

  /** Called at the end of the run. */
  result(expectedStatus: number): LoadResult {
    return {
      throughput: (this.answered * 1e6) / (nowUs() - this.#startUs),
      latency: this.#latency,
      failures: this.answered - (this.#statuses.get(expectedStatus) ?? 0),
      statuses: this.#statuses,
    };
  }
}

/** One keep-alive connection with one request in flight at a time. */
class Connection {
  readonly #socket: Socket;
  #received: Buffer = Buffer.alloc(0);
  onResponse: (status: number) => void = () => undefined;
  onError: (error: Error) => void = () => undefined;

  private constructor(socket: Socket) {
    this.#socket = socket;
    socket.setNoDelay(true);
    socket.on('data', (chunk) => this.#onData(chunk));
    socket.on('error', (error) => this.onError(error));
  }

  static open({ host = LOCAL_HOST, port }: LoadTarget): Promise<Connection> {
    return new Promise((resolve, reject) => {
      const socket = connect(port, host, () => resolve(new Connection(socket)));
      socket.once('error', reject);
    });
  }

  send(request: Buffer): void {
    this.#socket.write(request);
  }

  close(): void {
    this.#socket.destroy();
  }

  #onData(chunk: Buffer): void {
    this.#received = this.#received.length === 0 ? chunk : Buffer.concat([this.#received, chunk]);
    const headerEnd = this.#received.indexOf(HEADER_END);
    if (headerEnd === -1) return;
    const header = this.#received.toString('latin1', 0, headerEnd);
    const at = header.toLowerCase().indexOf('content-length:');
    const length = at === -1 ? 0 : Number.parseInt(header.slice(at + 15), 10);
    if (this.#received.length < headerEnd + 4 + length) return;
    const isRefused = this.#received.includes(REJECTED);
    const status = isRefused ? REFUSED_STATUS : Number.parseInt(header.slice(9, 12), 10);
    this.#received = this.#received.subarray(headerEnd + 4 + length);
    this.onResponse(status);
  }
}

/** Closed loop: each connection sends its next request when the previous answer arrives. */
export async function closedLoop(target: LoadTarget, connectionCount: number, durationMs: number): Promise<LoadResult> {
  const connections = await openAll(target, connectionCount);
  const tally = new Tally();
  const endUs = nowUs() + durationMs * 1000;
  let next = 0;
  await new Promise<void>((resolve, reject) => {
    let running = connections.length;
    for (const connection of connections) {
      let sentUs = 0;
      const step = (): void => {
        const request = target.requests.at(next);
        sentUs = nowUs();
        if (request === undefined || sentUs >= endUs) {
          running -= 1;
          if (running === 0) resolve();
          return;
        }
        next += 1;
        connection.send(request);
      };
      connection.onResponse = (status) => {
        tally.note(status, sentUs);
        step();
      };
      connection.onError = reject;
      step();
    }
  });
  const result = tally.result(target.expectedStatus);
  for (const connection of connections) connection.close();
  return result;
}

/**
 * Open loop: requests are due at a fixed rate, independent of the server. Latency counts from the due time, including
 * the wait for a free connection, so that the percentiles include stalls.
 */
export async function openLoop(
  target: LoadTarget,
  connectionCount: number,
  ratePerS: number,
  durationMs: number,
): Promise<LoadResult> {
  const connections = await openAll(target, connectionCount);
  const idle = [...connections];
  const dueCount = Math.min(target.requests.length, Math.floor((ratePerS * durationMs) / 1000));
  const intervalUs = 1e6 / ratePerS;
  const tally = new Tally();
  const startUs = nowUs() + 1000;
  let sent = 0;
  await new Promise<void>((resolve, reject) => {
    const sendDue = (): void => {
      const due = Math.min(dueCount, Math.floor((nowUs() - startUs) / intervalUs) + 1);
      while (sent < due) {
        const connection = idle.pop();
        if (connection === undefined) break;
        const dueUs = startUs + sent * intervalUs;
        connection.onResponse = (status) => {
          tally.note(status, dueUs);
          idle.push(connection);
          if (tally.answered === dueCount) resolve();
          else sendDue();
        };
        connection.send(target.requests.at(sent) as Buffer);
        sent += 1;
      }
      if (sent < dueCount) scheduleNext();
    };
    let isScheduled = false;
    // A timer is too coarse for these rates, and a busy loop would take a processor from the server. So the loop naps,
    // and an answer may be noted NAP_US_MAX late.
    const scheduleNext = (): void => {
      if (isScheduled) return;
      isScheduled = true;
      const waitUs = startUs + sent * intervalUs - nowUs();
      const run = (): void => {
        isScheduled = false;
        nap(startUs + sent * intervalUs - nowUs());
        sendDue();
      };
      if (waitUs > 2000) setTimeout(run, Math.floor(waitUs / 1000) - 1);
      else setImmediate(run);
    };
    for (const connection of connections) connection.onError = reject;
    if (dueCount === 0) resolve();
    else sendDue();
  });
  const result = tally.result(target.expectedStatus);
  for (const connection of connections) connection.close();
  return result;
}

async function openAll(target: LoadTarget, count: number): Promise<Connection[]> {
  return Promise.all(Array.from({ length: count }, () => Connection.open(target)));
}
