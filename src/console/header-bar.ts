import { clockText } from './figures.js';
import { elementById, setText } from './element.js';
import { skewNotice, type HealthNotice } from './health-probe.js';
import { livenessNotice, type Liveness } from './liveness.js';

export interface HeaderState {
  readonly liveness: Liveness;
  readonly failure: string | null;
  readonly health: HealthNotice;
  /** Why trading is halted; null: it is not. */
  readonly halt: string | null;
  readonly venuesDown: readonly string[];
  readonly skewMs: number | null;
  readonly serviceMs: number;
  /** This machine's clock. */
  readonly nowMs: number;
}

/** What is always in sight: is this live, is the service well, what time is it there. */
export class HeaderBar {
  readonly #liveness = elementById('liveness');
  readonly #stale = elementById('stale');
  readonly #halt = elementById('halt');
  readonly #health = elementById('health');
  readonly #venues = elementById('venues');
  readonly #skew = elementById('skew');
  readonly #time = elementById('time');

  show({ liveness, failure, health, halt, venuesDown, skewMs, serviceMs, nowMs }: HeaderState): void {
    const notice = livenessNotice(liveness, nowMs);
    this.#liveness.className = `badge ${notice.tone}`;
    // The time it lasts is told beside it: what is announced aloud does not change every second.
    setText(this.#liveness, liveness.state === 'STALE' ? 'Stale' : notice.text);
    this.#liveness.title = notice.hint;
    const isStale = liveness.state === 'STALE';
    document.body.classList.toggle('stale', isStale);
    this.#stale.hidden = !isStale && failure === null;
    setText(this.#stale, isStale ? `${notice.text}: ${failure ?? notice.hint}` : (failure ?? ''));
    this.#halt.hidden = halt === null;
    setText(this.#halt, halt ?? '');
    tell(this.#health, health);
    tell(this.#skew, skewNotice(skewMs));
    const downs = venuesDown.join(', ');
    tell(this.#venues, {
      text: liveness.state === 'OFF' ? '–' : downs === '' ? 'All up' : `Down: ${downs}`,
      tone: downs === '' ? 'plain' : 'bad',
      hint: 'Orders for a venue that is down wait or are refused.',
    });
    setText(this.#time, `${clockText(serviceMs)} UTC`);
  }
}

function tell(place: HTMLElement, { text, tone, hint }: HealthNotice): void {
  setText(place, text);
  place.className = tone;
  place.title = hint;
}
