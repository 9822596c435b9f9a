import { describe, expect, it } from 'vitest';
import type { VenueOrderId } from '../../../src/domain/ids.js';
import { CATCH_UP_FAILURES_MAX, CLOCK_ERROR_MS_MAX, DENIED_MS_MAX } from '../../../src/domain/limits/live.js';
import { type Amount, type Lots, type Ticks } from '../../../src/domain/quantity.js';
import type { DurationMs, EpochMs } from '../../../src/domain/time.js';
import { tradeIdsOf } from '../../../src/domain/trade-id.js';
import type { ExecutionReport } from '../../../src/domain/venue-report.js';
import type {
  Answer,
  CancelAnswer,
  OrderClient,
  LookUpAnswer,
  OpenOrder,
  PlaceAnswer,
  ReportedFill,
  ReportedOrder,
  SendingRules,
} from '../../../src/venue/live/exchange-client.js';
import { OrderSession } from '../../../src/venue/live/order-session.js';
import type { ChildTarget } from '../../../src/domain/venue-message.js';
import { targetOf } from '../child-target.js';
import { RULES, submissionOf } from './lossy-exchange.js';

const START_MS = 1_800_000_000_000 as EpochMs;

/** A client whose answers the test gives one by one. */
class ManualClient implements OrderClient {
  readonly places: Answer<PlaceAnswer>[] = [];
  readonly cancels: Answer<CancelAnswer>[] = [];
  readonly lookUps: Answer<LookUpAnswer>[] = [];
  readonly listLooks: Answer<LookUpAnswer>[] = [];
  readonly lists: Answer<readonly OpenOrder[] | null>[] = [];
  /** Times of submission that the look-ups stated. */
  readonly submittedAtMs: number[] = [];

  place(_order: unknown, _expiresAtMs: EpochMs, answer: Answer<PlaceAnswer>): void {
    this.places.push(answer);
  }

  cancel(_target: unknown, answer: Answer<CancelAnswer>): void {
    this.cancels.push(answer);
  }

  lookUp({ submittedAtMs }: ChildTarget, answer: Answer<LookUpAnswer>): void {
    this.submittedAtMs.push(submittedAtMs);
    this.lookUps.push(answer);
  }

  lookInLists(_target: unknown, answer: Answer<LookUpAnswer>): void {
    this.listLooks.push(answer);
  }

  openOrders(answer: Answer<readonly OpenOrder[] | null>): void {
    this.lists.push(answer);
  }
}

class Rig {
  readonly client = new ManualClient();
  readonly reports: ExecutionReport[] = [];
  readonly contradictions: string[] = [];
  readonly links: boolean[] = [];
  readonly session: OrderSession;
  readonly order = submissionOf(1, 1);
  nowMs = START_MS as number;
  /** Answered looks in the lists. */
  listLooks = 0;

  constructor(rules: SendingRules = RULES) {
    this.session = new OrderSession({
      account: this.order.account,
      venue: 'BINANCE',
      client: this.client,
      rules,
      startedAtMs: START_MS,
      report: (report) => this.reports.push(report),
      onLink: (isUp) => this.links.push(isUp),
      onContradiction: (what) => this.contradictions.push(what),
    });
  }

  linked(): this {
    this.session.onSubscribed();
    this.client.lists.shift()!([], this.nowMs as EpochMs);
    return this;
  }

  /** Cuts the stream and opens it again; the list of open orders is empty. */
  reconnect(): void {
    this.session.onCut(this.nowMs as EpochMs);
    this.links.length = 0;
    this.linked();
  }

  submit(): void {
    this.session.handle({ kind: 'Submit', ...this.order }, this.nowMs as EpochMs);
  }

  ask(): void {
    this.session.handle({ kind: 'QueryStatus', ...targetOf(this.order) }, this.nowMs as EpochMs);
  }

