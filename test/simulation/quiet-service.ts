import type { Instrument } from '../../src/domain/instrument.js';
import type { EpochMs } from '../../src/domain/time.js';
import { Chance } from './chance.js';
import type { Body } from './clients.js';
import { EventLoop } from './event-loop.js';
import { drawProfile } from './profile.js';
import { World } from './world.js';

/** Turns of all threads in which a request is answered and its order is admitted, at one instant. */
const ROUNDS = 20;
/** Time in which a market that was asleep publishes its price. */
const WAKING_MS = 10;
const ANSWER_MS_MAX = 5_000;

/** The whole service in one thread without faults. Time passes only when a test lets it pass. */
export class QuietService {
  readonly world: World;
  readonly #uninstall: () => void;

  constructor(seed: number) {
    let world: World | null = null;
    this.#uninstall = EventLoop.install(() => {
      if (world === null) throw new Error('the world is being made');
      return world.loop;
    });
    this.world = new World(quietSeed(seed), (made) => void (world = made));
    // The book knows the orders of the random clients only.
    this.world.clients.onPlaced = () => undefined;
    this.pass(100);
  }

  close(): void {
    this.world.process.front.end();
    this.#uninstall();
  }

  /** Lets the threads work at this instant. */
  settle(): void {
    for (let round = 0; round < ROUNDS; round += 1) this.world.settle(0);
  }

  pass(ms: number): void {
    this.world.settle(ms);
  }

  /** Sends a request and returns its answer. Lets time pass only while there is none. */
  post<Answer>(path: string, body: Body, account = 'alice'): Answer {
    const { front } = this.world.process;
    return this.#answer((onAnswer) => front.post(account, `/api/v2/trading/order/${path}`, body, onAnswer));
  }

  get<Answer>(path: string, query: string, account = 'alice'): Answer {
    const { front } = this.world.process;
    return this.#answer((onAnswer) => front.get(account, `/api/v2/trading/${path}`, query, onAnswer));
  }

  /** Service time. */
  get nowMs(): EpochMs {
    return this.world.nowMs;
  }

  /** In ticks. Wakes the market. */
  midOf(instrument: Instrument): number {
    const market = this.world.process.front.main.streamSources().market(instrument.index);
    return (market.bid + market.ask) / 2;
  }

  #answer<Answer>(send: (onAnswer: (exchange: { readonly body: string }) => void) => unknown): Answer {
    const answers: string[] = [];
    send(({ body }) => void answers.push(body));
    this.settle();
    for (let waitedMs = 0; answers.length === 0; waitedMs += WAKING_MS) {
      if (waitedMs > ANSWER_MS_MAX) throw new Error('the service does not answer');
      this.pass(WAKING_MS);
    }
    return JSON.parse(answers[0] as string) as Answer;
  }
}

/** The first seed from here whose venues are near and take any number of requests. */
function quietSeed(seed: number): number {
  const { isDistant, requestRate, mainRingBytes, venueRingBytes } = drawProfile(new Chance(seed));
  const isQuiet = !isDistant && requestRate === null && mainRingBytes >= 2 ** 15 && venueRingBytes >= 2 ** 14;
  return isQuiet ? seed : quietSeed(seed + 1);
}
