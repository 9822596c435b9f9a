import type { ServerTime, ServiceHealth } from '../client/wire.js';
import type { Tone } from './cell.js';
import { contentOf, type Answer } from './service-api.js';
import type { ServiceClock } from './service-clock.js';

/** How the service stands, in words. */
export interface HealthNotice {
  readonly text: string;
  readonly tone: Tone;
  readonly hint: string;
}

/** Skews above this may cost signed requests of other clients of this machine. */
const SKEW_MS_WARNING = 500;

/** Asks what needs no key: is the service there, is it ready, what time is it. */
export class HealthProbe {
  notice: HealthNotice = { text: 'Asking…', tone: 'quiet', hint: '' };
  /** Why trading is halted, as the latest answer says; null: it is not. */
  halt: string | null = null;
  readonly #ask: (path: string) => Promise<Answer>;
  readonly #clock: ServiceClock;
  readonly #nowMs: () => number;

  constructor(ask: (path: string) => Promise<Answer>, clock: ServiceClock, nowMs: () => number) {
    this.#ask = ask;
    this.#clock = clock;
    this.#nowMs = nowMs;
  }

  async look(): Promise<void> {
    try {
      const askedAtMs = this.#nowMs();
      const ping = contentOf<ServerTime>(await this.#ask('/status/ping'));
      this.#clock.tell(ping, askedAtMs, this.#nowMs());
      const health = contentOf<ServiceHealth>(await this.#ask('/status/health'));
      this.halt = haltText(health);
      const ready = await this.#ask('/status/ready');
      this.notice = noticeOf(health, ready);
    } catch (error) {
      const hint = error instanceof Error ? error.message : String(error);
      this.notice = { text: 'Service does not answer', tone: 'bad', hint };
    }
  }
}

function haltText({ trading: { halts } }: ServiceHealth): string | null {
  return halts.length === 0 ? null : `TRADING HALTED: ${halts.map(({ message }) => message).join('; ')}`;
}

function noticeOf({ detail, trading }: ServiceHealth, ready: Answer): HealthNotice {
  const [halt] = trading.halts;
  if (halt !== undefined) return { text: `Trading halted: ${halt.message}`, tone: 'bad', hint: detail };
  if (ready.status === 200) return { text: 'Ready', tone: 'good', hint: detail };
  const { detail: awaited = detail } = JSON.parse(ready.text) as { detail?: string };
  return { text: `Not ready: ${awaited}`, tone: 'bad', hint: detail };
}

/** How far the server's clock and this machine's are apart; null before the first ping. */
export function skewNotice(skewMs: number | null): HealthNotice {
  if (skewMs === null) return { text: '–', tone: 'quiet', hint: 'No ping has been answered yet.' };
  const hint = "The server's clock against this machine's; requests of this page are signed by the server's.";
  return {
    text: `${skewMs > 0 ? '+' : ''}${skewMs} ms`,
    tone: Math.abs(skewMs) > SKEW_MS_WARNING ? 'warning' : 'plain',
    hint,
  };
}
