import { Random } from '../../src/sim/prng.js';

/**
 * What happens to one request or frame.
 *
 * - hold: the request reaches the exchange late, so its timestamp may be too old then.
 * - delay: the answer or the frame leaves late. Later ones may overtake it.
 * - lose: the request is executed and never answered; a frame is dropped.
 * - duplicate: an answer on a socket or a frame is sent twice.
 * - reorder: a frame is sent after the next frame of its socket, or after 50 ms.
 * - fail: an answer that leaves open whether the request was executed; `executed` says whether it was.
 * - late: an order is taken in time, and the matching engine carries it out later. The answer is that of `fail`, or
 *   none.
 * - half: a frame leaves with the first half of its text only.
 * - cut: the connection ends; with `executed` after the request was executed.
 * - maintenance: an HTML page of a load balancer; nothing is executed.
 * - limit: too many requests; nothing is executed.
 * - stale: a look-up or list answers with the orders as they were some time ago.
 * - absent: a look-up does not find orders that were accepted in the last milliseconds.
 * - partial: a list lacks each entry whose number is a multiple of `every`.
 */
export type Fault =
  | { readonly kind: 'hold'; readonly ms: number }
  | { readonly kind: 'delay'; readonly ms: number }
  | { readonly kind: 'lose' }
  | { readonly kind: 'duplicate' }
  | { readonly kind: 'reorder' }
  | { readonly kind: 'half' }
  | {
      readonly kind: 'fail';
      readonly failure: 'unknown' | 'unexpected' | 'timeout' | 'overloaded';
      readonly executed: boolean;
    }
  | { readonly kind: 'late'; readonly ms: number }
  | { readonly kind: 'cut'; readonly executed: boolean }
  | { readonly kind: 'maintenance'; readonly status: 502 | 503 }
  | { readonly kind: 'limit'; readonly status: 429 | 418; readonly retryAfterSeconds: number }
  | { readonly kind: 'stale'; readonly ms: number }
  | { readonly kind: 'absent'; readonly ms: number }
  | { readonly kind: 'partial'; readonly every: number };

/**
 * One rule. `on` names an endpoint or a kind of frame and may contain `*`: `POST /api/v3/order`, `spot order.place`,
 * `spot executionReport`, `futures btcusdt@depth*`. Without `nth` and `chance` the rule applies to every match.
 */
export interface FaultRule {
  readonly on: string;
  readonly fault: Fault;
  /** Applies to this match only, counted from 1. */
  readonly nth?: number;
  /** Applies to each match with this probability. */
  readonly chance?: number;
  /** Applies this number of times at most. */
  readonly times?: number;
}

/** One application of a rule, for the report of a test. */
export interface AppliedFault {
  readonly on: string;
  readonly fault: Fault;
  readonly atMs: number;
}

interface ActiveRule {
  readonly rule: FaultRule;
  readonly pattern: RegExp;
  seen: number;
  applied: number;
}

/** The faults of one loopback exchange. The same seed, rules and sequence of requests give the same faults. */
export class FaultScript {
  readonly applied: AppliedFault[] = [];
  readonly #random: Random;
  #rules: ActiveRule[] = [];

  constructor(seed: string) {
    this.#random = new Random(seed);
  }

  /** Adds a rule. Returns a function that removes it. */
  add(rule: FaultRule): () => void {
    const source = rule.on.split('*').map((part) => part.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`));
    const active = { rule, pattern: new RegExp(`^${source.join('.*')}$`), seen: 0, applied: 0 };
    this.#rules.push(active);
    return () => {
      this.#rules = this.#rules.filter((other) => other !== active);
    };
  }

  clear(): void {
    this.#rules = [];
  }

  /** The faults that apply to this request or frame. */
  take(name: string): readonly Fault[] {
    const faults: Fault[] = [];
    for (const active of this.#rules) {
      if (!active.pattern.test(name) || !this.#applies(active)) continue;
      active.applied += 1;
      faults.push(active.rule.fault);
      this.applied.push({ on: name, fault: active.rule.fault, atMs: Date.now() });
    }
    return faults;
  }

  #applies(active: ActiveRule): boolean {
    const { nth, chance, times } = active.rule;
    active.seen += 1;
    if (times !== undefined && active.applied >= times) return false;
    if (nth !== undefined && active.seen !== nth) return false;
    return chance === undefined || this.#random.uniform() < chance;
  }
}

/** The fault of one kind among those that apply. */
export function faultOf<Kind extends Fault['kind']>(
  faults: readonly Fault[],
  kind: Kind,
): Extract<Fault, { kind: Kind }> | undefined {
  return faults.find((fault): fault is Extract<Fault, { kind: Kind }> => fault.kind === kind);
}

/** How far a request may see: the orders as of a time, none that are younger than another, and lists with gaps. */
export interface View {
  readonly staleMs: number;
  readonly absentMs: number;
  /** Lists lack the entries whose number is a multiple of it; Infinity: none. */
  readonly lackedEvery?: number;
  /** How long the matching engine leaves a new order; 0: not at all. */
  readonly engineMs: number;
}

/** An order waits for the matching engine: its request has no outcome yet. */
export class WaitsForEngine extends Error {
  override readonly name = 'WaitsForEngine';
}

export function viewUnder(faults: readonly Fault[]): View {
  return {
    staleMs: faultOf(faults, 'stale')?.ms ?? 0,
    absentMs: faultOf(faults, 'absent')?.ms ?? 0,
    lackedEvery: faultOf(faults, 'partial')?.every ?? Infinity,
    engineMs: faultOf(faults, 'late')?.ms ?? 0,
  };
}

/** True for an entry that a list shows. */
export function isListed({ lackedEvery = Infinity }: View, number: number): boolean {
  return number % lackedEvery !== 0;
}
