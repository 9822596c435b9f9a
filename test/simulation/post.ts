import type { VenueReport } from '../../src/domain/venue-report.js';
import type { Chance } from './chance.js';
import type { Profile } from './profile.js';

interface Letter {
  readonly report: VenueReport;
  readonly shard: number;
}

const REMEMBERED_COUNT = 32;
/** Probability, per turn of the venue, that the delayed fills arrive. */
const ARRIVAL = 0.03;

/**
 * Delivers the reports of the venue like a network. A report may come twice, at once or much later, and later reports
 * may overtake a fill. No report is lost while the process lives.
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

  /** Delivers every report once and in order from now on, and delivers the delayed ones. */
  endFaults(): void {
    this.#isCalm = true;
  }

  send(report: VenueReport, shard: number): void {
    const letter = { report, shard };
    if (!this.#isCalm && report.kind === 'Filled' && this.#chance.hits(this.#profile.delay)) {
      this.#heldBack.push(letter);
      return;
    }
    this.#outgoing.push(letter);
    // Only reports on orders can come twice. The state of a link is known on this side of the network.
    if (!('orderId' in report)) return;
    this.#remembered.push(letter);
    if (this.#remembered.length > REMEMBERED_COUNT) this.#remembered.shift();
  }

  /** Reports that arrive now, in sequence. */
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
