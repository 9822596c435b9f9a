import type { Fill } from '../../../src/domain/event.js';
import type { AccountId, ChildNumber, OrderId, VenueOrderId } from '../../../src/domain/ids.js';
import type { InstrumentIndex } from '../../../src/domain/instrument.js';
import { type Amount, type Lots, type Ticks, ZERO_LOTS } from '../../../src/domain/quantity.js';
import type { DurationMs, EpochMs } from '../../../src/domain/time.js';
import { tradeIdsOf } from '../../../src/domain/trade-id.js';
import type { ChildSubmission, ChildTarget } from '../../../src/domain/venue-message.js';
import type {
  Answer,
  CancelAnswer,
  OrderClient,
  LookUpAnswer,
  OpenOrder,
  OrderUpdate,
  PlaceAnswer,
  ReportedFill,
  ReportedOrder,
  SendingRules,
} from '../../../src/venue/live/exchange-client.js';
import { EXECUTION_MS_MAX } from '../../../src/venue/live/fence.js';

export const RULES: SendingRules = {
  expiryMs: 2_000 as DurationMs,
  executionMsMax: EXECUTION_MS_MAX,
  marginMs: 500 as DurationMs,
  clockErrorMs: () => 0,
  orderHistoryMs: 86_400_000 as DurationMs,
};

/** Chances of faults, each in [0, 1]. */
export interface Weather {
  /** A request never arrives. */
  readonly requestLost: number;
  /** A request arrives late: often after its expiry. */
  readonly requestLate: number;
  /** A request that arrives in time waits for the matching engine. Its answer says nothing. */
  readonly executedLate: number;
  /** The shortest and the longest such wait. */
  readonly engineMsMin: number;
  readonly engineMs: number;
  /** How long after its placement look-ups and lists do not show an order that the service has not seen. */
  readonly hiddenMs: number;
  readonly answerLost: number;
  readonly answerLate: number;
  /** The answer says nothing although the request was carried out or not. */
  readonly answerBlank: number;
  /** An update of the stream is lost although the connection stays. */
  readonly updateLost: number;
  readonly updateTwice: number;
  readonly updateLate: number;
  /** A look-up or a list shows the past. */
  readonly stale: number;
  /** A look-up denies an order. */
  readonly denied: number;
}

export const FAULTLESS: Weather = {
  requestLost: 0,
  requestLate: 0,
  executedLate: 0,
  engineMsMin: 0,
  engineMs: 0,
  hiddenMs: 0,
  answerLost: 0,
  answerLate: 0,
  answerBlank: 0,
  updateLost: 0,
  updateTwice: 0,
  updateLate: 0,
  stale: 0,
  denied: 0,
};

const REQUEST_TIMEOUT_MS = 5_000;
/** How far answers may show the past; less than the margin of the rules. */
export const STALE_MS = 400;

/** An order in the ledger of the exchange, with its whole past. */
export interface LedgerOrder {
  readonly name: string;
  readonly submission: ChildSubmission;
  readonly venueOrderId: VenueOrderId;
  readonly placedAtMs: number;
  readonly fills: ReportedFill[];
  endedAtMs: number;
  state: ReportedOrder['state'];
}

/**
 * An exchange whose ledger is exact, behind a line that loses, delays, repeats and reorders. Time and chance are
 * arguments.
 */
export class LossyExchange implements OrderClient {
  readonly ledger = new Map<string, LedgerOrder>();
  /** Orders that the service has seen. Only these are denied: a denial of another one would be believed. */
  readonly shown = new Set<string>();
  /** Client ids in the order in which the service sent them. */
  readonly sent: string[] = [];
  /** Orders that look-ups and lists deny, each until a time; Infinity: for ever. */
  readonly deniedUntilMs = new Map<string, number>();
  weather: Weather = FAULTLESS;
  /** Receives updates while it is connected. */
  onUpdate: ((update: OrderUpdate) => void) | null = null;
  readonly #chance: () => number;
  readonly #later: (afterMs: number, run: () => void) => void;
  readonly #nowMs: () => EpochMs;
  #ids = 0;

  constructor(chance: () => number, nowMs: () => EpochMs, later: (afterMs: number, run: () => void) => void) {
    this.#chance = chance;
    this.#nowMs = nowMs;
    this.#later = later;
  }

