import { pause, type Actor, type Life } from './actor.js';

const LOOK_MS = 150;
const REFUSED = /^sluice_venue_requests_refused_total\{.*\} (\d+)$/gm;

/** Counts the requests that were refused for want of room, by the metrics; that no order ends by it is the books' part. */
export class Budget implements Actor {
  #before = 0;
  #now = 0;

  get refusedCount(): number {
    return this.#before + this.#now;
  }

  check(): Promise<void> {
    this.#before = this.refusedCount;
    this.#now = 0;
    return Promise.resolve();
  }

  async work({ port }: Life): Promise<void> {
    for (;;) {
      const text = await fetch(`http://127.0.0.1:${port}/metrics`).then(
        (answer) => answer.text(),
        () => null,
      );
      if (text === null) return;
      this.#now = [...text.matchAll(REFUSED)].reduce((sum, [, count]) => sum + Number(count), 0);
      await pause(LOOK_MS);
    }
  }

  settle(): Promise<void> {
    return Promise.resolve();
  }
}
