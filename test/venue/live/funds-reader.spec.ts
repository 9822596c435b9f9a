import { afterEach, describe, expect, it, vi } from 'vitest';
import type { AccountId, CorrelationId } from '../../../src/domain/ids.js';
import type { InstrumentIndex } from '../../../src/domain/instrument.js';
import { FUNDS_READ_GAP_MS, LIVE_AGAIN_MS_MIN } from '../../../src/domain/limits/live.js';
import type { PositionState } from '../../../src/domain/position.js';
import { type OrRejection, reject } from '../../../src/domain/rejection.js';
import type { EpochMs } from '../../../src/domain/time.js';
import type { VenueReport } from '../../../src/domain/venue-report.js';
import { AccountFunds } from '../../../src/venue/live/account-funds.js';
import { FundsReader } from '../../../src/venue/live/funds-reader.js';
import type { LiveInstrument, LiveInstruments } from '../../../src/venue/live/live-exchange.js';
import type { BalanceRecord, Balances, PositionRecord, Positions } from '../../../src/venue/live/normal/records.js';
import { plainInstrument } from '../../domain/plain-instrument.js';

const BTC: LiveInstrument = {
  ...plainInstrument({ quantityPrecision: 3, pricePrecision: 1 }),
  index: 1 as InstrumentIndex,
  exchangeSymbol: 'BTCUSDT',
  isFuture: true,
  contractSize: '1',
};
const LISTED: LiveInstruments = { at: () => BTC, bySymbol: (symbol) => (symbol === 'BTCUSDT' ? BTC.index : null) };
const NOW = 1_700_000_000_000 as EpochMs;
const UNIT = 10n ** 18n;

/** What a look-up says of a position: 20 units of notional for one of margin, and the mark price at 50,000. */
function secured(quantity: string, entryPrice = '50000'): PositionRecord {
  const notional = Math.abs(Number(quantity)) * 50_000;
  const margin = {
    mode: 'CROSS',
    leverage: 20,
    markPrice: '50000',
    liquidationPrice: '40000',
    initialMargin: String(notional / 20),
    maintenanceMargin: String(notional / 250),
    isolatedBalance: '0',
  } as const;
  return { symbol: 'BTCUSDT', mode: 'NET', quantity, entryPrice, unrealizedPnl: '0', margin };
}

/** What the stream of Binance futures says of a position. */
function unsecured(quantity: string, entryPrice = '50000'): PositionRecord {
  const none = {
    leverage: null,
    markPrice: null,
    liquidationPrice: null,
    initialMargin: null,
    maintenanceMargin: null,
  };
  const margin = { ...none, mode: 'CROSS', isolatedBalance: '0' } as const;
  return { symbol: 'BTCUSDT', mode: 'NET', quantity, entryPrice, unrealizedPnl: '0', margin };
}

function balances(isSnapshot: boolean, total: string, free: string | null, atMs: number | null = null): Balances {
  const record: BalanceRecord = { asset: 'USDT', total, free };
  return { kind: 'Balances', isSnapshot, balances: [record], atMs: atMs as EpochMs | null };
}

function positions(isSnapshot: boolean, ...records: readonly PositionRecord[]): Positions {
  return { kind: 'Positions', isSnapshot, positions: records, atMs: null };
}

/** A reading that the exchange has not answered yet. */
interface Reading {
  answer(of: Balances, and: Positions): void;
  fail(): void;
}

/** A reader over an account whose answers a test gives. */
class Rig {
  readonly reports: VenueReport[] = [];
  readonly readings: Reading[] = [];
  readonly funds = new AccountFunds('alice' as AccountId, 'BINANCE', 1, NOW);
  knownCount = 0;
  isAccountUp = false;
  readonly reader = new FundsReader({
    funds: this.funds,
    place: 0,
    instruments: LISTED,
    nowMs: () => Date.now() as EpochMs,
    isAccountUp: () => this.isAccountUp,
    onChange: (report) => this.reports.push(report),
    onKnown: () => void (this.knownCount += 1),
  });

  subscribe(): void {
    const takers: ((positions: OrRejection<Positions>) => void)[] = [];
    this.reader.begin({
      balances: () =>
        new Promise((resolve) => {
          const failed = reject('EXCHANGE_ERROR', 'BINANCE answers 503');
          const end = (of: OrRejection<Balances>, and: OrRejection<Positions>): void => {
            resolve(of);
            takers.shift()!(and);
          };
          this.readings.push({ answer: end, fail: () => end(failed, failed) });
        }),
      positions: () => new Promise((resolve) => takers.push(resolve)),
    });
  }

