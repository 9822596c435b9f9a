import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { BinanceLoopback } from '../../loopback/binance/binance-loopback.js';
import { units } from '../../loopback/decimal.js';
import type { OrderTerms } from '../../loopback/order.js';
import {
  acceptedTwice,
  excesses,
  inventedFills,
  ledgerOf,
  lostLive,
  missedFills,
  settledParents,
  silentWaits,
  strangers,
  wrongBalances,
  wronglyAbsent,
  wrongSums,
} from './judge.js';
import { balancesOf, copyOf, type LedgerCopy } from './ledger-copy.js';
import { illegalOrders } from './order-statuses.js';
import type { AccountView, ShownBalance, ShownParent, ShownTrade } from './service-view.js';

/*
 * Each fault that the judge must find is planted in a correct view of a service, or in the exchange. Parent 101 has
 * ended with fills, parent 102 has an open order.
 */

const MARKET = 'SPOT BTCUSDT';
const NOW_MS = 1_800_000_000_000;
const ASKED = new Map([
  ['101', new Map([[MARKET, '0.02']])],
  ['102', new Map([[MARKET, '0.01']])],
]);

let loopback: BinanceLoopback;
let account: number;
let ledger: LedgerCopy;
let view: AccountView;

function place(clientId: string, terms: Partial<OrderTerms> = {}): void {
  const { instrument } = loopback.spot.exchange.market('BTCUSDT')!;
  const placed = loopback.spot.exchange.place({
    account,
    instrument,
    clientId,
    side: 'BUY',
    type: 'LIMIT',
    timeInForce: 'GTC',
    isPostOnly: false,
    isReduceOnly: false,
    positionSide: 'BOTH',
    quantity: units('0.01'),
    price: units('50100'),
    prevention: 'NONE',
    wireType: 'LIMIT',
    wireTimeInForce: 'GTC',
    quoteQuantity: 0n,
    ...terms,
  });
  if (typeof placed === 'string') throw new Error(placed);
}

function copy(): LedgerCopy {
  const balances = balancesOf(account, [loopback.accounts.at(account).spot]);
  return ledgerOf({ ...copyOf(loopback.spot.exchange, 'SPOT'), balances }, account);
}

/** What a service without faults shows of the ledger. */
function correctView({ orders, fills }: LedgerCopy): AccountView {
  const parents = ['101', '102'].map((orderId): ShownParent => {
    const own = orders.filter(({ clientId }) => clientId.startsWith(`${orderId}-`));
    const isOpen = own.some((order) => order.isOpen);
    return {
      orderId,
      status: isOpen ? 'ACCEPTED' : 'FILLED',
      endAtMs: null,
      message: null,
      quarantine: null,
      filledByMarket: new Map([[MARKET, isOpen ? '0' : '0.02']]),
      children: new Map(
        own.map(({ clientId, isOpen: rests }) => [
          clientId,
          { status: rests ? 'ACCEPTED' : 'FILLED', wasAbsent: false },
        ]),
      ),
      statuses: ['PENDING_NEW', 'ACCEPTED', ...(isOpen ? [] : ['PARTIALLY_FILLED', 'FILLED'])],
    };
  });
  const trades = fills.map(
    ({ exchangeOrderId, tradeId, side, quantity, price, fee, feeAsset, isMaker }): ShownTrade => {
      return { exchangeOrderId, tradeId, isTextId: false, side, quantity, price, fee, feeAsset, isMaker };
    },
  );
  return { parents, trades, nowMs: NOW_MS };
}

/** All problems that the judge finds. */
function findings(found: AccountView, exchange: LedgerCopy = ledger, after: LedgerCopy = exchange): string[] {
  const settled = settledParents(exchange, found.parents);
  return [
    ...acceptedTwice(exchange),
    ...strangers(exchange, new Set(found.parents.map(({ orderId }) => orderId))),
    ...excesses(exchange, ASKED, new Map()),
    ...inventedFills(exchange, found),
    ...missedFills(exchange, found, settled),
    ...wrongSums(exchange, found, settled),
    ...lostLive({ before: exchange, after }, found),
    ...wronglyAbsent(exchange, found),
    ...illegalOrders(found),
    ...silentWaits(found),
  ];
}

function withParent(orderId: string, change: Partial<ShownParent>): AccountView {
  return { ...view, parents: view.parents.map((one) => (one.orderId === orderId ? { ...one, ...change } : one)) };
}

function withTrade(change: (trades: readonly ShownTrade[]) => readonly ShownTrade[]): AccountView {
  return { ...view, trades: change(view.trades) };
}

beforeAll(async () => {
  loopback = await BinanceLoopback.start({ seed: 'judge' });
  account = loopback.openAccount().id;
  place('101-1');
  place('101-2');
  place('102-1', { price: units('40000') });
  ledger = copy();
  view = correctView(ledger);
});

afterAll(() => loopback.close());

