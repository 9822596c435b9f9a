import { afterEach, describe, expect, it } from 'vitest';
import type { ChildNumber, CorrelationId, OrderId } from '../../../src/domain/ids.js';
import { LIVE_AGAIN_MS_MIN } from '../../../src/domain/limits/live.js';
import { reject } from '../../../src/domain/rejection.js';
import type { DurationMs, EpochMs } from '../../../src/domain/time.js';
import { ABSENCE_GAP_MS, EXECUTION_MS_MAX } from '../../../src/venue/live/fence.js';
import type { VenueReport } from '../../../src/domain/venue-report.js';
import type { CandleRecord } from '../../../src/venue/live/normal/records.js';
import { FakeExchange, GOOD_CHECK } from './fake-exchange.js';
import { ACCOUNT, LiveRig, MAIN, marketOf, passed } from './live-rig.js';

let rig: LiveRig;
afterEach(() => rig.close());

function stateOf({ lines }: LiveRig): unknown {
  return lines.findLast(({ facts }) => 'state' in facts)?.facts['state'];
}

/** How often the account was connected. */
function connections(): number {
  return rig.reports.filter(({ report, destination }) => {
    return report.kind === 'Link' && report.account !== null && report.isUp && destination === MAIN;
  }).length;
}

describe('a real exchange', () => {
  it('is up after its market list, and an account after its check, its stream, its orders and its balances', async () => {
    rig = await LiveRig.open();
    await rig.until(() => rig.link() === true, 'the account');
    expect(rig.link(null)).toBe(true);
    const ups = rig.reports.flatMap(({ report }) => (report.kind === 'Link' && report.isUp ? [report.account] : []));
    expect(ups[0]).toBeNull();
    rig.askFunds();
    await rig.until(() => rig.reports.some(({ report }) => report.kind === 'Funds'), 'the balances');
    const funds = rig.reports.find(({ report }) => report.kind === 'Funds')!;
    expect(funds).toMatchObject({ destination: MAIN, report: { correlationId: 7, isSnapshot: true } });
    expect(funds.report).toMatchObject({ balances: [{ asset: 'USDT', total: 100_500_000_000_000_000_000n }] });
  });

  it('shows a ban when it begins and when it becomes longer', async () => {
    rig = await LiveRig.open();
    await rig.until(() => rig.link() === true, 'the account');
    expect(rig.bans).toEqual([]);
    rig.exchange.banMs = 120_000;
    await rig.until(() => rig.bans.length > 0, 'the ban');
    await passed(50);
    expect(rig.bans).toHaveLength(1);
    expect(rig.lines.at(-1)).toMatchObject({
      facts: { barredMs: 120_000, until: new Date(rig.bans[0]!).toISOString() },
      message: 'BINANCE takes no request of this address now: nothing is sent, not even a cancel',
    });
    rig.pass(10_000);
    await rig.until(() => rig.bans.length === 2, 'the longer ban');
  });

  it('is not up with balances of a subscription that was cut', async () => {
    const exchange = new FakeExchange([marketOf()]);
    const answers: ((total: string) => void)[] = [];
    exchange.balances = () =>
      new Promise((resolve) => {
        answers.push((total) => {
          resolve({
            kind: 'Balances',
            isSnapshot: true,
            balances: [{ asset: 'USDT', total, free: total }],
            atMs: null,
          });
        });
      });
    rig = await LiveRig.open({ exchange });
    await rig.until(() => answers.length === 1, 'the first reading');
    const { events } = exchange.accounts[0]!;
    events.onCut(Date.now() as EpochMs);
    events.onSubscribed(Date.now() as EpochMs);
    await rig.until(() => answers.length === 2, 'the second reading');
    answers[0]!('1');
    await passed(50);
    expect(rig.link()).toBe(false);
    answers[1]!('2');
    await rig.until(() => rig.link() === true, 'the account');
    rig.askFunds();
    await rig.until(() => rig.reports.some(({ report }) => report.kind === 'Funds'), 'the balances');
    expect(rig.reports.find(({ report }) => report.kind === 'Funds')?.report).toMatchObject({
      balances: [{ asset: 'USDT', total: 2_000_000_000_000_000_000n }],
    });
  });

  it('ends the session of an account whose key is removed, and opens it again with a new key', async () => {
    rig = await LiveRig.open();
    await rig.until(() => rig.link() === true, 'the account');
    rig.keys.set(false);
    await rig.until(() => rig.link() === false, 'the end');
    expect(rig.exchange.accounts[0]).toMatchObject({ isClosed: true });
    rig.submit(1);
    await rig.until(() => rig.rejection(1) !== undefined, 'the refusal');
    expect(rig.exchange.placed).toEqual([]);
    rig.keys.set(true);
    await rig.until(() => rig.link() === true, 'the account again');
  });

  it.each([
    ['KEY_MAY_WITHDRAW', { ...GOOD_CHECK, mayWithdraw: true }, 'testnet'],
    ['WITHDRAWAL_UNKNOWN', { ...GOOD_CHECK, mayWithdraw: null }, 'live'],
    ['NO_ADDRESS_LIST', { ...GOOD_CHECK, isAddressBound: false }, 'live'],
    ['KEY_MAY_NOT_TRADE', { ...GOOD_CHECK, mayTrade: false }, 'testnet'],
    [
      'WRONG_ACCOUNT_MODE',
      { ...GOOD_CHECK, mayTrade: false, wrongMode: { is: 'portfolio margin', setTo: 'futures mode' } },
      'testnet',
    ],
    ['KEY_REFUSED', reject('INVALID_API_KEY', 'Binance -2015: Invalid API-key, IP, or permissions'), 'testnet'],
    ['KEY_REFUSED', reject('INVALID_SIGNATURE', 'Binance -1022: Signature is not valid'), 'testnet'],
    ['NOT_REACHED', reject('EXCHANGE_ERROR', 'BINANCE answers 502: <html>'), 'testnet'],
  ] as const)('places nothing with a key in the state %s', async (state, check, mode) => {
    const exchange = new FakeExchange([marketOf()]);
    exchange.check = check;
    rig = await LiveRig.open({ exchange, mode });
    await rig.until(() => stateOf(rig) === state, 'the state');
    expect(rig.link()).toBe(false);
    rig.submit(1);
    await rig.until(() => rig.rejection(1) !== undefined, 'the refusal');
    expect(rig.rejection(1)?.code).toBe('EXCHANGE_NOT_AVAILABLE');
    expect(rig.exchange.placed).toEqual([]);
    expect(JSON.stringify(rig.lines)).not.toContain('secret-of-the-test');
  });

  it('places nothing for an account in hedge mode, or of real money without risk limits', async () => {
    const exchange = new FakeExchange([], ['FUTURE']);
    exchange.check = { ...GOOD_CHECK, positionMode: 'HEDGE' };
    rig = await LiveRig.open({ exchange });
    await rig.until(() => stateOf(rig) === 'NOT_ONE_WAY', 'the state');
    await rig.close();
    rig = await LiveRig.open({ mode: 'live', hasRiskLimits: false });
    await rig.until(() => stateOf(rig) === 'NO_RISK_LIMITS', 'the state');
    expect(rig.link()).toBe(false);
  });

  it('checks the key again when the exchange refuses it for an order', async () => {
    rig = await LiveRig.open();
    await rig.until(() => rig.link() === true, 'the account');
    const rejection = { code: 'INVALID_API_KEY', message: 'Binance -2015' } as const;
    rig.exchange.placement = { kind: 'refused', rejection };
    rig.exchange.check = reject('INVALID_API_KEY', 'Binance -2015');
    rig.submit(1);
    await rig.until(() => rig.rejection(1) !== undefined, 'the refusal');
    expect(rig.rejection(1)).toEqual(rejection);
    await rig.until(() => stateOf(rig) === 'KEY_REFUSED', 'the state');
    expect(rig.link()).toBe(false);
  });

  it('asks again while the exchange answers with no market list, and stays down', async () => {
    const exchange = new FakeExchange([marketOf()]);
    exchange.markets = reject('EXCHANGE_ERROR', 'BINANCE answers with HTML');
    rig = await LiveRig.open({ exchange });
    await rig.until(() => rig.lines.some(({ message }) => message === 'the market list was not read'), 'a failure');
    expect(rig.link(null)).toBe(false);
    exchange.markets = [marketOf()];
    await rig.until(() => rig.link() === true, 'the account');
  });

  it('measures the clock again when the exchange refuses the time of a check', async () => {
    const exchange = new FakeExchange([marketOf()]);
    exchange.check = reject(
      'INVALID_TIMESTAMP',
      'Binance -1021: Timestamp for this request is outside of the recvWindow',
    );
    let measured = 0;
    exchange.measureClock = () => {
      measured += 1;
      // The first measurement was before the step.
      if (measured > 1) exchange.check = GOOD_CHECK;
      return Promise.resolve(exchange.clock);
    };
    rig = await LiveRig.open({ exchange });
    await rig.until(() => stateOf(rig) === 'NOT_REACHED', 'the refusal');
    rig.pass(LIVE_AGAIN_MS_MIN);
    await rig.until(() => rig.link() === true, 'the account');
  });

  it('logs a clock that differs, and trades with the corrected one', async () => {
    const exchange = new FakeExchange([marketOf()]);
    exchange.clock = { offsetMs: 2_000, roundTripMs: 3 as DurationMs };
    rig = await LiveRig.open({ exchange });
    await rig.until(() => rig.link() === true, 'the account');
    expect(rig.lines.find(({ facts }) => facts['offsetMs'] === 2_000)).toBeDefined();
  });
});

