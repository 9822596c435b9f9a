import { LiveRegion } from './live-region.js';
import type { Terminal } from './live-region.js';
import type { OrderPicture } from './order-picture.js';
import { progressLine, progressLines } from './progress.js';

interface Clock {
  nowMs(): number;
}

const REDRAW_MS = 100;
const PLAIN_LINE_MS = 5_000;

/** Shows a running order: drawn in place on a terminal, as plain lines now and then anywhere else. */
export class ProgressScreen {
  readonly #terminal: Terminal;
  readonly #region: LiveRegion;
  #shown: { readonly picture: OrderPicture; readonly clock: Clock } | null = null;
  #drawnAtMs = 0;
  #drawnStatus = '';
  readonly #timer: NodeJS.Timeout;

  constructor(terminal: Terminal) {
    this.#terminal = terminal;
    this.#region = new LiveRegion(terminal);
    // Time runs on without frames.
    this.#timer = setInterval(() => this.#refresh(), REDRAW_MS);
  }

  update(picture: OrderPicture, clock: Clock): void {
    this.#shown = { picture, clock };
    this.#refresh();
  }

  /** Gives the terminal back. Every change of status was drawn at once, so what stands there is the end. */
  end(): void {
    clearInterval(this.#timer);
    this.#region.end();
  }

  #refresh(): void {
    if (this.#shown === null) return;
    const { picture, clock } = this.#shown;
    const pauseMs = this.#terminal.isTTY === true ? REDRAW_MS : PLAIN_LINE_MS;
    if (picture.status !== this.#drawnStatus || Date.now() - this.#drawnAtMs >= pauseMs) this.#draw(picture, clock);
  }

  #draw(picture: OrderPicture, clock: Clock): void {
    this.#drawnAtMs = Date.now();
    this.#drawnStatus = picture.status;
    const nowMs = clock.nowMs();
    if (this.#terminal.isTTY === true) this.#region.draw(progressLines(picture, { nowMs, width: this.#region.width }));
    else this.#terminal.write(`${progressLine(picture, nowMs)}\n`);
  }
}