  /** Subscribes and answers the reading. The account is then up. */
  async open(of: Balances, and: Positions): Promise<void> {
    this.subscribe();
    this.readings.at(-1)!.answer(of, and);
    await settle();
    this.isAccountUp = true;
  }

  get position(): PositionState | undefined {
    return this.funds.positions(0 as CorrelationId, NOW).positions[0];
  }

  get usdt(): { readonly total: number; readonly free: number } {
    const { total = 0n, free = 0n } = this.funds.funds(0 as CorrelationId, NOW).balances[0] ?? {};
    return { total: Number(total / UNIT), free: Number(free / UNIT) };
  }
}

async function settle(): Promise<void> {
  await vi.advanceTimersByTimeAsync(0);
}

let rig: Rig;
function begin(): void {
  vi.useFakeTimers({ now: NOW });
  rig = new Rig();
}
afterEach(() => {
  rig.reader.end();
  vi.useRealTimers();
});

describe('a reading of balances and positions', () => {
  it('does not replace what the stream has changed while it was under way', async () => {
    begin();
    rig.subscribe();
    rig.reader.onPositions(positions(false, secured('0.3')), NOW);
    rig.reader.onBalances(balances(false, '990', '240'), NOW);
    rig.readings[0]!.answer(balances(true, '1000', '500'), positions(true, secured('0.2')));
    await settle();
    expect(rig.position).toMatchObject({ net: 300 });
    expect(rig.usdt).toEqual({ total: 990, free: 240 });
    expect(rig.readings).toHaveLength(1);
  });

  it('replaces what the stream has changed meanwhile when it has a later time', async () => {
    begin();
    rig.subscribe();
    rig.reader.onBalances(balances(false, '990', '240', 10), NOW);
    rig.readings[0]!.answer(balances(true, '980', '230', 11), positions(true));
    await settle();
    expect(rig.usdt).toEqual({ total: 980, free: 230 });
    rig.subscribe();
    rig.reader.onBalances(balances(false, '970', '220', 12), NOW);
    rig.readings[1]!.answer(balances(true, '980', '230', 11), positions(true));
    await settle();
    expect(rig.usdt).toEqual({ total: 970, free: 220 });
  });

  it('does not open a position again that the stream has closed, and not close one that it has opened', async () => {
    begin();
    await rig.open(balances(true, '1000', '500'), positions(true, secured('0.2')));
    rig.reader.end();
    rig.subscribe();
    rig.reader.onPositions(positions(false, secured('0')), NOW);
    rig.readings[1]!.answer(balances(true, '1000', '500'), positions(true, secured('0.2')));
    await settle();
    expect(rig.position).toBeUndefined();
    rig.reader.end();
    rig.subscribe();
    rig.reader.onPositions(positions(false, secured('0.1')), NOW);
    rig.readings[2]!.answer(balances(true, '1000', '500'), positions(true));
    await settle();
    expect(rig.position).toMatchObject({ net: 100 });
  });

  it('replaces what the stream has changed before it', async () => {
    begin();
    rig.reader.onPositions(positions(false, secured('0.3')), NOW);
    await rig.open(balances(true, '1000', '500'), positions(true, secured('0.2')));
    expect(rig.position).toMatchObject({ net: 200 });
    rig.reader.onPositions(positions(false, secured('0.4')), NOW);
    rig.reader.end();
    await rig.open(balances(true, '1000', '500'), positions(true));
    expect(rig.position).toBeUndefined();
  });

  it('counts only for the subscription that it belongs to', async () => {
    begin();
    rig.subscribe();
    rig.reader.end();
    rig.subscribe();
    rig.readings[0]!.answer(balances(true, '1000', '500'), positions(true, secured('0.2')));
    await settle();
    expect(rig.reader.isKnown).toBe(false);
    expect(rig.position).toBeUndefined();
    rig.readings[1]!.answer(balances(true, '900', '400'), positions(true, secured('0.3')));
    await settle();
    expect(rig.reader.isKnown).toBe(true);
    expect(rig.knownCount).toBe(1);
    expect(rig.position).toMatchObject({ net: 300 });
  });

  it('is repeated after a failure, by the latest subscription alone', async () => {
    begin();
    for (let count = 0; count < 3; count += 1) rig.subscribe();
    for (const reading of rig.readings) reading.fail();
    await vi.advanceTimersByTimeAsync(LIVE_AGAIN_MS_MIN);
    expect(rig.readings).toHaveLength(4);
    rig.readings[3]!.answer(balances(true, '1000', '500'), positions(true));
    await settle();
    expect(rig.reader.isKnown).toBe(true);
  });

  it('reports the differences when the account is up', async () => {
    begin();
    await rig.open(balances(true, '1000', '500'), positions(true, secured('0.2')));
    expect(rig.reports).toEqual([]);
    rig.reader.end();
    await rig.open(balances(true, '900', '500'), positions(true, secured('0.3')));
    expect(rig.reports).toMatchObject([
      { kind: 'Funds', isSnapshot: false, balances: [{ asset: 'USDT', total: 900n * UNIT }] },
      { kind: 'Positions', isSnapshot: false, positions: [{ net: 300 }] },
    ]);
  });
});

