import type { Fault, FaultRule } from '../../loopback/faults.js';
import type { Random } from '../random.js';

/** Names of an exchange's requests and frames for fault rules, by what they are for. */
export interface FaultNames {
  readonly place: readonly string[];
  readonly cancel: readonly string[];
  /** Look-ups of orders, lists of orders and trades, balances, positions. */
  readonly read: readonly string[];
  /** Subscriptions of private streams, listen keys, logons. */
  readonly session: readonly string[];
  /** Frames about orders and fills. */
  readonly orderFrame: readonly string[];
  /** Frames about balances and positions. */
  readonly walletFrame: readonly string[];
  readonly marketFrame: readonly string[];
  /** Public requests. */
  readonly open: readonly string[];
  /**
   * Statuses of refusals for the rate that end after their time, the hardest last. Bybit bans for ten minutes: it has
   * 429 only.
   */
  readonly limitStatuses: readonly (429 | 418)[];
}

/**
 * Faults of answers about the past. Together with the steps of the clock they stay below the margin of 500 ms that the
 * service adds to the expiry of a request: an exchange with older answers needs a larger margin.
 */
const PAST_MS_MAX = 250;
/** Requests may arrive after their receive window of 2 s. */
const HOLD_MS_MAX = 4_000;
/** A late order arrives within its receive window. Until then the exchange answers that it does not know the order. */
const LATE_MS_MIN = 1_300;
const LATE_MS_MAX = 1_900;
/**
 * How long a matching engine may leave an order that it was given in time: well above the 10 s that Binance waits for
 * it.
 */
const ENGINE_MS_MAX = 25_000;
const ANSWER_DELAY_MS_MAX = 3_000;
const FRAME_DELAY_MS_MAX = 1_500;
/** Chance of a kind of fault to be part of a storm. */
const PART = 0.4;

type Place = Exclude<keyof FaultNames, 'limitStatuses'>;

interface Kind {
  readonly on: Place;
  readonly chance: number;
  readonly fault: (random: Random, names: FaultNames) => Fault;
}

const hold = (random: Random): Fault => ({ kind: 'hold', ms: 100 + random.below(HOLD_MS_MAX) });
const late = (random: Random): Fault => ({ kind: 'hold', ms: lateMs(random) });
const atEngine = (random: Random): Fault => ({ kind: 'late', ms: 500 + random.below(ENGINE_MS_MAX) });
const delayed =
  (ms: number) =>
  (random: Random): Fault => ({ kind: 'delay', ms: 20 + random.below(ms) });
const lose = (): Fault => ({ kind: 'lose' });
const duplicate = (): Fault => ({ kind: 'duplicate' });
const reorder = (): Fault => ({ kind: 'reorder' });
const half = (): Fault => ({ kind: 'half' });
/** The request is carried out, and the answer leaves that open. */
const failAfter = (random: Random): Fault => {
  return { kind: 'fail', failure: random.pick(['unknown', 'unexpected', 'timeout'] as const), executed: true };
};
/** An exchange that says that it is overloaded has executed nothing: its other failures leave that open. */
const failBefore = (random: Random): Fault => {
  return {
    kind: 'fail',
    failure: random.pick(['unknown', 'unexpected', 'timeout', 'overloaded'] as const),
    executed: false,
  };
};
const cut = (random: Random): Fault => ({ kind: 'cut', executed: random.next() < 0.5 });
const maintenance = (random: Random): Fault => ({ kind: 'maintenance', status: random.pick([502, 503] as const) });
const limit = (random: Random, { limitStatuses }: FaultNames): Fault => ({
  kind: 'limit',
  status: random.pick(limitStatuses),
  retryAfterSeconds: 1 + random.below(2),
});
const stale = (random: Random): Fault => ({ kind: 'stale', ms: 20 + random.below(PAST_MS_MAX) });
const partial = (random: Random): Fault => ({ kind: 'partial', every: 2 + random.below(3) });
const absent = (random: Random): Fault => ({ kind: 'absent', ms: 20 + random.below(PAST_MS_MAX) });

function kinds(on: Place, chance: number, faults: readonly Kind['fault'][]): readonly Kind[] {
  return faults.map((fault) => ({ on, chance, fault }));
}

/** An answer may be lost in every way; a look-up also shows the past; a frame is lost only together with
 * its socket, or when it is no JSON. */
const KINDS: readonly Kind[] = [
  ...kinds('place', 0.08, [hold, delayed(ANSWER_DELAY_MS_MAX), duplicate, failBefore, cut, maintenance]),
  ...kinds('place', 0.2, [lose, failAfter, failAfter]),
  ...kinds('place', 0.15, [late, late]),
  ...kinds('place', 0.1, [atEngine]),
  ...kinds('place', 0.02, [limit]),
  ...kinds('cancel', 0.1, [hold, delayed(ANSWER_DELAY_MS_MAX), lose, failAfter, failBefore, cut, maintenance]),
  ...kinds('read', 0.08, [
    hold,
    delayed(ANSWER_DELAY_MS_MAX),
    lose,
    failBefore,
    cut,
    maintenance,
    stale,
    partial,
    absent,
  ]),
  ...kinds('read', 0.02, [limit]),
  ...kinds('session', 0.15, [hold, delayed(ANSWER_DELAY_MS_MAX), lose, failBefore, cut]),
  ...kinds('orderFrame', 0.1, [delayed(FRAME_DELAY_MS_MAX), duplicate, duplicate, reorder]),
  ...kinds('orderFrame', 0.02, [cut, half]),
  ...kinds('walletFrame', 0.1, [delayed(FRAME_DELAY_MS_MAX), duplicate, reorder]),
  ...kinds('marketFrame', 0.02, [delayed(FRAME_DELAY_MS_MAX), duplicate, reorder]),
  ...kinds('marketFrame', 0.001, [cut]),
  ...kinds('open', 0.1, [delayed(ANSWER_DELAY_MS_MAX), lose, failBefore, maintenance]),
];

/** How late a late order arrives. */
export function lateMs(random: Random): number {
  return LATE_MS_MIN + random.below(LATE_MS_MAX - LATE_MS_MIN);
}

/** The fault rules of one storm: a part of all kinds. */
export function drawStorm(names: FaultNames, random: Random): readonly FaultRule[] {
  const drawn = KINDS.filter(() => random.next() < PART);
  return drawn.flatMap(({ on, chance, fault }) => {
    const one = fault(random, names);
    return names[on].map((name): FaultRule => ({ on: name, fault: one, chance }));
  });
}
