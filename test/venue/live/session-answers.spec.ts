import { describe, expect, it } from 'vitest';
import type { VenueOrderId } from '../../../src/domain/ids.js';
import { type Amount, type Lots, type Ticks } from '../../../src/domain/quantity.js';
import type { EpochMs } from '../../../src/domain/time.js';
import { tradeIdsOf } from '../../../src/domain/trade-id.js';
import type { ExecutionReport } from '../../../src/domain/venue-report.js';
import type {
  Answer,
  CancelAnswer,
  ExchangeLine,
  LookUpAnswer,
  OpenOrder,
  PlaceAnswer,
  SeenFill,
  SeenOrder,
  SendingRules,
} from '../../../src/venue/live/exchange-line.js';
import { OrderSession } from '../../../src/venue/live/order-session.js';
import { targetOf } from '../child-target.js';
import { RULES, submissionOf } from './lossy-exchange.js';

const START_MS = 1_800_000_000_000 as EpochMs;

/** A line whose answers the test gives one by one. */
class ManualLine implements ExchangeLine {
  readonly places: Answer<PlaceAnswer>[] = [];
  readonly cancels: Answer<CancelAnswer>[] = [];
  readonly lookUps: Answer<LookUpAnswer>[] = [];
  readonly lists: Answer<readonly OpenOrder[] | null>[] = [];

  place(_order: unknown, _expiresAtMs: EpochMs, answer: Answer<PlaceAnswer>): void {
    this.places.push(answer);
  }

  cancel(_target: unknown, answer: Answer<CancelAnswer>): void {
    this.cancels.push(answer);
  }

  lookUp(_target: unknown, answer: Answer<LookUpAnswer>): void {
    this.lookUps.push(answer);
  }

  openOrders(answer: Answer<readonly OpenOrder[] | null>): void {
    this.lists.push(answer);
  }
}

class Rig {
  readonly line = new ManualLine();
  readonly reports: ExecutionReport[] = [];
  readonly contradictions: string[] = [];
  readonly session: OrderSession;
  readonly order = submissionOf(1, 1);
  nowMs = START_MS as number;

  constructor(rules: SendingRules = RULES) {
    this.session = new OrderSession({
      account: this.order.account,
      venue: 'BINANCE',
      line: this.line,
      rules,
      startedAtMs: START_MS,
      report: (report) => this.reports.push(report),
      onLink: () => undefined,
      onContradiction: (what) => this.contradictions.push(what),
    });
  }

  linked(): this {
    this.session.onSubscribed();
    this.line.lists.shift()!([], this.nowMs as EpochMs);
    return this;
  }

  submit(): void {
    this.session.handle({ kind: 'Submit', ...this.order }, this.nowMs as EpochMs);
  }

  ask(): void {
    this.session.handle({ kind: 'QueryStatus', ...targetOf(this.order) }, this.nowMs as EpochMs);
  }

  /** Answers the oldest look-up, and passes to the time of the next one. */
  answer(answer: LookUpAnswer): void {
    this.line.lookUps.shift()!(answer, this.nowMs as EpochMs);
    const nextMs = this.session.nextWakeMs();
    if (nextMs === Infinity) return;
    this.nowMs = Math.max(this.nowMs, nextMs);
    this.session.advance(this.nowMs as EpochMs);
  }

  takeKinds(): string[] {
    return this.reports.splice(0).map((report) => report.kind);
  }
}

function order(state: SeenOrder['state'], filled: number): SeenOrder {
  return { venueOrderId: 'v1' as VenueOrderId, state, filled: filled as Lots, cause: null, atMs: START_MS };
}

function fill(id: number, quantity: number): SeenFill {
  return {
    atMs: START_MS,
    fill: {
      ...tradeIdsOf(String(id)),
      venueOrderId: 'v1' as VenueOrderId,
      quantity: quantity as Lots,
      price: 100 as Ticks,
      liquidity: 'TAKER',
      fee: 0n as Amount,
      feeCurrency: 'USDT',
    },
  };
}

