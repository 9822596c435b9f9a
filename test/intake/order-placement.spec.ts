import * as fc from 'fast-check';
import { beforeEach, describe, expect, it } from 'vitest';
import { OrderPlacement } from '../../src/intake/order-placement.js';
import type { OrderSummary } from '../../src/api/order/order-details.js';
import type { CreateOutcome } from '../../src/domain/command.js';
import type { ParentOrderDraft } from '../../src/domain/order.js';
import type { OrderSender } from '../../src/intake/trading-gate.js';
import type { OrderId, SessionNumber } from '../../src/domain/ids.js';
import { IDEMPOTENCY_WAITERS_MAX, SETTLED_CREATES_MAX } from '../../src/domain/limits/clients.js';
import { IDEMPOTENCY_MS } from '../../src/domain/limits/trading.js';
import type { EpochMs } from '../../src/domain/time.js';
import { earlierCreates, FakeOrderBook } from './fake-order-book.js';
import { PRICES } from '../http/prices.js';
import { BY_DEMO, CATALOGUE, DEMO, NOW_MS, OTHER, createBody, parentState } from '../http/orders.js';

const EARLIER = earlierCreates();
const FAKES = { catalogue: CATALOGUE, market: PRICES, haltOf: () => null, earlier: EARLIER };

describe('placing an order', () => {
  let book: FakeOrderBook;
  let placement: OrderPlacement;
  let nowMs: number;
  beforeEach(() => {
    book = new FakeOrderBook();
    nowMs = NOW_MS;
    const clock = { nowMs: () => nowMs as EpochMs };
    placement = new OrderPlacement({ ...FAKES, commands: book, reader: book, whenComplete: book.whenComplete, clock });
  });

  function place(fields: Record<string, unknown>, account = DEMO): OrderSummary[] {
    const answers: OrderSummary[] = [];
    placement.place({ ...BY_DEMO, account }, createBody(fields), (summary) => answers.push(summary));
    return answers;
  }

  /** The drafts that are sent from now on. The test answers them. */
  function keepDrafts(): { draft: ParentOrderDraft; answer: (outcome: CreateOutcome) => void }[] {
    const sent: ReturnType<typeof keepDrafts> = [];
    const commands: OrderSender = {
      create: (draft, answer) => void sent.push({ draft, answer }),
      change: () => undefined,
    };
    const clock = { nowMs: () => NOW_MS };
    placement = new OrderPlacement({ ...FAKES, commands, reader: book, whenComplete: book.whenComplete, clock });
    return sent;
  }

  const NAMED = { client_order_id: 'once' };

  it('answers a repetition with the first order and its present status', () => {
    const [first] = place(NAMED);
    const state = book.stateOf(first?.orderId as OrderId);
    book.put({ ...state, status: 'PARTIALLY_FILLED' });
    nowMs += 1000;
    expect(place({ ...NAMED, quantity: '0.500' })).toEqual([
      { ...first, status: 'PARTIALLY_FILLED', createdAtMs: NOW_MS, outcome: null },
    ]);
    expect(book.placedCount).toBe(1);
  });

  it('gives an order the session of its first create', () => {
    const session = 1 as SessionNumber;
    placement.place({ ...BY_DEMO, session }, createBody(NAMED), () => undefined);
    placement.place({ ...BY_DEMO, session: 2 as SessionNumber }, createBody(NAMED), () => undefined);
    place(NAMED);
    place({ client_order_id: 'other' });
    expect([1, 2].map((id) => book.stateOf(id as OrderId).order.session)).toEqual([session, null]);
    expect(book.placedCount).toBe(2);
  });

  it('refuses a different order with the same client_order_id', () => {
    place(NAMED);
    const [answer] = place({ ...NAMED, quantity: '0.6' });
    expect(answer).toMatchObject({ orderId: null, status: 'REJECTED', outcome: { code: 'INVALID_REQUEST' } });
    expect(book.placedCount).toBe(1);
  });

  it('accepts one client_order_id in two accounts', () => {
    place(NAMED);
    place(NAMED, OTHER);
    expect(book.placedCount).toBe(2);
  });

  it('answers a repetition with the first order also when its times have passed', () => {
    const timed = {
      ...NAMED,
      start_time: new Date(NOW_MS).toISOString(),
      end_time: new Date(NOW_MS + 1).toISOString(),
    };
    const [first] = place(timed);
    nowMs += 3_600_000;
    expect(place(timed)).toEqual([first]);
    expect(place({ ...timed, client_order_id: 'new' })[0]?.outcome?.code).toBe('INVALID_TRADE_TIME');
  });

  it('reserves no client_order_id for a refused order', () => {
    place({ ...NAMED, side: 'UP' });
    book.refusal = { code: 'SYSTEM_BUSY', message: 'full' };
    place(NAMED);
    book.refusal = null;
    expect(place({ ...NAMED, quantity: '0.7' })[0]?.status).toBe('PENDING_NEW');
  });

  it('frees the client_order_id three days after the end of its order, not before', () => {
    const [first] = place(NAMED);
    const state = book.stateOf(first?.orderId as OrderId);
    book.put({ ...state, status: 'CANCELLED', endedAtMs: NOW_MS });
    nowMs = NOW_MS + IDEMPOTENCY_MS;
    expect(place(NAMED)[0]?.status).toBe('CANCELLED');
    nowMs += 1;
    expect(place(NAMED)[0]?.status).toBe('PENDING_NEW');
  });

  it('lets repetitions wait for the first answer and refuses different orders meanwhile', () => {
    book.isInstant = false;
    const answers = [place(NAMED), place(NAMED), place({ ...NAMED, quantity: '0.9' })];
    expect(answers.map((given) => given.length)).toEqual([0, 0, 1]);
    book.settle();
    expect(answers.map((given) => given[0]?.status)).toEqual(['PENDING_NEW', 'PENDING_NEW', 'REJECTED']);
    expect(answers[1]).toEqual(answers[0]);
  });

  it('bounds the number of waiting repetitions', () => {
    book.isInstant = false;
    const answers = Array.from({ length: IDEMPOTENCY_WAITERS_MAX + 2 }, () => place(NAMED));
    expect(answers.at(-1)?.[0]?.outcome?.code).toBe('SYSTEM_BUSY');
    book.settle();
    expect(answers.every((given) => given.length === 1)).toBe(true);
    expect(book.placedCount).toBe(1);
  });

  it('refuses a client_order_id whose first create may still be carried out', () => {
    const sent = keepDrafts();
    const first = place(NAMED);
    const rejection = { code: 'SYSTEM_BUSY', message: 'unknown' } as const;
    sent[0]?.answer({ kind: 'refused', rejection, unresolvedOrderId: 9 as OrderId });
    expect(first[0]?.outcome).toEqual(rejection);
    expect(place(NAMED)[0]?.outcome?.message).toContain('may still make order_id 9');
    expect(sent).toHaveLength(1);
    book.put(parentState({ ...sent[0]?.draft, orderId: 9 as OrderId }));
    expect(place(NAMED)[0]).toMatchObject({ orderId: 9, status: 'ACCEPTED' });
  });

  it('lets later requests wait for an order without an id, and for the members of a batch', () => {
    const drafts = keepDrafts();
    const rejection = { code: 'QUANTITY_EXCEED', message: 'no' } as const;
    place({});
    expect(EARLIER.isAny(DEMO)).toBe(true);
    drafts[0]!.answer({ kind: 'refused', rejection });
    expect(EARLIER.isAny(DEMO)).toBe(false);
    placement.placeMany(BY_DEMO, { orders: [createBody({}), createBody({ quantity: '-1' })] }, () => undefined);
    expect(EARLIER.isAny(DEMO)).toBe(true);
    drafts[1]!.draft.orderId = 4 as OrderId;
    drafts[1]!.answer({ kind: 'created', orderId: 4 as OrderId, createdAtMs: NOW_MS });
    expect(EARLIER.isAny(DEMO)).toBe(false);
    for (const fields of [{ quantity: '-1' }, { start_time: 'never' }]) place(fields);
    expect(EARLIER.isAny(DEMO)).toBe(false);
  });

  it('refuses a client_order_id while the store lacks an acknowledged create', () => {
    const [first] = place(NAMED);
    book.isBehind = true;
    expect(place(NAMED)[0]).toMatchObject({ orderId: null, outcome: { code: 'SYSTEM_BUSY' } });
    expect(place({ client_order_id: 'another' })[0]?.orderId).not.toBeNull();
    book.isBehind = false;
    expect(place(NAMED)[0]?.orderId).toBe(first?.orderId);
    expect(book.placedCount).toBe(2);
  });

  it('waits with a repeated client_order_id for a store that is behind, and equal requests join it', () => {
    const [first] = place(NAMED);
    book.reads.hold();
    const [second, third] = [place(NAMED), place(NAMED)];
    const other = place({ ...NAMED, quantity: '2' });
    expect([second, third]).toEqual([[], []]);
    expect(other[0]).toMatchObject({ orderId: null, outcome: { code: 'INVALID_REQUEST' } });
    expect(EARLIER.isAny(DEMO)).toBe(true);
    book.refresh();
    book.reads.release();
    expect([second[0]?.orderId, third[0]?.orderId]).toEqual([first?.orderId, first?.orderId]);
    expect(EARLIER.isAny(DEMO)).toBe(false);
    expect([place(NAMED)[0]?.orderId, book.placedCount]).toEqual([first?.orderId, 1]);
  });

  it('places nothing for a create whose wait for the store ends after the begin of the shutdown', () => {
    place(NAMED);
    book.reads.hold();
    const again = place(NAMED);
    placement.stopAccepting();
    book.reads.release();
    expect(again[0]).toMatchObject({ orderId: null, outcome: { code: 'SYSTEM_BUSY' } });
    expect(book.placedCount).toBe(1);
  });

  it('forgets answered creates without a wait when the store shows them', () => {
    for (let index = 0; index < SETTLED_CREATES_MAX + 100; index += 1)
      place({ client_order_id: `one of many ${index}` });
    expect(book.refreshedCount).toBe(0);
    const again = Array.from({ length: 20 }, (_, index) => `one of many ${index * 500}`);
    const ids = again.map((name) => place({ client_order_id: name })[0]?.orderId);
    expect(new Set(ids).size).toBe(again.length);
    expect(book.placedCount).toBe(SETTLED_CREATES_MAX + 100);
  });

  it('reads a new snapshot of the store after a bounded number of answers', () => {
    book.isLate = true;
    for (let index = 0; index < SETTLED_CREATES_MAX; index += 1) place({ client_order_id: `one of many ${index}` });
    const refreshed = book.refreshedCount;
    place({ client_order_id: 'one more' });
    place({ client_order_id: 'and another' });
    expect(book.refreshedCount - refreshed).toBe(1);
  });

  it('frees the client order id when the commands throw', () => {
    const broken = new OrderPlacement({
      ...FAKES,
      commands: {
        create: () => {
          throw new Error('a bug');
        },
      },
      reader: book,
      whenComplete: book.whenComplete,
      clock: { nowMs: () => NOW_MS },
    });
    const attempt = (): void => broken.place(BY_DEMO, createBody(NAMED), () => undefined);
    expect(attempt).toThrow('a bug');
    expect(attempt).toThrow('a bug');
  });

  it('places one order for each client_order_id in any sequence of requests and answers', () => {
    const storm = fc.array(fc.record({ id: fc.integer({ min: 1, max: 3 }), settles: fc.boolean() }), { maxLength: 60 });
    fc.assert(
      fc.property(storm, (requests) => {
        book = new FakeOrderBook();
        book.isInstant = false;
        placement = new OrderPlacement({
          ...FAKES,
          commands: book,
          reader: book,
          whenComplete: book.whenComplete,
          clock: { nowMs: () => NOW_MS },
        });
        const answers = requests.map(({ id, settles }) => {
          const given = place({ client_order_id: `storm-${id}` });
          if (settles) book.settle();
          return { id, given };
        });
        book.settle();
        expect(book.placedCount).toBe(new Set(requests.map(({ id }) => id)).size);
        for (const { id, given } of answers) {
          expect(given).toHaveLength(1);
          expect(given[0]?.orderId).toBe(answers.find((answer) => answer.id === id)?.given[0]?.orderId);
        }
      }),
    );
  });
});
