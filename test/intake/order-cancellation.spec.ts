import { describe, expect, it, onTestFinished, vi } from 'vitest';
import type { CancelAllResult } from '../../src/intake/cancel-all.js';
import { OrderCancellation, reportedCancels } from '../../src/intake/order-cancellation.js';
import { type CancelCause, DISCONNECT_CAUSE, KILL_SWITCH_CAUSE, requestedBy } from '../../src/domain/cancel-cause.js';
import type { ChangeOutcome, OrderChange } from '../../src/domain/command.js';
import type { AccountId, ApiKeyId, ClientOrderId, OrderId, SessionNumber } from '../../src/domain/ids.js';
import type { OrRejection } from '../../src/domain/rejection.js';
import type { OrderSummary } from '../../src/api/order/order-details.js';
import {
  CANCEL_ORDERS_READ_PER_TURN_MAX,
  CANCELS_IN_FLIGHT_MAX,
  CANCELS_IN_FLIGHT_PER_ACCOUNT_MAX,
  EARLIER_CREATES_WAIT_MS,
} from '../../src/domain/limits/clients.js';
import { earlierCreates, FakeOrderBook } from './fake-order-book.js';
import type { PendingOrder } from '../../src/risk/exposure-reading.js';
import { DEMO, NOW_MS, OTHER, parentState } from '../http/orders.js';

const COUNT = 2_007;
const KEY = 'key-1' as ApiKeyId;
const ALL = requestedBy('CANCEL_ALL', KEY);
/** Larger than the id of every order in these tests. */
const LAST_ID = 1_000_000 as OrderId;

interface Sent {
  readonly account: AccountId;
  readonly orderId: OrderId;
  readonly cancelCause: CancelCause | null;
  readonly answer: (outcome: ChangeOutcome) => void;
}

/** A book whose cancels the test settles, with turns of the event loop that the test runs. */
class Rig {
  readonly book = new FakeOrderBook();
  readonly sent: Sent[] = [];
  readonly results: CancelAllResult[] = [];
  /** Creates that are not durable yet. */
  readonly pending: PendingOrder[] = [];
  readonly earlier = earlierCreates();
  /** Highest number of cancels in flight. */
  sentMost = 0;
  #due: (() => void)[] = [];
  readonly cancellation = new OrderCancellation({
    commands: {
      change: (change: OrderChange, answer) => {
        if (change.kind === 'AmendParent') throw new Error('an amendment was sent');
        const cancelCause = change.kind === 'CancelParent' ? change.cancelCause : null;
        this.sent.push({ account: change.account, orderId: change.orderId, cancelCause, answer });
        this.sentMost = Math.max(this.sentMost, this.sent.length);
      },
    },
    reader: this.book,
    whenComplete: this.book.whenComplete,
    takeOrderId: () => LAST_ID,
    pendingOrders: () => this.pending,
    earlier: this.earlier,
    clock: { nowMs: () => NOW_MS },
    soon: (run) => this.#due.push(run),
  });

  /** Orders firstId, firstId + 1, … */
  put(count: number, account = DEMO, firstId = 1): this {
    for (let index = 0; index < count; index += 1) {
      this.book.put(parentState({ orderId: (firstId + index) as OrderId, account }));
    }
    return this;
  }

  cancelAll(account = DEMO, cancelCause: CancelCause = ALL): void {
    this.cancellation.cancelAll(account, cancelCause, (result) => this.results.push(result));
  }

  cancelSessions(sessions: readonly SessionNumber[]): void {
    this.cancellation.cancelSessions(DEMO, new Set(sessions), (result) => this.results.push(result));
  }

  cancel(body: unknown): OrRejection<OrderSummary>[] {
    const answers: OrRejection<OrderSummary>[] = [];
    this.cancellation.cancel({ account: DEMO, apiKey: KEY }, body, (answer) => answers.push(answer));
    return answers;
  }

  turn(): boolean {
    const due = this.#due;
    this.#due = [];
    for (const run of due) run();
    return due.length > 0;
  }

  settle(pick: (sent: Sent[]) => Sent | undefined = (sent) => sent.shift()): Sent | undefined {
    while (this.turn());
    const taken = pick(this.sent);
    taken?.answer({ kind: 'pending', orderId: taken.orderId });
    return taken;
  }
}

