import type { VenueReport } from '../../src/model/venue-message.js';
import type { Chance } from './chance.js';
import type { Profile } from './profile.js';

interface Letter {
  readonly report: VenueReport;
  readonly shard: number;
}

const REMEMBERED_COUNT = 32;
/** Probability a turn of the venue that the fills which were held back arrive. */
const ARRIVAL = 0.03;

/**
 * The way of reports from the venue, as a network is: a report may come twice, at once or much later, and a fill may be
 * overtaken by the reports behind it. None is lost as long as the process lives.
 */
export class Post {
  readonly #chance: Chance;
  readonly #profile: Pick<Profile, 'repeat' | 'delay'>;
  readonly #remembered: Letter[] = [];
  #outgoing: Letter[] = [];
  readonly #heldBack: Letter[] = [];
  #isCalm = false;

  constructor(chance: Chance, profile: Pick<Profile, 'repeat' | 'delay'>) {
    this.#chance = chance;
    this.#profile = profile;
  }

  /** From now on it brings every report once and in order; what was held back arrives. */
  calm(): void {
    this.#isCalm = true;
  }

  send(report: VenueReport, shard: number): void {
    const letter = { report, shard };
    if (!this.#isCalm && report.kind === 'Filled' && this.#chance.hits(this.#profile.delay)) {
      this.#heldBack.push(letter);
      return;
    }
    this.#outgoing.push(letter);
    // Only what a venue tells of an order can come twice: a link is known on this side of the wire.
    if (!('orderId' in report)) return;
    this.#remembered.push(letter);
    if (this.#remembered.length > REMEMBERED_COUNT) this.#remembered.shift();
  }

  /** What arrives now, in order. */
  deliveries(): readonly Letter[] {
    const arrived = this.#outgoing;
    this.#outgoing = [];
    if (!this.#isCalm && this.#remembered.length > 0 && this.#chance.hits(this.#profile.repeat)) {
      arrived.push(this.#chance.pick(this.#remembered));
    }
    if (this.#isCalm || this.#chance.hits(ARRIVAL)) arrived.push(...this.#heldBack.splice(0));
    return arrived;
  }
}
