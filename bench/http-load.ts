import { connect, type Socket } from 'node:net';
import { build, type Histogram } from 'hdr-histogram-js';

/** What a run of requests gave. Latencies are in microseconds. */
export interface LoadResult {
  readonly throughput: number;
  readonly latency: Histogram;
  readonly failures: number;
}

export interface LoadTarget {
  readonly port: number;
  /** Ready-made requests, each sent once. */
  readonly requests: readonly Buffer[];
  readonly expectedStatus: number;
}

const LATENCY_US_MAX = 60_000_000;
const HEADER_END = Buffer.from('\r\n\r\n');

function newHistogram(): Histogram {
  return build({ lowestDiscernibleValue: 1, highestTrackableValue: LATENCY_US_MAX, numberOfSignificantValueDigits: 3 });
}

function nowUs(): number {
  const [seconds, nanoseconds] = process.hrtime();
  return seconds * 1e6 + nanoseconds / 1e3;
}

/** One keep-alive connection with one request under way at a time. */
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

  static open(port: number): Promise<Connection> {
    return new Promise((resolve, reject) => {
      const socket = connect(port, '127.0.0.1', () => resolve(new Connection(socket)));
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
    const status = Number.parseInt(header.slice(9, 12), 10);
    this.#received = this.#received.subarray(headerEnd + 4 + length);
    this.onResponse(status);
  }
}

/** Closed loop: every connection sends its next request as soon as the answer to the last one is there. */
export async function closedLoop(target: LoadTarget, connectionCount: number, durationMs: number): Promise<LoadResult> {
  const latency = newHistogram();
  const connections = await openAll(target.port, connectionCount);
  let next = 0;
  let failures = 0;
  let answered = 0;
  const startUs = nowUs();
  const endUs = startUs + durationMs * 1000;
  await new Promise<void>((resolve, reject) => {
    let running = connections.length;
    for (const connection of connections) {
      let sentUs = 0;
      const step = (): void => {
        const request = target.requests[next];
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
        latency.recordValue(Math.round(nowUs() - sentUs));
        answered += 1;
        if (status !== target.expectedStatus) failures += 1;
        step();
      };
      connection.onError = reject;
      step();
    }
  });
  const seconds = (nowUs() - startUs) / 1e6;
  for (const connection of connections) connection.close();
  return { throughput: answered / seconds, latency, failures };
}

/**
 * Open loop: requests are due at a fixed rate, whatever the server does. Latency counts from the moment a request was
 * due, also while it waits for a free connection, so that a stall is not omitted from the percentiles.
 */
export async function openLoop(
  target: LoadTarget,
  connectionCount: number,
  ratePerS: number,
  durationMs: number,
): Promise<LoadResult> {
  const latency = newHistogram();
  const connections = await openAll(target.port, connectionCount);
  const idle = [...connections];
  const dueCount = Math.min(target.requests.length, Math.floor((ratePerS * durationMs) / 1000));
  const intervalUs = 1e6 / ratePerS;
  let sent = 0;
  let answered = 0;
  let failures = 0;
  const startUs = nowUs() + 1000;
  await new Promise<void>((resolve, reject) => {
    const sendDue = (): void => {
      const due = Math.min(dueCount, Math.floor((nowUs() - startUs) / intervalUs) + 1);
      while (sent < due) {
        const connection = idle.pop();
        if (connection === undefined) break;
        const dueUs = startUs + sent * intervalUs;
        connection.onResponse = (status) => {
          latency.recordValue(Math.max(1, Math.round(nowUs() - dueUs)));
          answered += 1;
          if (status !== target.expectedStatus) failures += 1;
          idle.push(connection);
          if (answered === dueCount) resolve();
          else sendDue();
        };
        connection.send(target.requests[sent] as Buffer);
        sent += 1;
      }
      if (sent < dueCount) scheduleNext();
    };
    let isScheduled = false;
    // A timer is too coarse for the rates measured here: the loop turns until the next request is due.
    const scheduleNext = (): void => {
      if (isScheduled) return;
      isScheduled = true;
      const waitUs = startUs + sent * intervalUs - nowUs();
      const run = (): void => {
        isScheduled = false;
        sendDue();
      };
      if (waitUs > 2000) setTimeout(run, Math.floor(waitUs / 1000) - 1);
      else setImmediate(run);
    };
    for (const connection of connections) connection.onError = reject;
    sendDue();
  });
  const seconds = (nowUs() - startUs) / 1e6;
  for (const connection of connections) connection.close();
  return { throughput: answered / seconds, latency, failures };
}

async function openAll(port: number, count: number): Promise<Connection[]> {
  return Promise.all(Array.from({ length: count }, () => Connection.open(port)));
}