  place(submission: ChildSubmission, expiresAtMs: EpochMs, answer: Answer<PlaceAnswer>): void {
    const name = nameOf(submission);
    this.sent.push(name);
    this.#request<PlaceAnswer>(answer, { kind: 'unknown' }, () => {
      if (this.#nowMs() > expiresAtMs) return { kind: 'refused', rejection: refusal('the request has expired') };
      const known = this.ledger.get(name);
      if (known !== undefined) return { kind: 'unknown' };
      if (this.#chance() < 0.05) return { kind: 'refused', rejection: refusal('insufficient funds') };
      if (this.#chance() < this.weather.executedLate) {
        const { engineMsMin, engineMs } = this.weather;
        const waitMs = engineMsMin + this.#chance() * (engineMs - engineMsMin);
        this.#later(waitMs, () => void this.#book(name, submission));
        return { kind: 'unknown' };
      }
      const order = this.#book(name, submission);
      return { kind: 'placed', venueOrderId: order.venueOrderId, atMs: this.#nowMs() };
    });
  }

  cancel(target: ChildTarget, answer: Answer<CancelAnswer>): void {
    this.#request<CancelAnswer>(answer, { kind: 'unknown' }, () => {
      const order = this.ledger.get(nameOf(target));
      if (order === undefined || order.state !== 'OPEN' || this.#isLost(order.name))
        return { kind: 'refused', rejection: refusal('unknown order') };
      this.#end(order, 'CANCELLED');
      return { kind: 'cancelled', order: this.#chance() < 0.5 ? seen(order, Infinity) : null };
    });
  }

  lookInLists(target: ChildTarget, answer: Answer<LookUpAnswer>): void {
    this.lookUp(target, answer);
  }

  lookUp(target: ChildTarget, answer: Answer<LookUpAnswer>): void {
    this.#request<LookUpAnswer>(answer, { kind: 'unknown' }, () => {
      const untilMs = this.#shownUntilMs();
      const order = this.ledger.get(nameOf(target));
      if (order === undefined || order.placedAtMs > untilMs || this.#isHidden(order)) return { kind: 'absent' };
      if (this.shown.has(order.name) && this.#chance() < this.weather.denied) return { kind: 'absent' };
      // The list of trades may be older than the order.
      return { kind: 'found', order: seen(order, untilMs), fills: fillsUntil(order, this.#shownUntilMs()) };
    });
  }

  openOrders(answer: Answer<readonly OpenOrder[] | null>): void {
    this.#request<readonly OpenOrder[] | null>(answer, null, () => {
      const untilMs = this.#shownUntilMs();
      const orders = [...this.ledger.values()].filter(
        (order) => order.placedAtMs <= untilMs && order.endedAtMs > untilMs && !this.#isHidden(order),
      );
      return orders.map((order) => ({ child: order.submission, order: seen(order, untilMs) }));
    });
  }

  /** Fills a part of an open order. */
  trade(order: LedgerOrder, share: number): void {
    if (order.state !== 'OPEN') return;
    const left = order.submission.quantity - filledOf(order, Infinity);
    const quantity = Math.max(1, Math.min(left, Math.ceil(order.submission.quantity * share))) as Lots;
    const fill: Fill = {
      ...tradeIdsOf(this.#chance() < 0.5 ? String(++this.#ids) : `uuid-${++this.#ids}`),
      venueOrderId: order.venueOrderId,
      quantity,
      price: 100 as Ticks,
      liquidity: 'MAKER',
      fee: 1n as Amount,
      feeCurrency: 'USDT',
    };
    const traded = { fill, atMs: this.#nowMs() };
    order.fills.push(traded);
    if (quantity === left) this.#end(order, 'FILLED', traded);
    else this.#tell(order, traded);
  }

  open(): LedgerOrder[] {
    return [...this.ledger.values()].filter(({ state, name }) => state === 'OPEN' && !this.#isLost(name));
  }

  /** Denies an order that the service has seen, also in lists, for a time. */
  deny(name: string, ms: number): void {
    if (this.shown.has(name)) this.deniedUntilMs.set(name, this.#nowMs() + ms);
  }

  /** Loses all orders: the exchange never shows or fills them again. */
  wipe(): void {
    for (const name of this.ledger.keys()) this.deniedUntilMs.set(name, Infinity);
  }

  #isLost(name: string): boolean {
    return this.deniedUntilMs.get(name) === Infinity;
  }

  #isHidden({ name, placedAtMs }: LedgerOrder): boolean {
    if ((this.deniedUntilMs.get(name) ?? 0) > this.#nowMs()) return true;
    return !this.shown.has(name) && this.#nowMs() - placedAtMs < this.weather.hiddenMs;
  }

  #book(name: string, submission: ChildSubmission): LedgerOrder {
    const venueOrderId = `v${++this.#ids}` as VenueOrderId;
    const placedAtMs = this.#nowMs();
    const order: LedgerOrder = {
      name,
      submission,
      venueOrderId,
      placedAtMs,
      fills: [],
      endedAtMs: Infinity,
      state: 'OPEN',
    };
    this.ledger.set(name, order);
    this.#tell(order, null);
    return order;
  }

  #end(order: LedgerOrder, state: 'FILLED' | 'CANCELLED', fill: ReportedFill | null = null): void {
    order.state = state;
    order.endedAtMs = this.#nowMs();
    this.#tell(order, fill);
  }

  #tell(order: LedgerOrder, fill: ReportedFill | null): void {
    const update: OrderUpdate = { child: order.submission, order: seen(order, Infinity), fill };
    const times = this.#chance() < this.weather.updateTwice ? 2 : 1;
    for (let time = 0; time < times; time += 1) {
      if (this.#chance() < this.weather.updateLost) continue;
      const delayMs = this.#chance() < this.weather.updateLate ? this.#chance() * 1_500 : this.#chance() * 5;
      const receiver = this.onUpdate;
      // A cut connection delivers nothing more, also not what is on its way.
      this.#later(delayMs, () => {
        if (receiver !== null && receiver === this.onUpdate) receiver(update);
      });
    }
  }