describe('the judge of the live torture', () => {
  it('finds nothing in a correct view', () => {
    expect(ledger.fills.length).toBeGreaterThanOrEqual(2);
    expect(findings(view)).toEqual([]);
  });

  it('finds a client id that the exchange accepted twice', () => {
    const [order] = ledger.orders;
    const twice = { ...ledger, orders: [...ledger.orders, { ...order!, exchangeOrderId: '1' }] };
    expect(findings(view, twice)).toContainEqual(`client id 101-1 was accepted twice: ${order!.exchangeOrderId} and 1`);
  });

  it('finds a fill that the service dropped', () => {
    expect(findings(withTrade((trades) => trades.slice(1)))).toEqual([
      expect.stringMatching(/^the service does not show the fill \d+/),
    ]);
  });

  it('finds a fill that the service counted twice', () => {
    expect(findings(withTrade((trades) => [...trades, trades[0]!]))).toEqual([
      expect.stringMatching(/^the service shows a fill that the exchange does not have so often/),
    ]);
  });

  it.each([
    ['price', { price: '50000.99' }],
    ['quantity', { quantity: '0.00999' }],
    ['fee', { fee: '0' }],
    ['asset of the fee', { feeAsset: 'BNB' }],
    ['side', { side: 'SELL' }],
    ['liquidity', { isMaker: true }],
    ['trade id', { tradeId: '5' }],
    ['exchange order id', { exchangeOrderId: '7' }],
  ])('finds a fill with a wrong %s', (_what, change) => {
    const wrong = withTrade((trades) => trades.map((trade, index) => (index === 0 ? { ...trade, ...change } : trade)));
    expect(findings(wrong)).toHaveLength(2);
  });

  it('accepts any number for a trade id that is text at the exchange, and counts such fills', () => {
    const fills = ledger.fills.map((fill) => ({ ...fill, tradeId: `uuid-${fill.tradeId}` }));
    const numbered = withTrade((trades) => trades.map((trade) => ({ ...trade, tradeId: '99', isTextId: true })));
    expect(findings(numbered, { ...ledger, fills })).toEqual([]);
    const doubled = { ...numbered, trades: [...numbered.trades, numbered.trades[0]!] };
    expect(findings(doubled, { ...ledger, fills })).toHaveLength(1);
  });

  it('finds a filled quantity that is not the sum of the fills', () => {
    expect(findings(withParent('101', { filledByMarket: new Map([[MARKET, '0.01']]) }))).toEqual([
      `order 101 shows 0.01 filled in ${MARKET}, and its fills add up to 0.02`,
    ]);
  });

  it('finds a live order whose child is shown as ended, is absent, or whose parent is shown as ended', () => {
    const [id] = ledger.orders.filter(({ isOpen }) => isOpen).map(({ exchangeOrderId }) => exchangeOrderId);
    const where = `102-1 (${id}, ${MARKET}) is open`;
    const ended = new Map([['102-1', { status: 'CANCELLED', wasAbsent: false }]]);
    expect(findings(withParent('102', { children: ended }))).toEqual([
      `${where}, and the service shows it as CANCELLED`,
    ]);
    expect(findings(withParent('102', { children: new Map() }))).toEqual([
      `${where}, and the service has no such child`,
    ]);
    expect(findings(withParent('102', { status: 'CANCELLED' }))).toContain(`${where}, and its order is CANCELLED`);
  });

  it('finds an order that the exchange has filled although the service once took it for absent', () => {
    const [{ exchangeOrderId: id }] = ledger.orders as [LedgerCopy['orders'][number]];
    const children = new Map([['101-1', { status: 'FILLED', wasAbsent: true }]]);
    expect(findings(withParent('101', { children }))).toEqual([`101-1 (${id}) exists, and counted as absent`]);
  });

  it('does not blame the service for an order that ended during the read', () => {
    const after = { ...ledger, orders: ledger.orders.map((order) => ({ ...order, isOpen: false })) };
    expect(lostLive({ before: ledger, after }, withParent('102', { status: 'CANCELLED' }))).toEqual([]);
  });

  it('finds more quantity than the parent has, traded or open', () => {
    const orders = [...ledger.orders, { ...ledger.orders.at(-1)!, clientId: '102-2', exchangeOrderId: '8' }];
    expect(excesses({ ...ledger, orders }, ASKED, new Map())).toEqual([
      `order 102 has 0.02 traded or open in ${MARKET}, and asked for 0.01`,
    ]);
    expect(excesses({ ...ledger, orders }, ASKED, new Map([[`102 ${MARKET}`, '0.01']]))).toEqual([]);
  });

  it('finds an order at the exchange that no client asked for', () => {
    const orders = [...ledger.orders, { ...ledger.orders[0]!, clientId: '999-1', exchangeOrderId: '9' }];
    expect(findings(view, { ...ledger, orders })).toContain(
      'order 9 with client id 999-1 belongs to no order of a client',
    );
  });

  it('finds an unknown status, a change of a terminal status and a quarantine', () => {
    expect(illegalOrders(withParent('101', { status: 'LOST' }))).toEqual(['order 101 has the status LOST']);
    expect(illegalOrders(withParent('101', { statuses: ['FILLED', 'CANCELLED'] }))).toEqual([
      'order 101 went from FILLED to CANCELLED',
    ]);
    expect(illegalOrders(withParent('101', { quarantine: 'a report' }))).toEqual([
      'order 101 is quarantined: a report',
    ]);
  });

  it('finds an order that is late without a child and without a reason', () => {
    const late = { endAtMs: NOW_MS - 20_000, children: new Map() };
    expect(silentWaits(withParent('102', late))).toHaveLength(1);
    expect(silentWaits(withParent('102', { ...late, message: 'no market' }))).toEqual([]);
    expect(silentWaits(withParent('102', { endAtMs: NOW_MS - 20_000 }))).toEqual([]);
  });

  it('finds a balance with a wrong total or a wrong free part', () => {
    const shown = ledger.balances.map(({ asset, total, free }): ShownBalance => ({ asset, total, free: free! }));
    expect(wrongBalances(ledger.balances, shown)).toEqual([]);
    for (const member of ['total', 'free'] as const) {
      const wrong = shown.map((balance) => (balance.asset === 'BTC' ? { ...balance, [member]: '1' } : balance));
      expect(wrongBalances(ledger.balances, wrong)).toEqual([expect.stringMatching(/^BTC: the exchange has 10/)]);
    }
  });
});
