import type { ParentOrder, StrategyName } from '../../src/domain/order.js';
import { assert } from '../../src/domain/rejection.js';
import type { Strategy } from '../../src/strategy/strategy.js';
import { strategyFor } from '../../src/strategy/registry.js';
import { OrderRig } from '../order/order-rig.js';
import { marketOf, rejectionOf, START_MS } from '../order/orders.js';
import { Chance } from '../simulation/chance.js';
import { ChangingClient } from './trial-client.js';
import { check } from './trial-verdict.js';
import { TrialMarket, trialProfile } from './trial-market.js';
import { INSTRUMENTS, trialOrder } from './trial-orders.js';

const HAPPENINGS_MAX = 60;
/** By this time every order with an end time has reached it. */
const OVER_MS = START_MS + 2_000_000;
const REFUSALS = ['RATE_LIMIT_EXCEEDED', 'INVALID_ORDER', 'EXCHANGE_NOT_AVAILABLE', 'INSUFFICIENT_FUNDS'] as const;

/**
 * Works one order in a market and among faults that the seed draws, then checks its journal. Unless `isPatient`, a
 * client also pauses, resumes and amends it. Throws the first violation.
 */
export function tryOrder(strategyName: StrategyName, seed: number, isPatient = seed % 2 === 0): OrderRig {
  const chance = new Chance(seed);
  const listed = chance.pick(INSTRUMENTS);
  // Styles behave differently where making is not cheaper than taking.
  const instrument = seed % 3 === 0 ? { ...listed, makerFeePpm: listed.takerFeePpm } : listed;
  const order = trialOrder(chance, strategyName, instrument);
  const market = new TrialMarket(chance);
  const rig = new OrderRig(order, offered, instrument);
  rig.profile = trialProfile(chance);
  rig.depth = market.depth;
  rig.venue.move(market.next(START_MS, 0), chance.skewed(10, 10_000));
  // Not both: a late fill that a restart loses is not queried again.
  const faults = chance.hits(0.5) ? new Faults(chance, 'LATE_FILLS') : new Faults(chance, 'RESTARTS');
  const client = isPatient ? null : new ChangingClient(new Chance(-seed));
  rig.look();
  for (let count = chance.between(5, HAPPENINGS_MAX); count > 0; count -= 1) {
    happen(rig, market, chance, faults);
    client?.act(rig);
  }
  end(rig, market);
  check(rig, instrument);
  return rig;
}

function offered(order: ParentOrder): Strategy {
  const strategy = strategyFor(order);
  assert(strategy !== null, `${order.legs[0].strategy} is offered`);
  return strategy;
}

function happen(rig: OrderRig, market: TrialMarket, chance: Chance, faults: Faults): void {
  const dice = chance.between(1, 100);
  if (dice <= 40) rig.onMarket(market.next(rig.nowMs, rig.state.legs[0].progress.filled), chance.skewed(1, 10_000));
  else if (dice <= 60) rig.passUntil(rig.nowMs + chance.skewed(1, 60_000));
  else if (dice <= 70) rig.venue.fillResting(chance.skewed(1, 1_000));
  else if (dice <= 75) rig.send();
  else if (dice <= 80) void rig.take();
  else if (dice <= 85) rig.exchange();
  else faults.strike(rig);
}

/** Restores the venue and passes time until the order ends. Cancels an order without end time. */
function end(rig: OrderRig, market: TrialMarket): void {
  rig.venue.refusal = null;
  rig.regainVenue();
  rig.onMarket(market.next(rig.nowMs, rig.state.legs[0].progress.filled));
  rig.passUntil(OVER_MS);
  if (!rig.isOver) rig.cancel();
  rig.exchange();
}

/** Faults between an order and its venue. */
class Faults {
  readonly #chance: Chance;
  readonly #kind: 'LATE_FILLS' | 'RESTARTS';

  constructor(chance: Chance, kind: 'LATE_FILLS' | 'RESTARTS') {
    this.#chance = chance;
    this.#kind = kind;
  }

  strike(rig: OrderRig): void {
    const chance = this.#chance;
    switch (chance.between(1, 9)) {
      case 1:
        return rig.onMarket(marketOf(chance.hits(0.5) ? { ask: 0 } : { bid: 0 }));
      case 2:
        return void (rig.venue.refusal = rejectionOf(chance.pick(REFUSALS)));
      case 3:
        return void (rig.venue.refusal = null);
      case 4:
        return this.#repeat(rig);
      case 5:
        return rig.loseVenue();
      case 6:
        return rig.regainVenue();
      case 7:
        return rig.venue.drop(rejectionOf('EXCHANGE_ERROR'), this.#kind === 'LATE_FILLS' ? chance.between(0, 99) : 0);
      case 8:
        return this.#kind === 'RESTARTS' ? rig.restart() : rig.regainVenue();
      default:
        return chance.hits(0.1) ? rig.cancel() : undefined;
    }
  }

  /** Repeats a report. */
  #repeat({ venue: { reports } }: OrderRig): void {
    const [first] = reports;
    if (first !== undefined) reports.push(first);
  }
}
