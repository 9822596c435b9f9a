import { expect, it, onTestFinished, vi } from 'vitest';
import type { AccountId, ChildNumber, OrderId } from '../../../../src/domain/ids.js';
import { DENIED_MS_MAX } from '../../../../src/domain/limits/live.js';
import type { Lots, Ticks } from '../../../../src/domain/quantity.js';
import { OrderSession } from '../../../../src/venue/live/order-session.js';
import { newKey } from '../../../loopback/accounts.js';
import { BinanceLoopback } from '../../../loopback/binance/binance-loopback.js';
import { orderOf, START_MS } from '../../../shard/sample-orders.js';
import { ShardRig } from '../../../shard/shard-rig.js';
import { accepted, credentials, now, openExchange, passed, until } from './loopback-exchange.js';

/*
 * Binance wipes its test environment monthly: orders that it has acknowledged are gone, with their trades and balances.
 */

const ACCOUNT = 'alice' as AccountId;
const TICK_MS = 10;
const QUOTE_MS = 1_000;
const FILLED = 400 as Lots;

/** A shard and an account at an exchange, with an order of 0.01 BTC that rests there. */
async function restingOrder() {
  vi.setSystemTime(START_MS);
  const loopback = await BinanceLoopback.start({ seed: 'wiped' });
  const { exchange } = await openExchange(loopback, 'spot');
  const owner = loopback.openAccount([newKey()]);
  const rig = new ShardRig();
  accepted(await exchange.measureClock());
  const { key, secret } = owner.keys[0]!;
  const account = accepted(
    await exchange.openAccount(credentials(key, { text: secret! }), {
      onSubscribed: () => session.onSubscribed(),
      onCut: (nowMs) => session.onCut(nowMs),
      onOrder: (update, nowMs) => session.onUpdate(update, nowMs),
      onBalances: () => undefined,
      onPositions: () => undefined,
      onRefused: () => undefined,
      onRefusedTime: () => undefined,
      instrumentOf: (child) => session.instrumentOf(child),
    }),
  );
  const session: OrderSession = new OrderSession({
    account: ACCOUNT,
    venue: 'BINANCE',
    client: account.client,
    rules: exchange.rules,
    startedAtMs: now(),
    report: (report) => rig.inbox.reports.push(report),
    onLink: (isUp) => rig.link('BINANCE', isUp, ACCOUNT),
    onContradiction: () => undefined,
  });
  let quotedAtMs = 0;
  const timer = setInterval(() => {
    rig.nowMs = now();
    if (now() - quotedAtMs >= QUOTE_MS) {
      quotedAtMs = now();
      rig.quote({ bid: 4_999_990, ask: 5_000_010, last: 5_000_000 });
    }
    rig.shard.turn();
    for (const request of rig.venue.requests.splice(0)) {
      if (request.kind === 'Submit' || request.kind === 'Cancel' || request.kind === 'QueryStatus') {
        session.handle(request, now());
      }
    }
    session.advance(now());
  }, TICK_MS);
  onTestFinished(async () => {
    clearInterval(timer);
    await exchange.close();
    await loopback.close();
  });
  account.start();
  await until(() => session.isLinked, 'the link');
  rig.nowMs = now();
  const terms = { createdAtMs: now(), startAtMs: now(), limitPrice: 4_900_000 as Ticks };
  rig.create(orderOf(1, terms));
  rig.fund();
  await until(() => stateOf(rig) === 'OPEN', 'the resting child');
  return { loopback, owner, rig, session };
}

function stateOf(rig: ShardRig): string | undefined {
  return rig.state(1)?.legs[0].children[0]?.state;
}

it('quarantines the order of a child that is gone after 5 minutes, until an operator settles it', async () => {
  const { loopback, owner, rig, session } = await restingOrder();
  const wipedAtMs = now();
  loopback.wipe();
  expect(loopback.spot.exchange.ledger.ordersOf(owner.id)).toEqual([]);
  expect(owner.spot.balance('USDT')).toEqual({ free: 0n, locked: 0n });
  await until(() => !session.isLinked, 'the cut');
  await until(() => session.isLinked, 'the link again');
  await until(() => stateOf(rig) === 'UNKNOWN', 'the status request');
  for (let waits = 0; rig.state(1)!.quarantine === null && waits < 400; waits += 1) await passed(1_000);
  expect(now() - wipedAtMs).toBeGreaterThan(DENIED_MS_MAX);
  expect(rig.state(1)).toMatchObject({
    quarantine: { reason: 'DENIED_CHILD' },
    legs: [{ childCount: 1, children: [{ state: 'UNKNOWN' }] }],
  });
  rig.post({
    kind: 'SettleChild',
    orderId: 1 as OrderId,
    child: 1 as ChildNumber,
    filled: FILLED,
    price: 4_900_000 as Ticks,
    reason: 'the test environment was wiped',
    by: 'operator',
  });
  await until(() => rig.state(1)?.endedAtMs !== null, 'the end of the order');
  expect(rig.state(1)).toMatchObject({ legs: [{ childCount: 1, children: [], progress: { filled: FILLED } }] });
});