describe('an answer to a status request', () => {
  it('waits until the list of trades has every fill that the order shows', () => {
    const rig = new Rig().linked();
    rig.ask();
    rig.answer({ kind: 'found', order: order('CANCELLED', 50), fills: [fill(1, 20)] });
    expect(rig.takeKinds()).toEqual(['Accepted', 'Filled']);
    rig.answer({ kind: 'found', order: order('CANCELLED', 50), fills: [fill(1, 20), fill(2, 30)] });
    expect(rig.takeKinds()).toEqual(['Filled', 'Filled', 'Filled', 'StatusAnswered']);
  });

  it('is not taken from a look-up that shows an ended order as open', () => {
    const rig = new Rig().linked();
    const { orderId, child, instrument } = rig.order;
    rig.session.onUpdate(
      { child: { orderId, child, instrument }, order: order('CANCELLED', 0), fill: null },
      rig.nowMs as EpochMs,
    );
    expect(rig.takeKinds()).toEqual(['Accepted', 'Cancelled']);
    rig.ask();
    rig.answer({ kind: 'found', order: order('OPEN', 0), fills: [] });
    expect(rig.takeKinds()).toEqual([]);
    rig.answer({ kind: 'found', order: order('CANCELLED', 0), fills: [] });
    expect(rig.reports).toMatchObject([{ kind: 'StatusAnswered', answer: { state: 'CANCELLED' } }]);
  });

  it('says that an order is unknown only by a look-up from after the fence', () => {
    const rig = new Rig().linked();
    rig.submit();
    rig.ask();
    rig.answer({ kind: 'absent' });
    expect(rig.nowMs).toBe(START_MS + 2_500);
    expect(rig.takeKinds()).toEqual([]);
    rig.answer({ kind: 'absent' });
    expect(rig.reports).toMatchObject([{ kind: 'StatusAnswered', answer: { state: 'UNKNOWN' } }]);
  });

  it('needs two empty looks after 60 s at an exchange whose requests do not expire', () => {
    const rig = new Rig({ ...RULES, expiryMs: null }).linked();
    rig.submit();
    rig.ask();
    rig.answer({ kind: 'absent' });
    expect(rig.nowMs).toBe(START_MS + 60_500);
    rig.answer({ kind: 'absent' });
    expect(rig.takeKinds()).toEqual([]);
    rig.answer({ kind: 'absent' });
    expect(rig.takeKinds()).toEqual(['StatusAnswered']);
  });

  it('never says that an order is unknown which an earlier process has seen', () => {
    const rig = new Rig().linked();
    const target = targetOf({ ...rig.order, venueOrderId: 'v1' as VenueOrderId });
    rig.session.handle({ kind: 'QueryStatus', ...target }, rig.nowMs as EpochMs);
    for (let look = 0; look < 20; look += 1) rig.answer({ kind: 'absent' });
    expect(rig.takeKinds()).toEqual([]);
    expect(rig.contradictions).toEqual(['an order is denied']);
    expect(rig.nowMs).toBeLessThan(START_MS + 100_000);
  });

  it('repeats a definite refusal without a look-up', () => {
    const rig = new Rig().linked();
    rig.submit();
    const rejection = { code: 'INSUFFICIENT_FUNDS', message: 'no funds' } as const;
    rig.line.places[0]!({ kind: 'refused', rejection }, START_MS);
    rig.ask();
    expect(rig.line.lookUps).toEqual([]);
    expect(rig.reports).toMatchObject([
      { kind: 'Rejected', rejection },
      { kind: 'StatusAnswered', answer: { state: 'REJECTED', rejection } },
    ]);
  });
});

describe('a placement', () => {
  it('is refused without sending before the account is caught up', () => {
    const rig = new Rig();
    rig.session.onSubscribed();
    rig.submit();
    expect(rig.line.places).toEqual([]);
    expect(rig.reports).toMatchObject([{ kind: 'Rejected', rejection: { code: 'EXCHANGE_NOT_AVAILABLE' } }]);
  });

  it('is sent once: the second request for a client id asks for the first', () => {
    const rig = new Rig().linked();
    rig.submit();
    rig.submit();
    expect(rig.line.places).toHaveLength(1);
    expect(rig.line.lookUps).toHaveLength(1);
    expect(rig.contradictions).toEqual(['a client id was sent again']);
  });

  it('is accepted once by its answer and its update, in either order', () => {
    const rig = new Rig().linked();
    rig.submit();
    const { orderId, child, instrument } = rig.order;
    rig.session.onUpdate({ child: { orderId, child, instrument }, order: order('OPEN', 0), fill: null }, START_MS);
    rig.line.places[0]!({ kind: 'placed', venueOrderId: 'v1' as VenueOrderId, atMs: START_MS }, START_MS);
    expect(rig.takeKinds()).toEqual(['Accepted']);
  });
});
