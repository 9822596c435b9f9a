import { readerOf } from '../journal/fixed-reader.js';
import { describe, expect, it } from 'vitest';
import type { AccountId, ChildNumber, OrderId, VenueOrderId } from '../../src/domain/ids.js';
import type { Venue } from '../../src/domain/exchange.js';
import { RECONCILE_AGAIN_MS } from '../../src/domain/limits/trading.js';
import type { LegState, LiveChild, ParentState } from '../../src/domain/order-state.js';
import type { Lots, Ticks } from '../../src/domain/quantity.js';
import { Rejected, type Rejection } from '../../src/domain/rejection.js';
import type { EpochMs } from '../../src/domain/time.js';
import type { ListedOrder, OrdersReport } from '../../src/domain/venue-report.js';
import { Reconciliation } from '../../src/restore/reconciliation.js';
import type { VenueQuery as QuestionOf, VenueClient } from '../../src/venue/venue-client.js';
import { CATALOGUE, BTC, orderOf, START_MS } from '../shard/sample-orders.js';
import { ShardRig } from '../shard/shard-rig.js';

const EPOCH = START_MS + 1;
const SINCE_MS = 1_000 as EpochMs;
const DOWN: Rejection = { code: 'EXCHANGE_NOT_AVAILABLE', message: 'exchange OKX is down' };

type Question = Parameters<VenueClient['ask']>[0] | QuestionOf<'QueryOrders'>;
type Page = (Pick<OrdersReport, 'orders' | 'next'> & { readonly knownSinceMs?: number }) | Rejected;

function listed(orderId: number, change: Partial<ListedOrder> = {}): ListedOrder {
  return {
    orderId: orderId as OrderId,
    child: 1 as ChildNumber,
    instrument: BTC.index,
    side: 'BUY',
    quantity: 100 as Lots,
    type: 'LIMIT',
    timeInForce: 'GTC',
    limitPrice: 6_399_000 as Ticks,
    postOnly: false,
    reduceOnly: false,
    state: 'OPEN',
    venueOrderId: 'v1' as VenueOrderId,
    filled: 0 as Lots,
    changedAtMs: START_MS,
    ...change,
  };
}

/** An order in the middle of its work, as the store has it. */
function stored(orderId: number, leg: Partial<LegState> = {}): ParentState {
  const rig = new ShardRig();
  rig.work(orderOf(orderId));
  const state = rig.state(orderId)!;
  return { ...state, legs: [{ ...state.legs[0], children: [], ...leg }], epoch: EPOCH, isReconciling: true };
}

/** A reconciliation with fakes: an exchange with pages from the test, and a store that the test changes. */
class Room {
  nowMs = 0;
  readonly asked: string[] = [];
  readonly cancelled: string[] = [];
  readonly changed: { orderId: OrderId; children: number }[] = [];
  readonly states = new Map<OrderId, ParentState>();
  /** The answer of an exchange to a page request. */
  page: (venue: Venue, after: string, account: string) => Page = () => ({ orders: [], next: '' });
  readonly reconciliation: Reconciliation;
  /** Reads of all open orders of an account. */
  readCount = 0;

  constructor(accounts: readonly string[] = ['alice'], venues: readonly Venue[] = ['BINANCE', 'OKX']) {
    this.reconciliation = new Reconciliation({
      epoch: EPOCH,
      childRoom: 100,
      sinceMs: SINCE_MS,
      accounts: accounts as readonly AccountId[],
      venues,
      catalogue: CATALOGUE,
      reader: readerOf({
        order: (orderId: OrderId) => this.states.get(orderId) ?? null,
        openOrders: (account: AccountId) => {
          this.readCount += 1;
          return [...this.states.values()].filter(({ order }) => order.account === account);
        },
      }),
      venueClient: {
        ask: (question, answer) => this.#ask(question, answer as never),
        cancel: (child) => this.#cancel(child),
      },
      gateway: {
        change: (change, answer) => {
          const { orderId, children } = change as { orderId: OrderId; children: readonly unknown[] };
          this.changed.push({ orderId, children: children.length });
          answer({ kind: 'pending', orderId });
        },
      },
      monotonicMs: () => this.nowMs,
      realNowMs: () => 5,
    });
  }

