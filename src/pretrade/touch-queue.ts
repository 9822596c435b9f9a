/** The queue that a resting order joins at the near touch. Quantities in lots. */
export interface TouchQueue {
  /** Lots at the touch now. */
  readonly shown: number;
  /** Lots at a new touch, after this one has moved. */
  readonly usual: number;
  /** Lots that trade at the order's side, per ms; more than 0. */
  readonly perMs: number;
  /** Moves of the touch away from the order, per ms. */
  readonly movesPerMs: number;
  /** Moves of the price through the order's level, per ms: they fill it before its turn in the queue. */
  readonly throughPerMs: number;
}

/** Rates of the two phases of a rest, per ms. */
interface Rates {
  /** Fills in the first queue. */
  readonly first: number;
  /** Fills after the touch has moved and the order has followed it. */
  readonly later: number;
  readonly move: number;
}

/**
 * Returns the probability that an order which follows the touch is filled within a time. The queue in front of it and
 * itself trade at a rate of 1 ÷ their mean time, (queue + size / 2) ÷ volume: queues deplete at such rates in Cont and
 * de Larrard, "Price dynamics in a Markovian limit order market" (2013). A move of the price through the level fills it
 * too: rates of competing risks add. When the touch moves away first, the order is the last in another queue. So the
 * time has two exponential phases (a Coxian distribution: Cox, "A use of complex probabilities", 1955):
 *
 *     1 − e^(−(a+m)t) − m·(e^(−bt) − e^(−(a+m)t)) ÷ (a + m − b)
 *
 * with the rates a of fills in the first queue, m of moves away, and b of fills in a later queue.
 */
export function fillProbability(queue: TouchQueue, size: number, waitMs: number): number {
  if (waitMs <= 0) return 0;
  const { first, later, move } = ratesOf(queue, size);
  const leaving = first + move;
  const stayed = Math.exp(-leaving * waitMs);
  // (e^(−bt) − e^(−ct)) ÷ (c − b) with the smaller rate in front, so that no power overflows; also for c near b.
  const apart = Math.abs(leaving - later);
  const between = apart * waitMs < 1e-9 ? waitMs : -Math.expm1(-apart * waitMs) / apart;
  const followed = Math.exp(-Math.min(leaving, later) * waitMs) * between;
  return Math.max(0, Math.min(1, 1 - stayed - move * followed));
}

/** Returns the mean time to a fill, in ms: the mean of the same distribution, 1 ÷ (a + m) + m ÷ (a + m) ÷ b. */
export function meanFillMs(queue: TouchQueue, size: number): number {
  const { first, later, move } = ratesOf(queue, size);
  return (1 + move / later) / (first + move);
}

function ratesOf({ shown, usual, perMs, movesPerMs, throughPerMs }: TouchQueue, size: number): Rates {
  return {
    first: perMs / (shown + size / 2) + throughPerMs,
    later: perMs / (usual + size / 2) + throughPerMs,
    move: movesPerMs,
  };
}

/**
 * Returns the filled share of a quantity that comes due evenly and rests, when fills take all that rests and arrive at
 * a constant rate, and all that rests is taken from the book once it has come due over `patience` mean times between
 * fills. A renewal of either event: E[maker] ÷ E[quantity] = 1 − p ÷ (e^p − 1). (Renewal reward theorem; Ross,
 * "Stochastic Processes", 1996, 3.6.)
 */
export function shareBeforeCrossing(patience: number): number {
  if (patience <= 0) return 0;
  if (patience > PATIENCE_MAX) return 1;
  return patience < 1e-6 ? patience / 2 : 1 - patience / Math.expm1(patience);
}

/** Beyond it, the share that is taken is below the precision of a number. */
const PATIENCE_MAX = 700;

/** Most clips that are counted one by one. Of more, the mean count is exact enough. */
const CLIPS_COUNTED_MAX = 500;

/**
 * Returns the expected filled part of `clips` of which one rests at a time, when fills arrive at a constant rate and
 * `fills` are expected in the time: E[min(N, X)] ÷ N for a Poisson X. `clips` need not be whole.
 */
export function clipsFilled(clips: number, fills: number): number {
  if (clips > CLIPS_COUNTED_MAX || fills > CLIPS_COUNTED_MAX) return Math.min(1, fills / clips);
  let probability = Math.exp(-fills);
  let missing = 0;
  for (let count = 0; count < clips; count += 1) {
    missing += probability * (clips - count);
    probability *= fills / (count + 1);
  }
  return Math.max(0, 1 - missing / clips);
}
