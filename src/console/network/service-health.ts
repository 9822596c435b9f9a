import { contentOf, type HttpAnswer, type Transport } from '../../client/transport.js';
import type { ServerTime, ServiceHealth } from '../../client/wire.js';
import { type Tone, clockText, reasonOf, spanText } from '../view/figures.js';

/** A short text with its weight; the hint explains it. */
export interface Notice {
  readonly text: string;
  readonly tone: Tone;
  readonly hint: string;
}

/** Whether the page shows the present state of the orders. */
export type Liveness =
  | { readonly state: 'OFF' }
  | { readonly state: 'CONNECTING' }
  | { readonly state: 'LIVE' }
  /** Nothing was received since then, by the clock of this machine. */
  | { readonly state: 'STALE'; readonly sinceMs: number; readonly why: string };

interface Reading {
  /** Clock of this machine, in the middle between request and answer. */
  readonly localMs: number;
  readonly realMs: number;
  readonly serviceMs: number;
}

/** A larger skew may make the service refuse signed requests of other clients on this machine. */
const SKEW_MS_WARNING = 500;

/** The clocks of the service, read from its pings. Before the first ping they are the clock of this machine. */
export class ServerClock {
  #first: Reading | null = null;
  #latest: Reading | null = null;

  /** Takes a ping with the times of its request and its answer, by the clock of this machine. */
  update({ timestamp, service_time: serviceMs }: ServerTime, askedAtMs: number, answeredAtMs: number): void {
    this.#latest = { localMs: (askedAtMs + answeredAtMs) / 2, realMs: timestamp, serviceMs };
    // A local clock that was set back makes the first reading useless.
    if (this.#first === null || this.#latest.localMs <= this.#first.localMs) this.#first = this.#latest;
  }

  /** Server clock − clock of this machine, in ms; null before the first ping. */
  get skewMs(): number | null {
    return this.#latest === null ? null : Math.round(this.#latest.realMs - this.#latest.localMs);
  }

  /** Real time of the server. Requests are signed with it. */
  realMs(localMs: number): number {
    return Math.round(localMs + (this.skewMs ?? 0));
  }

  /** Service time, which may run faster than real time. */
  serviceMs(localMs: number): number {
    const [first, latest] = [this.#first, this.#latest];
    if (first === null || latest === null) return localMs;
    const passedMs = latest.realMs - first.realMs;
    const speed = passedMs > 0 ? (latest.serviceMs - first.serviceMs) / passedMs : 1;
    return latest.serviceMs + (localMs - latest.localMs) * speed;
  }
}

/** Reads the state of the service that needs no key: health, readiness, trading halts, time. */
export class HealthProbe {
  notice: Notice = { text: 'Connecting…', tone: 'quiet', hint: '' };
  /** Why trading is halted, by the latest answer; null when it is open. */
  halt: string | null = null;
  /** The release of the service; null before the first answer. */
  version: string | null = null;
  readonly #transport: Transport;
  readonly #clock: ServerClock;
  readonly #nowMs: () => number;

  constructor(transport: Transport, clock: ServerClock, nowMs: () => number) {
    this.#transport = transport;
    this.#clock = clock;
    this.#nowMs = nowMs;
  }

  async probe(): Promise<void> {
    try {
      const askedAtMs = this.#nowMs();
      const ping = contentOf<ServerTime>(await this.#ask('/status/ping'));
      this.#clock.update(ping, askedAtMs, this.#nowMs());
      const health = contentOf<ServiceHealth>(await this.#ask('/status/health'));
      this.halt = haltText(health);
      this.version = health.version;
      const ready = await this.#ask('/status/ready');
      this.notice = noticeOf(health, ready);
    } catch (error) {
      this.notice = { text: 'Service does not answer', tone: 'bad', hint: reasonOf(error) };
    }
  }

  #ask(target: string): Promise<HttpAnswer> {
    return this.#transport.ask({ method: 'GET', target, headers: {} });
  }
}

function haltText({ trading: { halts, kill_switches: switches } }: ServiceHealth): string | null {
  const causes = halts.map(({ message }) => message);
  if (switches.service.engaged) causes.push('the kill switch of the whole service is engaged');
  return causes.length === 0 ? null : `TRADING HALTED: ${causes.join('; ')}`;
}

function noticeOf({ detail, trading }: ServiceHealth, ready: HttpAnswer): Notice {
  if (trading.state === 'HALTED') return { text: 'Trading halted', tone: 'bad', hint: detail };
  if (ready.status === 200 && trading.state === 'PARTLY_HALTED') {
    return { text: 'Some accounts halted', tone: 'warning', hint: detail };
  }
  if (ready.status === 200) return { text: 'Ready', tone: 'good', hint: detail };
  const { detail: awaited = detail } = JSON.parse(ready.body) as { detail?: string };
  return { text: `Not ready: ${awaited}`, tone: 'bad', hint: detail };
}

/** Distance between the clock of the server and the clock of this machine; no figure before the first ping. */
export function skewNotice(skewMs: number | null): Notice {
  if (skewMs === null) return { text: '–', tone: 'quiet', hint: 'The service has not answered a ping yet.' };
  const hint = 'Clock of the server against the clock of this machine. Requests are signed with the server time.';
  const isFar = Math.abs(skewMs) > SKEW_MS_WARNING;
  return { text: `${skewMs > 0 ? '+' : ''}${skewMs} ms`, tone: isFar ? 'warning' : 'plain', hint };
}

export function livenessNotice(liveness: Liveness, nowMs: number): Notice {
  switch (liveness.state) {
    case 'OFF':
      return { text: 'No key', tone: 'quiet', hint: 'Enter a key to see the orders of its account.' };
    case 'CONNECTING':
      return { text: 'Connecting…', tone: 'warning', hint: 'The page subscribes to the streams.' };
    case 'LIVE':
      return { text: 'Live', tone: 'good', hint: 'Every change is shown when it happens.' };
    case 'STALE': {
      const span = spanText(nowMs - liveness.sinceMs);
      return { text: `Stale since ${clockText(liveness.sinceMs)} UTC (${span})`, tone: 'bad', hint: liveness.why };
    }
  }
}