  /** Lets time pass for another list, and looks. */
  look(): ReturnType<Reconciliation['report']> {
    this.nowMs += RECONCILE_AGAIN_MS;
    this.reconciliation.step();
    return this.reconciliation.report();
  }

  /** The shard has taken the order over. */
  settle(orderId: number, change: Partial<ParentState> = {}): void {
    const state = this.states.get(orderId as OrderId)!;
    this.states.set(orderId as OrderId, { ...state, isReconciling: false, ...change });
  }

  #ask(question: Question, answer: (page: Page) => void): void {
    const { account, venue, after } = question as Extract<Question, { readonly after: string }>;
    this.asked.push(`${venue}:${after}`);
    const page = this.page(venue, after, account);
    answer(page instanceof Rejected ? page : { knownSinceMs: 0, ...page });
  }

  #cancel({ orderId, child }: { orderId: number; child: number }): boolean {
    this.cancelled.push(`${orderId}-${child}`);
    return true;
  }
}

describe('A reconciliation', () => {
  it('reads every page of an exchange once and passes on the orders of all pages', () => {
    const room = new Room(['alice'], ['BINANCE']);
    room.states.set(1 as OrderId, stored(1, { childCount: 0 }));
    const pages = new Map<string, Page>([
      ['', { orders: [listed(1, { child: 1 as ChildNumber })], next: 'p2' }],
      ['p2', { orders: [listed(1, { child: 2 as ChildNumber })], next: 'p3' }],
      ['p3', { orders: [listed(1, { child: 3 as ChildNumber })], next: '' }],
    ]);
    room.page = (_venue, after) => pages.get(after)!;
    for (let look = 0; look < 3; look += 1) expect(room.look().isComplete).toBe(false);
    expect(room.asked).toEqual(['BINANCE:', 'BINANCE:p2', 'BINANCE:p3']);
    expect(room.changed).toEqual([{ orderId: 1, children: 3 }]);
    room.settle(1);
    expect(room.look()).toMatchObject({ isComplete: true, adoptedCount: 3 });
  });

  it('neither repeats a command nor its count of children while the store does not show it yet', () => {
    const room = new Room(['alice'], ['BINANCE']);
    room.states.set(1 as OrderId, stored(1, { childCount: 0 }));
    room.page = () => ({ orders: [listed(1, { child: 1 as ChildNumber })], next: '' });
    room.look();
    for (let step = 0; step < 5; step += 1) room.reconciliation.step();
    expect(room.changed).toEqual([{ orderId: 1, children: 1 }]);
    expect(room.look()).toMatchObject({ isComplete: false, adoptedCount: 0 });
    expect(room.changed).toEqual([
      { orderId: 1, children: 1 },
      { orderId: 1, children: 0 },
    ]);
    room.settle(1);
    expect(room.look()).toMatchObject({ isComplete: true, adoptedCount: 1 });
  });

  it('reads the open orders of an account twice, however many pages its exchanges have', () => {
    const room = new Room();
    room.states.set(1 as OrderId, stored(1));
    room.page = (_venue, after) => ({ orders: [], next: Number(after) < 9 ? String(Number(after) + 1) : '' });
    for (let look = 0; look < 20; look += 1) room.look();
    expect(room.asked.length).toBeGreaterThanOrEqual(20);
    expect(room.readCount).toBe(2);
  });

  it('stays incomplete when the order history of an exchange begins after the backup', () => {
    const room = new Room();
    room.states.set(1 as OrderId, stored(1));
    room.page = (venue) => ({ orders: [], next: '', knownSinceMs: venue === 'OKX' ? SINCE_MS + 1 : SINCE_MS });
    for (let look = 0; look < 3; look += 1) room.look();
    expect(room.changed).toEqual([]);
    const { isComplete, accounts } = room.look();
    expect(isComplete).toBe(false);
    expect(accounts[0]!.waitingVenues).toEqual([
      {
        venue: 'OKX',
        why:
          'its order history begins at 1970-01-01T00:00:01.001Z, but orders since 1970-01-01T00:00:01.000Z are needed: ' +
          'the backup is too old; restore a newer one',
      },
    ]);
  });

  it('repeats a list for open orders of unknown parents also after the history has passed the backup', () => {
    const room = new Room(['alice'], ['OKX']);
    let state: ListedOrder['state'] = 'OPEN';
    let knownSinceMs: number = SINCE_MS;
    room.page = () => ({ orders: [listed(9, { state })], next: '', knownSinceMs });
    room.look();
    expect(room.cancelled).toEqual(['9-1']);
    [state, knownSinceMs] = ['CANCELLED', SINCE_MS + 1];
    expect(room.look()).toMatchObject({ isComplete: true });
  });

  it('waits for an exchange that is down, names it, and continues at the same page', () => {
    const room = new Room();
    room.states.set(1 as OrderId, stored(1));
    let isDown = true;
    room.page = (venue, after) => {
      if (venue === 'BINANCE') return { orders: [], next: '' };
      if (after === '') return { orders: [listed(1, { child: 2 as ChildNumber })], next: 'p2' };
      return isDown ? new Rejected(DOWN) : { orders: [], next: '' };
    };
    for (let look = 0; look < 5; look += 1) room.look();
    expect(room.look()).toMatchObject({
      isComplete: false,
      accounts: [{ isComplete: false, waitingVenues: [{ venue: 'OKX', why: 'exchange OKX is down' }] }],
    });
    expect(room.changed).toEqual([]);
    isDown = false;
    room.look();
    expect(room.asked.filter((question) => question === 'OKX:')).toHaveLength(1);
    expect(room.changed).toEqual([{ orderId: 1, children: 1 }]);
    room.settle(1);
    expect(room.look().isComplete).toBe(true);
  });

  it('is complete for an account while an exchange of another account is down', () => {
    const room = new Room(['alice', 'bob'], ['OKX']);
    room.page = (_venue, _after, account) => (account === 'bob' ? new Rejected(DOWN) : { orders: [], next: '' });
    for (let look = 0; look < 3; look += 1) room.look();
    expect(room.look().accounts.map(({ account, isComplete }) => [account, isComplete])).toEqual([
      ['alice', true],
      ['bob', false],
    ]);
  });

  it('cancels orders of unknown parents and lists again until no such order is open', () => {
    const room = new Room(['alice'], ['BINANCE']);
    let state: ListedOrder['state'] = 'OPEN';
    room.page = () => ({ orders: [listed(99, { state, filled: 40 as Lots })], next: '' });
    expect(room.look()).toMatchObject({ isComplete: false, openOrphanCount: 1 });
    expect(room.look().isComplete).toBe(false);
    expect(room.cancelled).toEqual(['99-1', '99-1']);
    state = 'CANCELLED';
    expect(room.look()).toMatchObject({ isComplete: true, orphanCount: 1, openOrphanCount: 0 });
  });

  it('does not wait for the children of a quarantined order', () => {
    const room = new Room(['alice'], ['BINANCE']);
    const quarantine = { reason: 'CONTRADICTORY_REPORT', detail: '', sinceMs: START_MS, isReleased: false } as const;
    const rig = new ShardRig();
    rig.work(orderOf(1));
    const [child] = rig.state(1)!.legs[0].children;
    const unknown = { ...child!, state: 'UNKNOWN', venueOrderId: null } as LiveChild;
    room.states.set(1 as OrderId, stored(1, { children: [unknown] }));
    room.look();
    room.settle(1);
    expect(room.look().isComplete).toBe(false);
    room.settle(1, { quarantine });
    expect(room.look().isComplete).toBe(true);
  });
});
