import { pause, type Actor, type ServiceRun } from './actor.js';

const LOOK_MS = 150;
const REFUSED = /^sluice_venue_requests_refused_total\{.*\} (\d+)$/gm;

/**
 * Counts the requests that the request throttle rejected, from the metrics. Another check ensures that no order ends
 * because of it.
 */
export class ThrottleWatch implements Actor {
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

  async work({ port }: ServiceRun): Promise<void> {
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