describe('a placement without an answer', () => {
  it('is not answered as absent before it expires when the turn of the thread began long before it was sent', async () => {
    rig = await LiveRig.open();
    await rig.until(() => rig.link() === true, 'the account');
    const { index } = rig.instruments[0]!;
    const { marginMs } = rig.exchange.rules;
    rig.submit(1, index, EXECUTION_MS_MAX + marginMs);
    rig.ask(1, index);
    const isAnswered = (): boolean => rig.reports.some(({ report }) => report.kind === 'StatusAnswered');
    await passed(50);
    expect(rig.exchange.placed).toHaveLength(1);
    expect(isAnswered()).toBe(false);
    rig.pass(EXECUTION_MS_MAX + marginMs);
    await rig.until(() => rig.exchange.finalLooks === 1, 'the first look');
    expect(isAnswered()).toBe(false);
    rig.pass(ABSENCE_GAP_MS);
    await rig.until(isAnswered, 'the answer');
  });
});

describe('a key that the exchange refused', () => {
  it('is checked again after 1 s, then after twice as long each time, up to 60 s', async () => {
    const exchange = new FakeExchange([marketOf()]);
    exchange.check = reject('INVALID_API_KEY', 'Binance -2015');
    rig = await LiveRig.open({ exchange });
    for (const [count, waitMs] of [1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000].entries()) {
      // Each check follows the one before.
      // oxlint-disable-next-line no-await-in-loop
      await rig.until(() => exchange.accounts.length === count + 1, `check ${count + 1}`);
      // oxlint-disable-next-line no-await-in-loop
      await passed(20);
      rig.pass(waitMs - 500);
      // oxlint-disable-next-line no-await-in-loop
      await passed(20);
      expect(exchange.accounts).toHaveLength(count + 1);
      rig.pass(500);
    }
    expect(rig.lines.filter(({ message }) => message === 'the account cannot trade')).toHaveLength(1);
  });

  it('is checked at once when its row changes', async () => {
    const exchange = new FakeExchange([marketOf()]);
    exchange.check = reject('INVALID_API_KEY', 'Binance -2015');
    rig = await LiveRig.open({ exchange });
    await rig.until(() => stateOf(rig) === 'KEY_REFUSED', 'the state');
    exchange.check = GOOD_CHECK;
    rig.keys.set(true);
    await rig.until(() => rig.link() === true, 'the account');
  });
});

