import type { Venue } from '../domain/exchange.js';
import type { OrRejection } from '../domain/rejection.js';
import type { ChildTarget } from '../domain/venue-message.js';
import type { QueryKind, VenueAnswerOf, VenueClient, VenueQuery } from './venue-client.js';

/** The main thread's clients of all venue workers. A query goes to the worker of its exchange. */
export class VenueRouter {
  readonly #simulated: VenueClient;
  readonly #real: ReadonlyMap<Venue, VenueClient>;

  constructor(simulated: VenueClient, real: ReadonlyMap<Venue, VenueClient> = new Map()) {
    this.#simulated = simulated;
    this.#real = real;
  }

  /** The worker of the simulated exchanges, or of one real exchange. */
  isWorkerUp(venue: Venue | null): boolean {
    return (venue === null ? this.#simulated : this.#clientOf(venue)).isVenueUp;
  }

  /** True while orders can reach the venue: for a simulated one while its worker is up. */
  isUp(venue: Venue): boolean {
    return this.#real.has(venue) ? this.isConnected(venue) : this.#simulated.isVenueUp;
  }

  /** True while the venue's worker is up and has a connection to the venue. */
  isConnected(venue: Venue): boolean {
    return this.#clientOf(venue).isConnected(venue);
  }

  /** Number of accounts whose own connection to the venue is down. */
  accountsDown(venue: Venue): number {
    return this.#clientOf(venue).accountsDown(venue);
  }

  setWorkerUp(venue: Venue | null, isUp: boolean): void {
    (venue === null ? this.#simulated : this.#clientOf(venue)).setVenueUp(isUp);
  }

  ask<Kind extends QueryKind>(
    query: VenueQuery<Kind>,
    answer: (result: OrRejection<VenueAnswerOf<Kind>>) => void,
  ): void {
    this.#clientOf((query as VenueQuery<QueryKind>).venue).ask(query, answer);
  }

  cancel(child: ChildTarget): boolean {
    return this.#clientOf(child.venue).cancel(child);
  }

  drain(): void {
    for (const client of this.#clients()) client.drain();
  }

  sweep(): void {
    for (const client of this.#clients()) client.sweep();
  }

  #clientOf(venue: Venue): VenueClient {
    return this.#real.get(venue) ?? this.#simulated;
  }

  *#clients(): Generator<VenueClient> {
    yield this.#simulated;
    yield* this.#real.values();
  }
}
