import { assert } from '../../src/domain/rejection.js';
import type { AccountId, CorrelationId, OrderId } from '../../src/domain/ids.js';
import type { VenueReport } from '../../src/domain/venue-report.js';
import { encodeState } from '../../src/wire/codec/state.js';
import { balancesAfter } from './balances.js';
import { ACCOUNTS, CATALOGUE } from './listed.js';
import { filledOf, isEnded, notionalOf } from './order-model.js';
import { textOf, type TrueFill } from './venue-truth.js';
import type { World } from './world.js';
import { hedgingIndexOf, legAt } from '../../src/domain/pair.js';
import { leadingOf, liveChildren } from '../../src/domain/order-state.js';
import { targetOf } from '../venue/child-target.js';

/** Checks that journal, venue, clients and model agree when all orders have ended and no message is left. */
export function judge(world: World): void {
  world.clients.check((orderId) => world.journal.states.has(orderId));
  world.checkStreams();
  assert(world.process.front.main.orders.pendingCount === 0, 'every command was answered');
  assert(world.journal.openCount === 0, 'no order is open');
  judgeStates(world);
  world.trader.checkAnswers();
  judgeChildren(world);
  judgeTotals(world);
  for (const account of ACCOUNTS) judgeBalances(world, account as AccountId);
}

/** Checks that no thread subscribes to a market. */
export function judgeMarkets(world: World): void {
  const watched = watchedMarkets(world);
  assert(watched.length === 0, `these markets are still watched, without an open order: ${watched.join()}`);
}

/** Symbols of the markets that a thread subscribes to. */
export function watchedMarkets(world: World): readonly string[] {
  const watched = CATALOGUE.instruments.filter(({ index }) => world.process.venue.isWatched(index));
  return watched.map(({ symbol }) => symbol);
}

function judgeStates({ audit, journal }: World): void {
  assert(audit.orders.size === journal.states.size, 'every order is stored');
  for (const [orderId, order] of audit.orders) {
    assert(isEnded(order), `order ${orderId} has ended`);
    const state = journal.state(orderId);
    assert(state !== null, `order ${orderId} is stored`);
    const { status } = state;
    const { progress } = leadingOf(state);
    assert(status === order.status, `order ${orderId} is stored as ${status} and is ${order.status}`);
    assert(BigInt(progress.filled) === filledOf(order), `order ${orderId} is stored with what is filled`);
    assert(progress.notional === notionalOf(order), `order ${orderId} is stored with its notional`);
    const { pair } = state.order;
    const isSame =
      pair === null || BigInt(legAt(state.legs, hedgingIndexOf(pair)).progress.filled) === filledOf(order, true);
    assert(isSame, `order ${orderId} is stored with what is filled of its other leg`);
    assert(liveChildren(state).length === 0, `no child of order ${orderId} lives`);
  }
  // 8. Replay gives byte-equal state.
  for (const [orderId, state] of journal.folded()) {
    const stored = journal.states.get(orderId);
    const isEqual = stored !== undefined && Buffer.compare(encodeState(state), stored.bytes) === 0;
    assert(isEqual, `the stored state of order ${orderId} is the fold of its events`);
  }
}

/** Expects that each sent child has ended at the venue with exactly the fills of the journal. */
function judgeChildren(world: World): void {
  const { truth, process } = world;
  for (const [name, submission] of truth.submissions) {
    const reports = process.venue.ask({ kind: 'QueryStatus', ...targetOf(submission) });
    const answer = reports.find((report) => report.kind === 'StatusAnswered');
    assert(answer?.kind === 'StatusAnswered' && answer.answer.state !== 'OPEN', `child ${name} has ended at the venue`);
    judgeFills(world, name, submission.orderId);
  }
}

/** Expects that no order traded more than the largest quantity that it ever had, also across restores. */
function judgeTotals({ truth, audit }: World): void {
  const totals = new Map<string, { orderId: OrderId; isOfOther: boolean; lots: number }>();
  for (const { submission, fill } of truth.fills()) {
    const { orderId, instrument } = submission;
    const isOfOther = audit.isOfOther(orderId, instrument);
    const total = totals.get(`${orderId}/${isOfOther}`) ?? { orderId, isOfOther, lots: 0 };
    totals.set(`${orderId}/${isOfOther}`, { ...total, lots: total.lots + fill.quantity });
  }
  for (const { orderId, isOfOther, lots } of totals.values()) {
    const order = audit.orders.get(orderId);
    if (truth.isForged(orderId) || (order?.lateFills ?? 0) > 0) continue;
    const most = audit.quantityMaxOf(orderId, isOfOther);
    assert(lots <= most, `order ${orderId} has traded ${lots} lots at its venue, and was for ${most}`);
  }
}

function judgeFills({ truth, ledger, audit }: World, name: string, orderId: OrderId): void {
  const order = audit.orders.get(orderId);
  // A restore has lost the order. No child of it trades now.
  if (order === undefined) return;
  const [fills, recorded] = [truth.fillsOf(name), ledger.of(name)];
  // While a quarantined order ends, a report of the end of a child counts even if fills are missing.
  const isWhole = order.quarantine === null && !order.isOld;
  if (isWhole)
    assert(recorded.size === fills.size, `child ${name}: ${recorded.size} fills of ${fills.size} are recorded`);
  for (const [tradeId, fill] of fills) {
    const twin = recorded.get(tradeId);
    if (twin === undefined && !isWhole) continue;
    const isSame = twin !== undefined && textOf(twin) === textOf(fill);
    assert(isSame || truth.isForged(orderId), `child ${name}: fill ${tradeId} is recorded as it was`);
  }
}

/** Currencies of funding payments. */
const PAID_IN = new Set(
  CATALOGUE.instruments.filter(({ assetCategory }) => assetCategory === 'FUTURE').map(({ quote }) => quote),
);

function judgeBalances({ process, truth, hasFunding }: World, account: AccountId): void {
  for (const venue of new Set(CATALOGUE.instruments.map((instrument) => instrument.venue))) {
    const correlationId = 0 as CorrelationId;
    const [report] = process.venue.ask({ kind: 'QueryFunds', correlationId, account, venue }) as [VenueReport];
    assert(report.kind === 'Funds' && report.isSnapshot, 'the venue tells all balances');
    const isOwn = ({ submission }: TrueFill): boolean => submission.account === account && submission.venue === venue;
    const expected = balancesAfter([...truth.fills()].filter(isOwn));
    assert(report.balances.length === expected.size, `${account} has no other assets at ${venue}`);
    for (const { asset, total, free } of report.balances) {
      // Funding payments are computed by the venue alone.
      if (hasFunding && PAID_IN.has(asset)) continue;
      const wanted = expected.get(asset);
      const found = `${account} has ${total} ${asset} at ${venue}, ${free} of it free`;
      assert(wanted?.total === total && wanted.free === free, `${found}, instead of ${wanted?.total}, ${wanted?.free}`);
    }
  }
}