describe('an account with real money', () => {
  it('is checked at once when it gets risk limits', async () => {
    rig = await LiveRig.open({ mode: 'live', hasRiskLimits: false });
    await rig.until(() => stateOf(rig) === 'NO_RISK_LIMITS', 'the state');
    // Now the next check is far away.
    for (let count = 0; count < 8; count += 1) {
      rig.pass(60_000);
      // oxlint-disable-next-line no-await-in-loop
      await passed(20);
    }
    rig.setRiskLimits(true);
    await rig.until(() => rig.link() === true, 'the account');
  });

  it('places nothing new after its risk limits are removed, keeps its connection, and goes on when they are set', async () => {
    rig = await LiveRig.open({ mode: 'live' });
    await rig.until(() => rig.link() === true, 'the account');
    rig.setRiskLimits(false);
    rig.submit(1);
    await rig.until(() => rig.rejection(1) !== undefined, 'the refusal');
    expect(rig.rejection(1)).toMatchObject({ code: 'EXCHANGE_NOT_AVAILABLE' });
    expect(rig.rejection(1)?.message).toContain('risk limits');
    expect(rig.exchange.placed).toEqual([]);
    expect(rig.link()).toBe(true);
    await rig.until(() => rig.lines.some(({ message }) => message.includes('has no risk limits')), 'the log line');
    rig.setRiskLimits(true);
    rig.submit(2);
    await rig.until(() => rig.exchange.placed.length === 1, 'the order');
  });
});