  #shownUntilMs(): number {
    return this.#chance() < this.weather.stale ? this.#nowMs() - this.#chance() * STALE_MS : this.#nowMs();
  }

  #request<Outcome>(answer: Answer<Outcome>, unknown: Outcome, carryOut: () => Outcome): void {
    let isAnswered = false;
    const settle = (outcome: Outcome): void => {
      if (isAnswered) return;
      isAnswered = true;
      answer(outcome, this.#nowMs());
    };
    this.#later(REQUEST_TIMEOUT_MS, () => settle(unknown));
    const { weather } = this;
    if (this.#chance() < weather.requestLost) return;
    const outMs = this.#chance() < weather.requestLate ? this.#chance() * 4_000 : this.#chance() * 5;
    this.#later(outMs, () => {
      const outcome = carryOut();
      if (this.#chance() < weather.answerLost) return;
      const said = this.#chance() < weather.answerBlank ? unknown : outcome;
      const backMs = this.#chance() < weather.answerLate ? this.#chance() * 3_000 : this.#chance() * 5;
      this.#later(backMs, () => settle(said));
    });
  }
}

function refusal(message: string) {
  return { code: 'INVALID_ORDER', message } as const;
}

export function nameOf({ orderId, child }: { readonly orderId: OrderId; readonly child: ChildNumber }): string {
  return `${orderId}-${child}`;
}

export function filledOf({ fills }: LedgerOrder, untilMs: number): Lots {
  let filled: number = ZERO_LOTS;
  for (const { fill, atMs } of fills) if (atMs <= untilMs) filled += fill.quantity;
  return filled as Lots;
}

function fillsUntil({ fills }: LedgerOrder, untilMs: number): ReportedFill[] {
  return fills.filter(({ atMs }) => atMs <= untilMs);
}

/** The order as it was at an instant. */
function seen(order: LedgerOrder, untilMs: number): ReportedOrder {
  const { venueOrderId, placedAtMs, endedAtMs } = order;
  const state = endedAtMs <= untilMs ? order.state : 'OPEN';
  return { venueOrderId, state, filled: filledOf(order, untilMs), cause: null, atMs: placedAtMs as EpochMs };
}

export function submissionOf(orderId: number, child: number): ChildSubmission {
  return {
    account: 'alice' as AccountId,
    venue: 'BINANCE',
    orderId: orderId as OrderId,
    child: child as ChildNumber,
    instrument: 0 as InstrumentIndex,
    side: 'BUY',
    quantity: 100 as Lots,
    type: 'LIMIT',
    timeInForce: 'GTC',
    limitPrice: 100 as Ticks,
    postOnly: false,
    reduceOnly: false,
    selfTradePrevention: 'NONE',
  };
}