/** Cancels in a book. Later turns of the event loop are in `due`. */
function cancellationIn(book: FakeOrderBook, due: (() => void)[]): OrderCancellation {
  return new OrderCancellation({
    commands: book,
    reader: book,
    whenComplete: book.whenComplete,
    takeOrderId: () => LAST_ID,
    pendingOrders: () => [],
    earlier: earlierCreates(),
    clock: { nowMs: () => NOW_MS },
    soon: (run) => due.push(run),
  });
}

function pending(id: number, kind: PendingOrder['kind'] = 'CreateParent'): PendingOrder {
  return { kind, order: parentState({ orderId: id as OrderId }).order };
}

function idsFrom(first: number, count: number): number[] {
  return Array.from({ length: count }, (_, index) => first + index);
}

it('cancels no order before the store shows every acknowledged order', () => {
  const rig = new Rig().put(1);
  rig.book.refresh();
  rig.put(1, DEMO, 2);
  rig.book.isBehind = true;
  rig.cancelAll();
  for (let count = 0; count < 3; count += 1) expect(rig.turn()).toBe(true);
  expect(rig.sent).toEqual([]);
  rig.book.isBehind = false;
  rig.turn();
  expect(rig.sent.map(({ orderId }) => orderId)).toEqual([1, 2]);
});

it('waits for earlier creates that have no id before it says that an order is unknown', () => {
  const rig = new Rig();
  const [first, second] = [rig.earlier.begin(DEMO), rig.earlier.begin(DEMO)];
  const answers = rig.cancel({ client_order_id: 'quote-7' });
  const unknown = rig.cancel({ client_order_id: 'quote-8' });
  first();
  expect([answers, unknown, rig.sent]).toEqual([[], [], []]);
  const { order } = parentState({ orderId: 7 as OrderId, clientOrderId: 'quote-7' as ClientOrderId });
  rig.pending.push({ kind: 'CreateParent', order });
  second();
  expect(rig.sent.map(({ orderId }) => orderId)).toEqual([7]);
  rig.settle();
  expect(answers).toMatchObject([{ orderId: 7, status: 'PENDING_CANCEL' }]);
  expect(unknown).toMatchObject([{ status: 'CANCEL_REJECTED', outcome: { code: 'INVALID_ORDER' } }]);
});

it('cancels all orders of earlier creates, also of a batch whose members have no id yet', () => {
  const rig = new Rig().put(1);
  rig.book.refresh();
  const end = rig.earlier.begin(DEMO);
  rig.cancelAll();
  while (rig.turn());
  expect(rig.sent).toEqual([]);
  rig.pending.push(pending(2), pending(3));
  end();
  while (rig.turn());
  expect(rig.sent.map(({ orderId }) => orderId)).toEqual([1, 2, 3]);
});

it('cancels what has an id when an earlier create has none after the longest wait, and says so', () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const rig = new Rig().put(2);
  rig.book.refresh();
  rig.earlier.begin(DEMO);
  rig.cancelAll();
  vi.advanceTimersByTime(EARLIER_CREATES_WAIT_MS);
  while (rig.settle() !== undefined);
  expect(rig.results).toMatchObject([{ orderIds: [1, 2], missed: { code: 'SYSTEM_BUSY' } }]);
  expect(reportedCancels(rig.results[0]!)).toMatchObject({
    rejection: { code: 'SYSTEM_BUSY', message: expect.stringMatching(/^2 orders are being cancelled, but/) },
  });
});

it('cancels one create that is not durable yet by its client_order_id', () => {
  const rig = new Rig();
  const { order } = parentState({ orderId: 7 as OrderId, clientOrderId: 'quote-7' as ClientOrderId });
  rig.pending.push({ kind: 'CreateParent', order });
  expect(rig.cancel({ client_order_id: 'quote-8' })).toMatchObject([{ status: 'CANCEL_REJECTED' }]);
  const answers = rig.cancel({ client_order_id: 'quote-7' });
  expect([answers, rig.sent.map(({ orderId }) => orderId)]).toEqual([[], [7]]);
  rig.settle();
  expect(answers).toMatchObject([{ orderId: 7, clientOrderId: 'quote-7', status: 'PENDING_CANCEL' }]);
});