  /** Answers the oldest look-up, and its look in the lists alike. */
  reply(answer: LookUpAnswer): void {
    this.client.lookUps.shift()!(answer, this.nowMs as EpochMs);
    const look = this.client.listLooks.shift();
    if (look !== undefined) {
      this.listLooks += 1;
      look(answer, this.nowMs as EpochMs);
    }
  }

  /** Replies, and passes to the time of the next look-up. */
  answer(answer: LookUpAnswer): void {
    this.reply(answer);
    const nextMs = this.session.nextWakeMs();
    if (nextMs === Infinity) return;
    this.nowMs = Math.max(this.nowMs, nextMs);
    this.session.advance(this.nowMs as EpochMs);
  }

  /** Fails the next lists of open orders, and returns the wait after each. */
  failedLists(count: number): number[] {
    return Array.from({ length: count }, () => {
      this.client.lists.shift()!(null, this.nowMs as EpochMs);
      const waitMs = this.session.nextWakeMs() - this.nowMs;
      this.nowMs += waitMs;
      this.session.advance(this.nowMs as EpochMs);
      return waitMs;
    });
  }

  takeKinds(): string[] {
    return this.reports.splice(0).map((report) => report.kind);
  }
}

function order(state: ReportedOrder['state'], filled: number): ReportedOrder {
  return { venueOrderId: 'v1' as VenueOrderId, state, filled: filled as Lots, cause: null, atMs: START_MS };
}

