import { assert } from '../../src/model/assert.js';
import type { AccountId, ChildNumber, CorrelationId, OrderId } from '../../src/model/ids.js';
import { parseChildClientId } from '../../src/model/ids.js';
import type { ChildRef, VenueReport } from '../../src/model/venue-message.js';
import { encodeState } from '../../src/wire/codec/index.js';
import { ACCOUNTS, CATALOGUE } from './listed.js';
import { filledOf, isEnded, notionalOf } from './order-model.js';
import type { World } from './world.js';

/** What must be true when all orders have ended and all is quiet: journal, venue, clients and model tell one story. */
export function judge(world: World): void {
  world.clients.check((orderId) => world.journal.states.has(orderId));
  world.checkStreams();
  assert(world.process.front.main.orders.pendingCount === 0, 'every command was answered');
  assert(world.journal.openCount === 0, 'no order is open');
  judgeStates(world);
  world.trader.checkAnswers();
  judgeChildren(world);
  for (const account of ACCOUNTS) judgeBalances(world, account as AccountId);
}

/** Nobody watches a market any more. */
export function judgeMarkets(world: World): void {
  const watched = CATALOGUE.instruments.filter(({ index }) => world.process.venue.isWatched(index));
  assert(watched.length === 0, `markets are watched for nobody: ${watched.map(({ symbol }) => symbol).join()}`);
}

function judgeStates({ audit, journal }: World): void {
  assert(audit.orders.size === journal.states.size, 'every order is stored');
  for (const [orderId, order] of audit.orders) {
    assert(isEnded(order), `order ${orderId} has ended`);
    const state = journal.state(orderId);
    assert(state !== null, `order ${orderId} is stored`);
    const { progress, children, status } = state;
    assert(status === order.status, `order ${orderId} is stored as ${status} and is ${order.status}`);
    assert(BigInt(progress.filled) === filledOf(order), `order ${orderId} is stored with what is filled`);
    assert(progress.notional === notionalOf(order), `order ${orderId} is stored with its notional`);
    assert(children.length === 0, `no child of order ${orderId} lives`);
  }
  // 8. Replay gives byte-equal state.
  for (const [orderId, state] of journal.folded()) {
    const stored = journal.states.get(orderId);
    const isEqual = stored !== undefined && Buffer.compare(encodeState(state), stored) === 0;
    assert(isEqual, `the stored state of order ${orderId} is the fold of its events`);
  }
}

/** Each child ended at the venue, with the very fills that the journal has. */
function judgeChildren(world: World): void {
  for (const id of world.audit.submitted.keys()) {
    const ref = parseChildClientId(id);
    assert(ref !== null, `${id} is a client id`);
    const reports = world.process.venue.ask({ kind: 'Query', ...refOf(world, ref.orderId, ref.child) });
    const fills = reports.flatMap((report) => (report.kind === 'Filled' ? report.fill : []));
    const answer = reports.find((report) => report.kind === 'QueryAnswered');
    assert(answer?.kind === 'QueryAnswered' && answer.answer.state !== 'OPEN', `child ${id} has ended at the venue`);
    const recorded = world.ledger.of(ref.orderId, ref.child);
    assert(recorded.length === fills.length, `child ${id}: ${recorded.length} fills of ${fills.length} are recorded`);
    for (const fill of fills) {
      const twin = recorded.find(({ tradeId }) => tradeId === fill.tradeId);
      const isSame = twin?.quantity === fill.quantity && twin.price === fill.price && twin.fee === fill.fee;
      assert(isSame, `child ${id}: fill ${fill.tradeId} is recorded as it was`);
    }
  }
}

function refOf({ audit }: World, orderId: OrderId, child: ChildNumber): ChildRef {
  const order = audit.orders.get(orderId);
  assert(order !== undefined, `order ${orderId} is known`);
  return { account: order.created.account, venue: order.created.venue, orderId, child };
}

function judgeBalances({ process, ledger }: World, account: AccountId): void {
  for (const venue of new Set(CATALOGUE.instruments.map((instrument) => instrument.venue))) {
    const correlationId = 0 as CorrelationId;
    const [report] = process.venue.ask({ kind: 'QueryFunds', correlationId, account, venue }) as [VenueReport];
    assert(report.kind === 'Funds' && report.isSnapshot, 'the venue tells all balances');
    const expected = ledger.balances(account, venue);
    assert(report.balances.length === expected.size, `${account} has no other assets at ${venue}`);
    for (const { asset, total, free } of report.balances) {
      const wanted = expected.get(asset);
      const found = `${account} has ${total} ${asset} at ${venue}, ${free} of it free`;
      assert(wanted?.total === total && wanted.free === free, `${found}, instead of ${wanted?.total}, ${wanted?.free}`);
    }
  }
}
