import type { VenueReport } from '../../src/model/venue-message.js';
import type { Chance } from './chance.js';
import type { Profile } from './profile.js';

interface Letter {
  readonly report: VenueReport;
  readonly shard: number;
}

const REMEMBERED_COUNT = 32;

/**
 * The way of reports from the venue, as a network is: a report may come twice, at once or much later, and one may be
 * overtaken by those behind it. None is lost as long as the process lives.
 */
export class Post {
  readonly #chance: Chance;
  readonly #profile: Pick<Profile, 'repeat' | 'delay'>;
  readonly #remembered: Letter[] = [];
  #outgoing: Letter[] = [];
  #heldBack: Letter[] = [];

  constructor(chance: Chance, profile: Pick<Profile, 'repeat' | 'delay'>) {
    this.#chance = chance;
    this.#profile = profile;
  }

  send(report: VenueReport, shard: number): void {
    const letter = { report, shard };
    if (this.#chance.hits(this.#profile.delay)) {
      this.#heldBack.push(letter);
      return;
    }
    this.#outgoing.push(letter);
    if (report.kind === 'Funds') return;
    this.#remembered.push(letter);
    if (this.#remembered.length > REMEMBERED_COUNT) this.#remembered.shift();
  }

  /** What arrives now, in order. */
  deliveries(): readonly Letter[] {
    const arrived = this.#outgoing;
    this.#outgoing = [];
    if (this.#remembered.length > 0 && this.#chance.hits(this.#profile.repeat)) {
      arrived.push(this.#chance.pick(this.#remembered));
    }
    if (this.#heldBack.length > 0 && this.#chance.hits(0.2)) arrived.push(...this.takeHeldBack());
    return arrived;
  }

  takeHeldBack(): readonly Letter[] {
    const late = this.#heldBack;
    this.#heldBack = [];
    return late;
  }
}