function fill(id: number, quantity: number): ReportedFill {
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

/** A child of 100 lots that the exchange states as filled with fewer. */
function shrunk(filled: number, fills: readonly ReportedFill[]): Rig {
  const rig = new Rig().linked();
  rig.submit();
  const { orderId, child, instrument } = rig.order;
  const seen = { orderId, child, instrument };
  for (const each of fills) {
    rig.session.onUpdate({ child: seen, order: order('FILLED', filled), fill: each }, rig.nowMs as EpochMs);
  }
  return rig;
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

  it('is looked for since the submission, also when a list has shown the order with its latest change', () => {
    const rig = new Rig();
    rig.session.onSubscribed();
    const { orderId, child, instrument } = rig.order;
    const listed = { child: { orderId, child, instrument }, order: { ...order('OPEN', 50), atMs: START_MS } };
    rig.client.lists.shift()!([listed], rig.nowMs as EpochMs);
    const submittedAtMs = (START_MS - 5 * 86_400_000) as EpochMs;
    rig.session.handle({ kind: 'QueryStatus', ...targetOf({ ...rig.order, submittedAtMs }) }, rig.nowMs as EpochMs);
    rig.answer({ kind: 'found', order: order('OPEN', 50), fills: [fill(2, 30)] });
    expect(rig.client.submittedAtMs).toEqual([START_MS, submittedAtMs]);
    rig.answer({ kind: 'found', order: order('OPEN', 50), fills: [fill(1, 20), fill(2, 30)] });
    expect(rig.reports.at(-1)).toMatchObject({ kind: 'StatusAnswered', filled: 50 });
  });

  it.each([
    ['60 s', 'counts the expiry at its border only', RULES, 60_500],
    ['60 s', 'has requests without an expiry', { ...RULES, expiryMs: null }, 60_500],
    [
      '10 s and the expiry',
      'checks the expiry in its matching engine',
      { ...RULES, executionMsMax: 12_000 as DurationMs },
      12_500,
    ],
  ])(
    'says that an order is unknown by two looks 5 s apart after %s at an exchange that %s',
    (_wait, _what, rules, ms) => {
      const rig = new Rig(rules).linked();
      rig.submit();
      rig.ask();
      rig.answer({ kind: 'absent' });
      expect(rig.nowMs).toBe(START_MS + ms);
      rig.answer({ kind: 'absent' });
      expect(rig.nowMs).toBe(START_MS + ms + 5_000);
      expect(rig.takeKinds()).toEqual([]);
      rig.answer({ kind: 'absent' });
      expect(rig.reports).toMatchObject([{ kind: 'StatusAnswered', answer: { state: 'UNKNOWN' } }]);
      expect(rig.listLooks).toBe(2);
    },
  );

  it('waits longer for an order whose timestamp may be wrong, by its error at the time of sending', () => {
    let clockErrorMs = 900;
    const rig = new Rig({ ...RULES, clockErrorMs: () => clockErrorMs }).linked();
    rig.submit();
    // A better measurement says nothing about a request that has left.
    clockErrorMs = 1;
    rig.ask();
    rig.answer({ kind: 'absent' });
    expect(rig.nowMs).toBe(START_MS + 60_500 + 900);
  });

  it('waits longer for an order of an earlier process, by the largest error with which it may have sent', () => {
    const rig = new Rig().linked();
    rig.ask();
    rig.answer({ kind: 'absent' });
    expect(rig.nowMs).toBe(START_MS + 60_500 + CLOCK_ERROR_MS_MAX);
  });

  it('is not absence when the second look finds the order: the matching engine was late', () => {
    const rig = new Rig().linked();
    rig.submit();
    rig.client.places[0]!({ kind: 'unknown' }, START_MS);
    rig.ask();
    rig.answer({ kind: 'absent' });
    rig.answer({ kind: 'absent' });
    rig.answer({ kind: 'found', order: order('FILLED', 100), fills: [fill(1, 100)] });
    expect(rig.takeKinds()).toEqual(['Accepted', 'Filled', 'Filled', 'StatusAnswered']);
    expect(rig.reports).toEqual([]);
  });

  it('is followed by each fill of an order that was executed after all: a fill is never dropped', () => {
    const rig = new Rig().linked();
    rig.submit();
    rig.ask();
    for (let look = 0; look < 3; look += 1) rig.answer({ kind: 'absent' });
    expect(rig.takeKinds()).toEqual(['StatusAnswered']);
    const { orderId, child, instrument } = rig.order;
    const update = { child: { orderId, child, instrument }, order: order('FILLED', 100), fill: fill(1, 100) };
    rig.session.onUpdate(update, (rig.nowMs + 30_000) as EpochMs);
    expect(rig.takeKinds()).toEqual(['Accepted', 'Filled']);
    expect(rig.contradictions).toEqual(['an order exists that was refused or absent']);
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

  it('says that a shown order is denied when no look finds it for 5 minutes, never that it is unknown', () => {
    const rig = new Rig().linked();
    rig.submit();
    rig.client.places[0]!({ kind: 'placed', venueOrderId: 'v1' as VenueOrderId, atMs: START_MS }, START_MS);
    rig.ask();
    while (rig.nowMs < START_MS + DENIED_MS_MAX) rig.answer({ kind: 'absent' });
    expect(rig.takeKinds()).toEqual(['Accepted']);
    rig.answer({ kind: 'absent' });
    const answer = { state: 'DENIED', venueOrderId: 'v1', deniedSinceMs: START_MS };
    expect(rig.reports).toMatchObject([{ kind: 'StatusAnswered', answer, filled: 0 }]);
    expect(rig.contradictions).toEqual(['an order is denied', 'a denied order waits for an operator']);
    // It is denied again for 5 minutes before the next answer, also after a reconnect, which it does not delay.
    rig.takeKinds();
    rig.reconnect();
    expect(rig.links).toEqual([true]);
    rig.ask();
    while (rig.nowMs < START_MS + 2 * DENIED_MS_MAX - 10_000) rig.answer({ kind: 'absent' });
    expect(rig.takeKinds()).toEqual([]);
    rig.answer({ kind: 'found', order: order('FILLED', 100), fills: [fill(1, 100)] });
    expect(rig.takeKinds()).toEqual(['Filled', 'Filled', 'StatusAnswered']);
  });

  it('begins the time of a denial anew when a look finds the order', () => {
    const rig = new Rig().linked();
    rig.submit();
    rig.client.places[0]!({ kind: 'placed', venueOrderId: 'v1' as VenueOrderId, atMs: START_MS }, START_MS);
    rig.ask();
    while (rig.nowMs < START_MS + DENIED_MS_MAX - 10_000) rig.answer({ kind: 'absent' });
    // The list of its trades is behind.
    rig.answer({ kind: 'found', order: order('FILLED', 100), fills: [] });
    const foundAtMs = rig.nowMs;
    while (rig.nowMs < foundAtMs + DENIED_MS_MAX - 10_000) rig.answer({ kind: 'absent' });
    expect(rig.takeKinds()).toEqual(['Accepted']);
  });

  it('says that a shown order is unknown when it is older than the history and is denied again and again', () => {
    const rig = new Rig().linked();
    rig.nowMs = START_MS + RULES.orderHistoryMs + 1;
    const target = targetOf({ ...rig.order, venueOrderId: 'v1' as VenueOrderId });
    rig.session.handle({ kind: 'QueryStatus', ...target, submittedAtMs: START_MS }, rig.nowMs as EpochMs);
    for (let look = 0; look < 8; look += 1) rig.answer({ kind: 'absent' });
    expect(rig.takeKinds()).toEqual([]);
    rig.reply({ kind: 'absent' });
    const knownSinceMs = rig.nowMs - RULES.orderHistoryMs;
    expect(rig.reports).toMatchObject([{ kind: 'StatusAnswered', answer: { state: 'UNKNOWN', knownSinceMs } }]);
    expect(knownSinceMs).toBeGreaterThan(START_MS);
    // It does not delay the next connection.
    rig.reconnect();
    expect(rig.links).toEqual([true]);
  });

  it('connects the account by an answer that a shown order is unknown, after the known fills', () => {
    const rig = new Rig().linked();
    rig.submit();
    rig.client.places[0]!({ kind: 'placed', venueOrderId: 'v1' as VenueOrderId, atMs: START_MS }, START_MS);
    rig.nowMs = START_MS + RULES.orderHistoryMs + 1;
    rig.reconnect();
    const target = targetOf({ ...rig.order, venueOrderId: 'v1' as VenueOrderId });
    rig.session.handle({ kind: 'QueryStatus', ...target, submittedAtMs: START_MS }, rig.nowMs as EpochMs);
    const { orderId, child, instrument } = rig.order;
    const update = { child: { orderId, child, instrument }, order: order('OPEN', 20), fill: fill(1, 20) };
    rig.session.onUpdate(update, rig.nowMs as EpochMs);
    for (let look = 0; look < 9; look += 1) rig.answer({ kind: 'absent' });
    expect(rig.takeKinds()).toEqual(['Accepted', 'Filled', 'Filled', 'StatusAnswered']);
    expect(rig.links).toEqual([true]);
  });

  it('repeats a definite refusal without a look-up', () => {
    const rig = new Rig().linked();
    rig.submit();
    const rejection = { code: 'INSUFFICIENT_FUNDS', message: 'no funds' } as const;
    rig.client.places[0]!({ kind: 'refused', rejection }, START_MS);
    rig.ask();
    expect(rig.client.lookUps).toEqual([]);
    expect(rig.reports).toMatchObject([
      { kind: 'Rejected', rejection },
      { kind: 'StatusAnswered', answer: { state: 'REJECTED', rejection } },
    ]);
  });
});

describe('the catch-up after a cut', () => {
  it('looks a child up at once whose status request waits after failures', () => {
    const rig = new Rig().linked();
    rig.submit();
    rig.ask();
    for (let look = 0; look < 5; look += 1) rig.answer({ kind: 'unknown' });
    rig.client.lookUps.shift()!({ kind: 'unknown' }, rig.nowMs as EpochMs);
    expect(rig.session.nextWakeMs()).toBeGreaterThanOrEqual(rig.nowMs + 5_000);
    rig.reconnect();
    expect(rig.client.lookUps).toHaveLength(1);
    rig.answer({ kind: 'found', order: order('OPEN', 0), fills: [] });
    expect(rig.links).toEqual([true]);
  });

  it('takes no look-up that was sent before the cut: it shows nothing of what happened since', () => {
    const rig = new Rig().linked();
    rig.submit();
    rig.client.places[0]!({ kind: 'placed', venueOrderId: 'v1' as VenueOrderId, atMs: START_MS }, START_MS);
    rig.ask();
    rig.nowMs += 1_000;
    rig.reconnect();
    rig.client.lookUps.shift()!({ kind: 'found', order: order('OPEN', 0), fills: [] }, rig.nowMs as EpochMs);
    expect(rig.links).toEqual([]);
    rig.client.lookUps.shift()!(
      { kind: 'found', order: order('OPEN', 40), fills: [fill(1, 40)] },
      rig.nowMs as EpochMs,
    );
    expect(rig.takeKinds()).toEqual(['Accepted', 'StatusAnswered', 'Filled']);
    expect(rig.links).toEqual([true]);
  });

  it('does not wait for the fence of a child that the exchange has never shown', () => {
    const rig = new Rig().linked();
    rig.submit();
    rig.client.places[0]!({ kind: 'unknown' }, START_MS);
    rig.ask();
    rig.reconnect();
    expect(rig.links).toEqual([]);
    rig.client.lookUps.shift()!({ kind: 'absent' }, rig.nowMs as EpochMs);
    expect(rig.links).toEqual([true]);
    // The stream is open: it shows an order that is carried out later.
    expect(rig.takeKinds()).toEqual([]);
    expect(rig.session.nextWakeMs()).toBe(START_MS + 60_500);
  });

  it.each(['absent', 'unknown'] as const)('ends when look-ups of a child go on to answer "%s"', (kind) => {
    const rig = new Rig().linked();
    rig.submit();
    rig.client.places[0]!({ kind: 'placed', venueOrderId: 'v1' as VenueOrderId, atMs: START_MS }, START_MS);
    rig.reconnect();
    const beganMs = rig.nowMs;
    for (let look = 0; look < CATCH_UP_FAILURES_MAX; look += 1) {
      expect(rig.links).toEqual([]);
      rig.answer({ kind });
    }
    expect(rig.links).toEqual([true]);
    expect(rig.nowMs).toBeLessThan(beganMs + 60_000);
    // The child is still not known to have ended.
    rig.answer({ kind: 'found', order: order('FILLED', 100), fills: [fill(1, 100)] });
    expect(rig.takeKinds()).toEqual(['Accepted', 'Filled']);
  });
});

describe('the list of open orders', () => {
  it('is requested again after a wait that doubles with each failure, and begins anew after a success', () => {
    const rig = new Rig();
    rig.session.onSubscribed();
    expect(rig.failedLists(4)).toEqual([500, 1_000, 2_000, 4_000]);
    rig.session.onCut(rig.nowMs as EpochMs);
    rig.client.lists.length = 0;
    rig.session.onSubscribed();
    expect(rig.failedLists(4)).toEqual([8_000, 16_000, 30_000, 30_000]);
    rig.client.lists.shift()!([], rig.nowMs as EpochMs);
    expect(rig.links).toEqual([true]);
    rig.session.onCut(rig.nowMs as EpochMs);
    rig.session.onSubscribed();
    expect(rig.failedLists(1)).toEqual([500]);
  });
});

describe('a fill that is off the grid', () => {
  const offGrid = 'trade 2 of order v1';
  const found = { kind: 'found', order: order('FILLED', 100), fills: [fill(1, 60)], offGrid } as const;

  it('is reported as unreadable, and the answer has the total of the exchange', () => {
    const rig = new Rig().linked();
    rig.submit();
    rig.ask();
    rig.answer(found);
    expect(rig.reports.at(-2)).toMatchObject({ kind: 'Filled' });
    expect(rig.reports.at(-1)).toMatchObject({ kind: 'StatusAnswered', answer: { state: 'FILLED' }, filled: 100 });
    expect(rig.takeKinds()).toEqual(['Accepted', 'Filled', 'Unreadable', 'Filled', 'StatusAnswered']);
    rig.ask();
    rig.answer(found);
    expect(rig.contradictions).toEqual([`a fill cannot be stated: ${offGrid}`]);
    expect(rig.session.nextWakeMs()).toBe(Infinity);
  });

  it('does not delay the connection of its account', () => {
    const rig = new Rig().linked();
    rig.submit();
    rig.client.places[0]!({ kind: 'placed', venueOrderId: 'v1' as VenueOrderId, atMs: START_MS }, START_MS);
    rig.reconnect();
    rig.answer(found);
    expect(rig.takeKinds()).toEqual(['Accepted', 'Filled', 'Unreadable']);
    expect(rig.links).toEqual([true]);
  });
});

describe('an order that its exchange has made smaller', () => {
  it('ends its child when its fills are reported', () => {
    const rig = shrunk(60, [fill(1, 60)]);
    expect(rig.reports.at(-1)).toMatchObject({ kind: 'Cancelled', filled: 60, cause: { code: 'EXCHANGE_ERROR' } });
    expect(rig.takeKinds()).toEqual(['Accepted', 'Filled', 'Cancelled']);
  });

  it('does not end its child while a fill is missing', () => {
    const rig = shrunk(60, [fill(1, 20)]);
    expect(rig.takeKinds()).toEqual(['Accepted', 'Filled']);
    rig.answer({ kind: 'found', order: order('FILLED', 60), fills: [fill(1, 20), fill(2, 40)] });
    expect(rig.takeKinds()).toEqual(['Filled', 'Cancelled']);
  });

  it('is not reported as such when its fills complete the child', () => {
    expect(shrunk(100, [fill(1, 100)]).takeKinds()).toEqual(['Accepted', 'Filled']);
  });
});

/** The answer to a placement with its result. */
function placedAs(state: ReportedOrder['state'], filled: number, fills: readonly ReportedFill[]): PlaceAnswer {
  const result = { order: order(state, filled), fills };
  return { kind: 'placed', venueOrderId: 'v1' as VenueOrderId, atMs: START_MS, result };
}

/** The stream shows the order without a fill. */
function update(rig: Rig, seen: ReportedOrder): void {
  const { orderId, child, instrument } = rig.order;
  rig.session.onUpdate({ child: { orderId, child, instrument }, order: seen, fill: null }, rig.nowMs as EpochMs);
}

describe('a placement whose answer has its result', () => {
  it('reports fills and end once; the stream confirms them', () => {
    const rig = new Rig().linked();
    rig.submit();
    rig.client.places[0]!(placedAs('CANCELLED', 60, [fill(1, 20), fill(2, 40)]), START_MS);
    expect(rig.takeKinds()).toEqual(['Accepted', 'Filled', 'Filled', 'Cancelled']);
    const { orderId, child, instrument } = rig.order;
    const seen = { orderId, child, instrument };
    rig.session.onUpdate({ child: seen, order: order('OPEN', 20), fill: fill(1, 20) }, START_MS);
    rig.session.onUpdate({ child: seen, order: order('CANCELLED', 60), fill: fill(2, 40) }, START_MS);
    expect(rig.takeKinds()).toEqual([]);
    expect(rig.client.lookUps).toEqual([]);
  });

  it('adds nothing to what the stream has shown before', () => {
    const rig = new Rig().linked();
    rig.submit();
    const { orderId, child, instrument } = rig.order;
    const update = { child: { orderId, child, instrument }, order: order('FILLED', 100), fill: fill(1, 100) };
    rig.session.onUpdate(update, START_MS);
    rig.client.places[0]!(placedAs('FILLED', 100, [fill(1, 100)]), START_MS);
    expect(rig.takeKinds()).toEqual(['Accepted', 'Filled']);
  });

  it('leaves fills that the answer lacks to the stream', () => {
    const rig = new Rig().linked();
    rig.submit();
    rig.client.places[0]!(placedAs('FILLED', 100, []), START_MS);
    expect(rig.takeKinds()).toEqual(['Accepted']);
    expect(rig.client.lookUps).toEqual([]);
  });
});

describe('an update that an order is refused', () => {
  const cause = { code: 'EXCHANGE_ERROR', message: 'no' } as const;
  const refused = { ...order('REJECTED', 0), cause };

  it('refuses an accepted child', () => {
    const rig = new Rig().linked();
    rig.submit();
    rig.client.places[0]!({ kind: 'placed', venueOrderId: 'v1' as VenueOrderId, atMs: START_MS }, START_MS);
    update(rig, refused);
    update(rig, refused);
    expect(rig.reports.slice(1)).toMatchObject([{ kind: 'Rejected', rejection: cause }]);
  });

  it('waits for the answer to the placement, which has the code of the refusal', () => {
    const rig = new Rig().linked();
    rig.submit();
    update(rig, refused);
    expect(rig.reports).toEqual([]);
    const rejection = { code: 'INSUFFICIENT_FUNDS', message: 'no funds' } as const;
    rig.client.places[0]!({ kind: 'refused', rejection }, START_MS);
    expect(rig.reports).toMatchObject([{ kind: 'Rejected', rejection }]);
  });

  it('counts when the answer to the placement says nothing', () => {
    const rig = new Rig().linked();
    rig.submit();
    update(rig, refused);
    rig.client.places[0]!({ kind: 'unknown' }, START_MS);
    expect(rig.reports).toMatchObject([{ kind: 'Rejected', rejection: cause }]);
  });

  it('counts when the exchange has accepted the order before, and its answer is later', () => {
    const rig = new Rig().linked();
    rig.submit();
    update(rig, refused);
    rig.client.places[0]!({ kind: 'placed', venueOrderId: 'v1' as VenueOrderId, atMs: START_MS }, START_MS);
    expect(rig.reports).toMatchObject([{ kind: 'Rejected', rejection: cause }]);
  });

  it('ends no child that has another order at the exchange', () => {
    const rig = new Rig().linked();
    rig.submit();
    rig.client.places[0]!({ kind: 'placed', venueOrderId: 'v1' as VenueOrderId, atMs: START_MS }, START_MS);
    update(rig, { ...refused, venueOrderId: 'v2' as VenueOrderId });
    expect(rig.takeKinds()).toEqual(['Accepted']);
    expect(rig.contradictions).toEqual(['another order with the client id was refused']);
  });
});

describe('a placement', () => {
  it('is refused without sending before the account is caught up', () => {
    const rig = new Rig();
    rig.session.onSubscribed();
    rig.submit();
    expect(rig.client.places).toEqual([]);
    expect(rig.reports).toMatchObject([{ kind: 'Rejected', rejection: { code: 'EXCHANGE_NOT_AVAILABLE' } }]);
  });

  it('is sent once: the second request for a client id asks for the first', () => {
    const rig = new Rig().linked();
    rig.submit();
    rig.submit();
    expect(rig.client.places).toHaveLength(1);
    expect(rig.client.lookUps).toHaveLength(1);
    expect(rig.contradictions).toEqual(['a client id was sent again']);
  });

  it('is accepted once by its answer and its update, in either order', () => {
    const rig = new Rig().linked();
    rig.submit();
    const { orderId, child, instrument } = rig.order;
    rig.session.onUpdate({ child: { orderId, child, instrument }, order: order('OPEN', 0), fill: null }, START_MS);
    rig.client.places[0]!({ kind: 'placed', venueOrderId: 'v1' as VenueOrderId, atMs: START_MS }, START_MS);
    expect(rig.takeKinds()).toEqual(['Accepted']);
  });
});