describe('a change that leaves figures out', () => {
  it('keeps leverage and what is free, and gives margins for its own size', async () => {
    begin();
    await rig.open(balances(true, '1000', '500'), positions(true, secured('0.2')));
    rig.reader.onPositions(positions(false, unsecured('0.4', '50010')), NOW);
    rig.reader.onBalances(balances(false, '999', null), NOW);
    expect(rig.position).toMatchObject({
      net: 400,
      leverage: 20,
      marginMode: 'CROSS',
      markPrice: 500_000,
      liquidationPrice: 400_000,
      initialMargin: 1_000n * UNIT,
      maintenanceMargin: 80n * UNIT,
    });
    expect(rig.usdt).toEqual({ total: 999, free: 500 });
    rig.reader.onBalances(balances(false, '300', null), NOW);
    expect(rig.usdt).toEqual({ total: 300, free: 300 });
    // The price of a long position liquidates no short one.
    rig.reader.onPositions(positions(false, unsecured('-0.1')), NOW);
    expect(rig.position).toMatchObject({ net: -100, leverage: 20, liquidationPrice: null });
  });

  it('is completed by a reading, at most once in the gap', async () => {
    begin();
    await rig.open(balances(true, '1000', '500'), positions(true));
    rig.reader.onPositions(positions(false, unsecured('0.2')), NOW);
    rig.reader.onBalances(balances(false, '999', null), NOW);
    await settle();
    expect(rig.readings).toHaveLength(2);
    rig.reports.length = 0;
    rig.readings[1]!.answer(balances(true, '999', '499'), positions(true, secured('0.2')));
    await settle();
    expect(rig.usdt).toEqual({ total: 999, free: 499 });
    expect(rig.position).toMatchObject({ leverage: 20, liquidationPrice: 400_000, initialMargin: 500n * UNIT });
    expect(rig.reports).toMatchObject([
      { kind: 'Funds', balances: [{ free: 499n * UNIT }] },
      { kind: 'Positions', positions: [{ leverage: 20, maintenanceMargin: 40n * UNIT }] },
    ]);
    for (const quantity of ['0.3', '0.4', '0.5']) rig.reader.onPositions(positions(false, unsecured(quantity)), NOW);
    await vi.advanceTimersByTimeAsync(FUNDS_READ_GAP_MS - 1);
    expect(rig.readings).toHaveLength(2);
    await vi.advanceTimersByTimeAsync(1);
    expect(rig.readings).toHaveLength(3);
    rig.readings[2]!.answer(balances(true, '999', '499'), positions(true, secured('0.5')));
    await vi.advanceTimersByTimeAsync(10 * FUNDS_READ_GAP_MS);
    expect(rig.readings).toHaveLength(3);
  });

  it('gets leverage and what is free from a reading that it overtakes, and another reading', async () => {
    begin();
    rig.subscribe();
    rig.reader.onPositions(positions(false, unsecured('0.4')), NOW);
    rig.reader.onBalances(balances(false, '999', null), NOW);
    rig.readings[0]!.answer(balances(true, '1000', '500'), positions(true, secured('0.2')));
    await settle();
    expect(rig.position).toMatchObject({ net: 400, leverage: 20, initialMargin: 1_000n * UNIT });
    expect(rig.usdt).toEqual({ total: 999, free: 500 });
    expect(rig.readings).toHaveLength(2);
    rig.readings[1]!.answer(balances(true, '999', '400'), positions(true, secured('0.4')));
    await vi.advanceTimersByTimeAsync(2 * FUNDS_READ_GAP_MS);
    expect(rig.usdt).toEqual({ total: 999, free: 400 });
    expect(rig.readings).toHaveLength(2);
  });

  it('asks for nothing after the end of the stream, and one that closes a position needs no margins', async () => {
    begin();
    await rig.open(balances(true, '1000', '500'), positions(true, secured('0.2')));
    rig.reader.onPositions(positions(false, unsecured('0')), NOW);
    await vi.advanceTimersByTimeAsync(2 * FUNDS_READ_GAP_MS);
    expect(rig.readings).toHaveLength(1);
    rig.reader.onPositions(positions(false, unsecured('0.1')), NOW);
    rig.reader.end();
    await vi.advanceTimersByTimeAsync(2 * FUNDS_READ_GAP_MS);
    expect(rig.readings).toHaveLength(1);
  });
});
