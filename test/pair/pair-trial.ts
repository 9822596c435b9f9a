import type { Instrument } from '../../src/domain/instrument.js';
import { isTerminal } from '../../src/domain/order.js';
import { rejectionOf } from '../order/orders.js';
import { Chance } from '../simulation/chance.js';
import { isTradable, MID, otherTerms, trialInstruments, trialPair } from './pair-orders.js';
import { judge, type PairVerdict } from './pair-verdict.js';
import { PairWorld } from './pair-world.js';

const STEPS_MAX = 60;
/** Every order has ended by this time. */
const HEALED_STEPS_MAX = 2_000;
const REFUSALS = ['RATE_LIMIT_EXCEEDED', 'INVALID_ORDER', 'INSUFFICIENT_FUNDS', 'EXCHANGE_NOT_AVAILABLE'] as const;

/** Two correlated random walks with a small difference and a varying touch size. */
class Walk {
  readonly #chance: Chance;
  readonly #volatility: number;
  mid = MID;
  basis = 0;

  constructor(chance: Chance) {
    this.#chance = chance;
    this.#volatility = chance.skewed(1, 1_000);
  }

  step(world: PairWorld, isThin: boolean): void {
    const chance = this.#chance;
    this.mid += chance.between(-this.#volatility, this.#volatility);
    this.mid += Math.round((MID - this.mid) / 100);
    this.basis += chance.between(-20, 20);
    for (const index of [0, 1] as const) {
      const depth = isThin && chance.hits(0.3) ? chance.between(0, 50) : chance.skewed(50, 5_000_000);
      world.quote(index, this.mid + (index === 0 ? 0 : this.basis), chance.skewed(1, 200), depth);
    }
  }
}

/** Runs one pair with markets and faults of the seed, and checks its result. Throws the first violation. */
export function tryPair(seed: number): PairVerdict {
  const chance = new Chance(seed);
  const instruments = trialInstruments(chance);
  const order = trialPair(chance, instruments);
  const world = new PairWorld(order, instruments);
  const walk = new Walk(chance);
  const isFaulty = chance.hits(0.7);
  // The order is acknowledged: it must survive every fault from here on.
  walk.step(world, false);
  world.exchange();
  for (let step = chance.between(10, STEPS_MAX); step > 0 && !isOver(world); step -= 1) {
    world.pass(chance.skewed(10, 5_000));
    // Sometimes a market sends no update and becomes stale.
    if (!isFaulty || chance.hits(0.85)) walk.step(world, isFaulty);
    if (chance.hits(0.3)) world.sites[0].venue.fillResting(chance.skewed(1, 100_000));
    if (isFaulty && chance.hits(0.3)) strike(world, walk, chance);
    if (chance.hits(0.04)) amend(world, chance, instruments);
    world.exchange(chance.hits(0.2));
  }
  heal(world, walk, chance);
  return judge(world, instruments);
}

function amend(world: PairWorld, chance: Chance, instruments: readonly [Instrument, Instrument]): void {
  const { state } = world;
  if (state === null || isTerminal(state.status)) return;
  const { order, amendment } = state;
  const terms = otherTerms(chance, amendment ?? order, world.nowMs);
  if (isTradable(terms, instruments)) world.amend({ ...terms, revision: order.revision + 1 });
}

function strike(world: PairWorld, walk: Walk, chance: Chance): void {
  const index = chance.pick([0, 1] as const);
  const { venue } = world.sites[index];
  switch (chance.between(1, 9)) {
    case 1:
      return void (venue.refusal = rejectionOf(chance.pick(REFUSALS)));
    case 2:
    case 3:
      return void (venue.refusal = null);
    case 4:
      return world.link(index, false);
    case 5:
      return world.link(index, true);
    case 6:
      return world.restart();
    case 7:
      // A crossed market.
      return world.quote(index, walk.mid, -chance.between(1, 50), 0);
    case 8:
      return world.ask(chance.pick(['PauseParent', 'ResumeParent', 'ResumeParent'] as const));
    default:
      return chance.hits(0.2) ? world.ask('CancelParent') : undefined;
  }
}

/** Runs the order to its end with healthy venues. Resumes a paused order and cancels an order without an end. */
function heal(world: PairWorld, walk: Walk, chance: Chance): void {
  for (const index of [0, 1] as const) {
    world.sites[index].venue.refusal = null;
    world.link(index, true);
  }
  for (let step = 0; step < HEALED_STEPS_MAX && !isOver(world); step += 1) {
    if (step === 0 && world.state?.status === 'PAUSED') world.ask('ResumeParent');
    if (step === 200) world.ask('CancelParent');
    world.pass(chance.between(100, 1_000));
    walk.step(world, false);
    world.exchange();
  }
}

function isOver(world: PairWorld): boolean {
  const { state } = world;
  return state !== null && isTerminal(state.status);
}