describe('an account in two wallets', () => {
  const FUTURES_CHECK = { ...GOOD_CHECK, positionMode: 'ONE_WAY' } as const;

  async function openTwo(change: (futures: FakeExchange) => void): Promise<FakeExchange> {
    const futures = new FakeExchange([], ['FUTURE']);
    futures.check = FUTURES_CHECK;
    change(futures);
    rig = await LiveRig.open({ others: [futures] });
    return futures;
  }

  it('is connected once, after both market lists: no order meets an interruption at the start', async () => {
    const futures = await openTwo((one) => {
      one.markets = reject('EXCHANGE_ERROR', 'BINANCE answers 503');
    });
    await rig.until(() => rig.exchange.accounts[0]?.isStarted === true, 'the first wallet');
    await passed(50);
    expect(connections()).toBe(0);
    futures.markets = [];
    await rig.until(() => rig.link() === true, 'the account');
    await passed(50);
    expect(connections()).toBe(1);
    expect(futures.accounts).toHaveLength(1);
  });

  it('waits 30 s for a market list that is not read, and goes on without the wallet', async () => {
    await openTwo((one) => {
      one.markets = reject('EXCHANGE_ERROR', 'BINANCE answers 503');
    });
    await rig.until(() => rig.exchange.accounts[0]?.isStarted === true, 'the first wallet');
    rig.pass(30_500);
    await rig.until(() => rig.link() === true, 'the account');
    expect(stateOf(rig)).toBe('STREAM_NOT_OPEN');
  });

  it('trades in one of them when the exchange refuses the stream of the other, and asks again later', async () => {
    const futures = await openTwo((one) => {
      one.opensStream = false;
    });
    await rig.until(() => futures.accounts[0]?.isStarted === true, 'the stream');
    expect(rig.link()).toBe(false);
    const rejection = { code: 'INVALID_API_KEY', message: 'Binance -2015: no permission' } as const;
    futures.accounts[0]!.events.onRefused(rejection, 0 as EpochMs);
    await rig.until(() => rig.link() === true, 'the account');
    expect(stateOf(rig)).toBe('STREAM_REFUSED');
    rig.submit(1);
    await rig.until(() => rig.exchange.placed.length === 1, 'the order');
    const links = (): number => rig.reports.filter(({ report }) => report.kind === 'Link').length;
    const before = links();
    rig.pass(1_000);
    await rig.until(() => futures.accounts[1]?.isStarted === true, 'the second try');
    futures.accounts[1]!.events.onRefused(rejection, 0 as EpochMs);
    futures.opensStream = true;
    await passed(30);
    expect(links()).toBe(before);
    expect(rig.lines.filter(({ facts }) => facts['state'] === 'STREAM_REFUSED')).toHaveLength(1);
    rig.pass(2_000);
    // The shards learn that the account has one more wallet.
    await rig.until(() => links() > before, 'the interruption');
    await rig.until(() => rig.link() === true, 'the account');
  });

  it('waits 30 s for a stream that does not open, and goes on without it', async () => {
    const futures = await openTwo((one) => {
      one.opensStream = false;
    });
    await rig.until(() => futures.accounts[0]?.isStarted === true, 'the stream');
    rig.pass(29_000);
    await passed(50);
    expect(rig.link()).toBe(false);
    rig.pass(1_500);
    await rig.until(() => rig.link() === true, 'the account');
    expect(stateOf(rig)).toBe('STREAM_NOT_OPEN');
    futures.accounts[0]!.events.onSubscribed(0 as EpochMs);
    await rig.until(() => connections() === 2, 'the interruption');
    expect(rig.link()).toBe(true);
  });

  it('waits 30 s for a stream that is cut', async () => {
    const futures = await openTwo(() => undefined);
    await rig.until(() => rig.link() === true, 'the account');
    await rig.until(() => futures.accounts[0]?.isStarted === true, 'the stream');
    await passed(30);
    futures.accounts[0]!.events.onCut(0 as EpochMs);
    await rig.until(() => rig.link() === false, 'the cut');
    rig.pass(30_500);
    await rig.until(() => rig.link() === true, 'the account');
  });
});