describe('cancelling the orders of sessions', () => {
  it('cancels the orders of these sessions only, and reads a bounded number in each turn', () => {
    const rig = new Rig();
    const [one, two, other] = [1, 2, 3] as [SessionNumber, SessionNumber, SessionNumber];
    const sessions = [one, null, two, other] as const;
    for (let id = 1; id <= COUNT; id += 1) {
      rig.book.put(parentState({ orderId: (10 + id) as OrderId, session: sessions[id % 4] ?? null }));
    }
    rig.cancelSessions([one, two]);
    let turnCount = 0;
    while (rig.sent.length === 0) {
      turnCount += 1;
      rig.turn();
    }
    expect(turnCount).toBeGreaterThan(COUNT / CANCEL_ORDERS_READ_PER_TURN_MAX);
    while (rig.results.length === 0) rig.settle();
    const expected = idsFrom(11, COUNT).filter((id) => (id - 10) % 2 === 0);
    expect(rig.results[0]?.orderIds).toEqual(expected);
  });

  it('cancels a create of such a session that is not durable yet', () => {
    const rig = new Rig();
    for (const [id, session] of [
      [10, 1],
      [11, 2],
    ] as const) {
      const state = parentState({ orderId: id as OrderId, session: session as SessionNumber });
      rig.pending.push({ kind: 'CreateParent', order: state.order });
    }
    rig.cancelSessions([1 as SessionNumber]);
    while (rig.settle() !== undefined);
    expect(rig.results[0]?.orderIds).toEqual([10]);
  });

  it('shares a run with a cancelAll, which covers every order', () => {
    const rig = new Rig().put(3);
    rig.book.put(parentState({ orderId: 10 as OrderId, session: 1 as SessionNumber }));
    rig.cancelAll(OTHER);
    rig.cancelSessions([1 as SessionNumber]);
    rig.cancelAll();
    rig.cancelSessions([1 as SessionNumber]);
    while (rig.results.length < 4) if (rig.settle() === undefined && !rig.turn()) break;
    expect(rig.results.map(({ orderIds }) => orderIds)).toEqual([[], [10], [1, 2, 3, 10], [1, 2, 3, 10]]);
  });
});

describe('the cause of a cancel', () => {
  it('is the client of a cancel, with its key', () => {
    const rig = new Rig().put(1);
    rig.cancel({ order_id: 1 });
    expect(rig.sent[0]?.cancelCause).toEqual({ by: 'CLIENT', apiKey: KEY, code: null });
  });

  it('is that of the first request of a shared run that covers the order', () => {
    const rig = new Rig().put(1);
    rig.cancelAll(DEMO, KILL_SWITCH_CAUSE);
    rig.book.put(parentState({ orderId: (LAST_ID + 1) as OrderId, session: 1 as SessionNumber }));
    rig.put(1, DEMO, 2);
    // These wait for the run of the kill switch and share the next one.
    rig.cancelSessions([1 as SessionNumber]);
    rig.cancelAll();
    rig.cancelAll(DEMO, KILL_SWITCH_CAUSE);
    const causes = new Map<number, CancelCause | null>();
    while (rig.results.length < 4) {
      const sent = rig.settle();
      if (sent !== undefined && !causes.has(sent.orderId)) causes.set(sent.orderId, sent.cancelCause);
    }
    expect([...causes]).toEqual([
      [1, KILL_SWITCH_CAUSE],
      [2, ALL],
      [LAST_ID + 1, DISCONNECT_CAUSE],
    ]);
  });
});