describe('an instrument of a real exchange', () => {
  it('keeps the lots and ticks of the children that were placed before they changed', async () => {
    rig = await LiveRig.open();
    await rig.until(() => rig.link() === true, 'the account');
    const { index } = rig.instruments[0]!;
    rig.submit(1, index);
    await rig.until(() => rig.exchange.placed.length === 1, 'the order');
    const { instrumentOf } = rig.exchange.accounts[0]!.events;
    const [placed, foreign] = [1, 2].map((id) => ({ orderId: id as OrderId, child: 1 as ChildNumber }));
    expect(instrumentOf(foreign!, 'BTCUSDT')).toBe(index);
    await rig.relist([marketOf('BTC/USDT', { pricePrecision: 1 })]);
    expect(instrumentOf(placed!, 'BTCUSDT')).toBe(index);
    expect(instrumentOf(placed!, 'ETHUSDT')).toBeNull();
    expect(instrumentOf(foreign!, 'ETHUSDT')).toBeNull();
    expect(rig.lines.filter(({ message }) => message.includes('not listed: it is looked up'))).toEqual([
      expect.objectContaining({ facts: expect.objectContaining({ symbol: 'ETHUSDT' }) as object }),
    ]);
    // An order of an earlier process: it may have been placed with the old row or with the new one.
    expect(instrumentOf(foreign!, 'BTCUSDT')).toBeNull();
    rig.ask(2, index);
    expect(instrumentOf(foreign!, 'BTCUSDT')).toBe(index);
  });

  it('takes no order while the exchange halts it, and takes them again afterwards', async () => {
    rig = await LiveRig.open();
    await rig.until(() => rig.link() === true, 'the account');
    await rig.relist([{ ...marketOf(), isTrading: false }]);
    rig.submit(1);
    await rig.until(() => rig.rejection(1) !== undefined, 'the refusal');
    expect(rig.rejection(1)).toMatchObject({ code: 'EXCHANGE_NOT_AVAILABLE' });
    expect(rig.rejection(1)?.message).toContain('does not trade');
    await rig.relist([marketOf()]);
    rig.submit(2);
    await rig.until(() => rig.exchange.placed.length === 1, 'the order');
  });

  it('is listed again when the exchange refuses an order for its market, at most every 30 s', async () => {
    rig = await LiveRig.open();
    await rig.until(() => rig.link() === true, 'the account');
    const rejection = { code: 'EXCHANGE_NOT_AVAILABLE', message: 'Binance -1013: Market is closed.' } as const;
    rig.exchange.placement = { kind: 'refused', rejection };
    rig.exchange.markets = [{ ...marketOf(), isTrading: false }];
    rig.submit(1);
    await rig.until(() => rig.rejection(1) !== undefined, 'the refusal');
    await passed(20);
    expect(rig.instruments.at(-1)?.isTrading).not.toBe(false);
    rig.pass(30_000);
    rig.submit(2);
    await rig.until(() => rig.instruments.at(-1)?.isTrading === false, 'the halt');
    rig.exchange.markets = [marketOf()];
    rig.pass(30_000);
    rig.submit(3);
    await rig.until(() => rig.instruments.at(-1)?.isTrading !== false, 'its end');
  });

  it('has its clock measured again when it refuses an order for its timestamp, at most every 5 s', async () => {
    rig = await LiveRig.open();
    await rig.until(() => rig.link() === true, 'the account');
    const { exchange } = rig;
    const message = 'Binance -1021: Timestamp for this request is outside of the recvWindow.';
    exchange.placement = { kind: 'refused', rejection: { code: 'INVALID_TIMESTAMP', message } };
    const before = exchange.measurements;
    for (const id of [1, 2, 3]) {
      rig.submit(id);
      await rig.until(() => rig.rejection(id) !== undefined, 'the refusal');
    }
    await rig.until(() => exchange.measurements > before, 'the measurement');
    await passed(20);
    expect(exchange.measurements).toBe(before + 1);
    rig.pass(5_000);
    rig.submit(4);
    await rig.until(() => exchange.measurements === before + 2, 'the next measurement');
  });

  it('gets no order while its clock is not known, and has it measured again', async () => {
    rig = await LiveRig.open();
    await rig.until(() => rig.link() === true, 'the account');
    const { exchange } = rig;
    const before = exchange.measurements;
    exchange.clockErrorMs = Infinity;
    rig.submit(1);
    await rig.until(() => rig.rejection(1) !== undefined, 'the refusal');
    expect(rig.rejection(1)).toMatchObject({ code: 'INVALID_TIMESTAMP', retryAfterMs: 1_000 });
    expect(exchange.placed).toEqual([]);
    await rig.until(() => exchange.measurements === before + 1, 'the measurement');
    exchange.clockErrorMs = 50;
    rig.submit(2);
    await rig.until(() => exchange.placed.length === 1, 'the order');
  });

  it('has its clock measured again when it refuses a request about orders or the private stream for its timestamp', async () => {
    rig = await LiveRig.open();
    await rig.until(() => rig.link() === true, 'the account');
    const { exchange } = rig;
    const { events } = exchange.accounts[0]!;
    const nowMs = Date.now() as EpochMs;
    const before = exchange.measurements;
    for (let count = 1; count <= 3; count += 1) events.onRefusedTime(nowMs);
    await rig.until(() => exchange.measurements > before, 'the measurement');
    await passed(20);
    expect(exchange.measurements).toBe(before + 1);
    rig.pass(5_000);
    events.onRefused({ code: 'INVALID_TIMESTAMP', message: 'Binance -1021' }, nowMs);
    await rig.until(() => exchange.measurements === before + 2, 'the next measurement');
    expect(rig.link()).toBe(true);
  });

  it('takes no order after it is delisted, and keeps its row', async () => {
    rig = await LiveRig.open();
    await rig.until(() => rig.link() === true, 'the account');
    const { index } = rig.instruments[0]!;
    await rig.relist([marketOf('ETH/USDT')]);
    expect(rig.instruments.findLast((one) => one.index === index)).toMatchObject({ isTrading: false });
    rig.submit(1, index);
    await rig.until(() => rig.rejection(1) !== undefined, 'the refusal');
    expect(rig.exchange.placed).toEqual([]);
  });

  it('gets a new row when its grid changes: an order of the old row places nothing more', async () => {
    rig = await LiveRig.open();
    await rig.until(() => rig.link() === true, 'the account');
    const { index } = rig.instruments[0]!;
    await rig.relist([marketOf('BTC/USDT', { pricePrecision: 1 })]);
    const now = rig.instruments.findLast((one) => one.isRetired !== true)!;
    expect(now.index).not.toBe(index);
    expect(rig.instruments.findLast((one) => one.index === index)).toMatchObject({ isRetired: true });
    rig.submit(1, index);
    await rig.until(() => rig.rejection(1) !== undefined, 'the refusal');
    expect(rig.rejection(1)).toMatchObject({ code: 'INVALID_SYMBOL' });
    rig.submit(2, now.index);
    await rig.until(() => rig.exchange.placed.length === 1, 'the order');
  });

  it('keeps its row when only a bound changes, and gets the new bound', async () => {
    rig = await LiveRig.open();
    await rig.until(() => rig.link() === true, 'the account');
    const { index } = rig.instruments[0]!;
    await rig.relist([marketOf('BTC/USDT', { notionalMin: 77 })]);
    expect(rig.instruments.at(-1)).toMatchObject({ index, notionalMin: 77 });
    await passed(20);
    rig.submit(1, index);
    await rig.until(() => rig.exchange.placed.length === 1, 'the order');
  });
});