describe('cancelling all orders', () => {
  it('sends a bounded number at a time and answers when the last has its outcome', () => {
    const rig = new Rig().put(COUNT);
    rig.cancelAll();
    for (let answered = 0; answered < COUNT; answered += 1) {
      expect(rig.results).toEqual([]);
      rig.settle((sent) => (answered % 2 === 0 ? sent.pop() : sent.shift()));
    }
    expect(rig.sentMost).toBe(CANCELS_IN_FLIGHT_PER_ACCOUNT_MAX);
    expect(rig.results).toEqual([{ orderIds: idsFrom(1, COUNT), refusals: new Map() }]);
  });

  it('reads the ids in parts, one in each turn of the loop, before it sends a cancel', () => {
    const rig = new Rig().put(COUNT);
    rig.cancelAll();
    expect(rig.turn()).toBe(true);
    expect(rig.sent).toEqual([]);
    expect(rig.turn()).toBe(true);
    expect(rig.sent).not.toEqual([]);
  });

  it('cancels only the orders that were open at the instant of its request', () => {
    const rig = new Rig().put(3);
    rig.cancelAll();
    rig.put(1, DEMO, 4);
    while (rig.settle() !== undefined);
    expect(rig.results[0]?.orderIds).toEqual([1, 2, 3]);
  });

  it('sends the cancels of accounts in turn and bounds them together', () => {
    const rig = new Rig();
    const accounts = idsFrom(1, 20).map((number) => `account-${number}` as AccountId);
    for (const [index, account] of accounts.entries()) rig.put(500, account, 1 + index * 500);
    for (const account of accounts) rig.cancelAll(account);
    rig.settle();
    expect(rig.sentMost).toBe(CANCELS_IN_FLIGHT_MAX);
    rig.put(1, OTHER, 100_001);
    rig.cancelAll(OTHER);
    let settled = 0;
    while (!rig.results.some(({ orderIds }) => orderIds[0] === 100_001)) {
      expect(rig.settle()).toBeDefined();
      settled += 1;
    }
    // One cancel of each waiting account, and the cancels in flight.
    expect(settled).toBeLessThanOrEqual(CANCELS_IN_FLIGHT_MAX + accounts.length + 1);
  });

  it('lets requests during a running cancelAll share the next one, which covers later orders', () => {
    const rig = new Rig().put(200);
    rig.cancelAll();
    rig.settle();
    rig.put(1, DEMO, 201);
    for (let requests = 0; requests < 20; requests += 1) rig.cancelAll();
    let sentCount = 1;
    while (rig.settle() !== undefined) sentCount += 1;
    expect(sentCount).toBe(200 + 201);
    expect(rig.results).toHaveLength(21);
    expect(rig.results.slice(1).every(({ orderIds }) => orderIds.includes(201 as OrderId))).toBe(true);
  });

  it('yields to the event loop when every outcome comes at once, and reports each refusal', () => {
    const book = new FakeOrderBook();
    for (const id of idsFrom(1, COUNT)) book.put(parentState({ orderId: id as OrderId }));
    book.refusal = { code: 'SYSTEM_BUSY', message: 'full' };
    let [result, turns]: [CancelAllResult | null, number] = [null, 0];
    const due: (() => void)[] = [];
    const cancellation = cancellationIn(book, due);
    cancellation.cancelAll(DEMO, ALL, (given) => (result = given));
    for (let run = due.shift(); run !== undefined; run = due.shift()) {
      run();
      turns += 1;
    }
    expect(turns).toBeGreaterThan(5);
    expect((result as CancelAllResult | null)?.refusals.size).toBe(COUNT);
  });

  it('cancels orders up to a bound of ids, and all orders when another cancelAll arrives', () => {
    const book = new FakeOrderBook();
    for (const id of idsFrom(1, 5)) book.put(parentState({ orderId: id as OrderId }));
    const due: (() => void)[] = [];
    const cancellation = cancellationIn(book, due);
    const cancelled: (readonly OrderId[])[] = [];
    cancellation.cancelAll(DEMO, ALL, ({ orderIds }) => cancelled.push(orderIds), 3 as OrderId);
    expect(cancelled).toEqual([[1, 2, 3]]);
    expect([3, 4].map((id) => book.stateOf(id as OrderId).status)).toEqual(['PENDING_CANCEL', 'ACCEPTED']);

    book.isInstant = false;
    cancellation.cancelAll(DEMO, ALL, ({ orderIds }) => cancelled.push(orderIds), 4 as OrderId);
    cancellation.cancelAll(DEMO, ALL, ({ orderIds }) => cancelled.push(orderIds), 4 as OrderId);
    cancellation.cancelAll(DEMO, ALL, ({ orderIds }) => cancelled.push(orderIds));
    while (book.waitingCount > 0) book.settle();
    expect(cancelled.slice(1)).toEqual([
      [1, 2, 3, 4],
      [1, 2, 3, 4, 5],
      [1, 2, 3, 4, 5],
    ]);
  });

  it('cancels a create that is not durable yet, once, and no create that was sent later', () => {
    const rig = new Rig().put(2);
    // The store shows order 2 already, although its client has no answer yet.
    rig.pending.push(pending(2), pending(3), pending(1, 'AmendParent'), pending(LAST_ID + 1));
    rig.cancelAll();
    while (rig.settle() !== undefined);
    expect(rig.results[0]?.orderIds).toEqual([1, 2, 3]);
  });

  it('answers at once when no order is open', () => {
    const rig = new Rig();
    rig.cancelAll();
    expect(rig.results).toEqual([{ orderIds: [], refusals: new Map() }]);
  });
});

it('waits for a store that lacks the order, and no later request of the session overtakes the cancel', () => {
  const rig = new Rig().put(1);
  rig.book.reads.hold();
  let admittedCount = 0;
  const sender = { account: DEMO, apiKey: KEY, onAdmitted: () => (admittedCount += 1) };
  const answers: unknown[] = [];
  rig.cancellation.cancelMany(
    sender,
    { orders: [{ order_id: 1 }, { order_id: 2 }] },
    (result) => answers.push(result),
    sender.onAdmitted,
  );
  rig.cancellation.cancel(sender, { order_id: 1 }, (result) => answers.push(result));
  expect([rig.sent, admittedCount]).toEqual([[], 0]);
  rig.book.reads.release();
  expect(rig.sent.map(({ orderId }) => orderId)).toEqual([1, 1]);
  expect(admittedCount).toBe(2);
  rig.settle();
  expect(answers).toMatchObject([[{ orderId: 1, status: 'PENDING_CANCEL' }, { outcome: { code: 'INVALID_ORDER' } }]]);
});

it('answers after one read that the store is behind, and reads again only behind a create without an id', () => {
  const rig = new Rig();
  const behind = { rejection: { code: 'SYSTEM_BUSY' } };
  rig.book.reads.hold();
  const answers = rig.cancel({ order_id: 1 });
  rig.book.reads.fail();
  expect(answers).toMatchObject([behind]);

  const end = rig.earlier.begin(DEMO);
  const later = rig.cancel({ order_id: 1 });
  rig.book.reads.fail();
  expect(later).toEqual([]);
  rig.book.reads.release();
  rig.put(1);
  end();
  expect(rig.sent.map(({ orderId }) => orderId)).toEqual([1]);
});

it('cancels the order of an earlier create that is answered while the cancel waits for the store', () => {
  const rig = new Rig();
  rig.pending.push(pending(1));
  rig.book.reads.hold();
  const answers = rig.cancel({ order_id: 1 });
  rig.pending.length = 0;
  rig.put(1);
  rig.book.reads.release();
  expect(rig.sent.map(({ orderId }) => orderId)).toEqual([1]);
  rig.settle();
  expect(answers).toMatchObject([{ orderId: 1, status: 'PENDING_CANCEL' }]);
});

it('cancels all orders of creates that are answered while it waits for the store', () => {
  const rig = new Rig();
  rig.pending.push(pending(1), pending(2));
  rig.book.reads.hold();
  rig.cancelAll();
  rig.pending.length = 0;
  rig.put(2);
  rig.book.reads.release();
  while (rig.turn());
  expect(rig.sent.map(({ orderId }) => orderId)).toEqual([1, 2]);
});

it('reports that it may have missed an order that is still not durable after its longest wait', () => {
  const rig = new Rig().put(1);
  rig.pending.push(pending(2));
  rig.cancelAll();
  rig.settle();
  const rejection = { code: 'SYSTEM_BUSY', message: 'the outcome is unknown' } as const;
  rig.sent.shift()?.answer({ kind: 'refused', rejection, isUnresolved: true });
  expect(rig.results).toMatchObject([{ orderIds: [1, 2], missed: rejection }]);
  expect(reportedCancels(rig.results[0]!)).toMatchObject({ rejection: { code: 'SYSTEM_BUSY' } });
});