describe('the past of a market', () => {
  const query = { correlationId: 9 as CorrelationId, account: ACCOUNT, venue: 'BINANCE', limit: 5 } as const;
  const asked = { ...query, fromMs: 0 as EpochMs, toMs: 86_400_000 as EpochMs };

  async function answerTo(kind: 'QueryCandles' | 'QueryFundingRates', exchange: FakeExchange): Promise<VenueReport> {
    rig = await LiveRig.open({ exchange });
    await rig.until(() => rig.instruments.length > 0, 'the market list');
    const instrument = rig.instruments[0]!.index;
    rig.send(
      kind === 'QueryCandles' ? { kind, ...asked, instrument, interval: 'ONE_HOUR' } : { kind, ...asked, instrument },
      MAIN,
    );
    const answers = (): VenueReport[] =>
      rig.reports.flatMap(({ report }) => ('correlationId' in report && report.correlationId === 9 ? [report] : []));
    await rig.until(() => answers().length > 0, 'the answer');
    return answers()[0]!;
  }

  it('is answered in candles of lots and ticks: what a volume profile is learnt from', async () => {
    const exchange = new FakeExchange([marketOf()]);
    const prices = { open: '50000', high: '50100.5', low: '49900', close: '50050', isClosed: true } as const;
    exchange.market.candles = ({ symbol, interval }) =>
      Promise.resolve([
        { kind: 'Candle', symbol, interval, openMs: 3_600_000 as EpochMs, volume: '1.5', ...prices } as CandleRecord,
      ]);
    const answer = await answerTo('QueryCandles', exchange);
    const { quantityPrecision, pricePrecision } = rig.instruments[0]!;
    const candle = {
      openAtMs: 3_600_000,
      high: Math.round(50_100.5 * 10 ** pricePrecision),
      volume: Math.round(1.5 * 10 ** quantityPrecision),
    };
    expect(answer).toMatchObject({ kind: 'Candles', interval: 'ONE_HOUR', candles: [candle] });
  });

  it('has funding rates whose mark price the exchange does not state', async () => {
    const exchange = new FakeExchange([marketOf()]);
    exchange.market.fundingRates = ({ symbol }) =>
      Promise.resolve([
        { kind: 'FundingRate', symbol, atMs: 2 as EpochMs, rate: '0.0001', markPrice: '50000' },
        { kind: 'FundingRate', symbol, atMs: 1 as EpochMs, rate: '-0.0002', markPrice: null },
      ]);
    const answer = await answerTo('QueryFundingRates', exchange);
    const markPrice = 50_000 * 10 ** rig.instruments[0]!.pricePrecision;
    expect(answer).toMatchObject({
      kind: 'FundingRates',
      rates: [
        { atMs: 2, ratePpm: 100, markPrice },
        { atMs: 1, ratePpm: -200, markPrice: null },
      ],
    });
  });
});
