import { createSecretKey } from 'node:crypto';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { AccountId, ChildNumber, OrderId } from '../../../src/domain/ids.js';
import type { Instrument, InstrumentIndex } from '../../../src/domain/instrument.js';
import { LIVE_CLOCK_GAP_MS, REFUSED_TIME_AGAIN_MS } from '../../../src/domain/limits/live.js';
import type { Lots, Ticks } from '../../../src/domain/quantity.js';
import { Rejected } from '../../../src/domain/rejection.js';
import type { EpochMs } from '../../../src/domain/time.js';
import type { ChildTarget, VenueRequest } from '../../../src/domain/venue-message.js';
import type { VenueReport } from '../../../src/domain/venue-report.js';
import type { VenueCredentials, VenueKeyDirectory, VenueKeyPlace } from '../../../src/keys/port.js';
import { openBinance } from '../../../src/venue/live/binance/binance-exchange.js';
import { BINANCE_SPOT } from '../../../src/venue/live/binance/binance-wallet.js';
import { openBybitAt } from '../../../src/venue/live/bybit/bybit-exchange.js';
import type { AccountEvents, OpenLiveExchange } from '../../../src/venue/live/live-exchange.js';
import { LiveVenue } from '../../../src/venue/live/live-venue.js';
import { openOkxAt } from '../../../src/venue/live/okx/okx-exchange.js';
import type { LoopbackAccount } from '../../loopback/accounts.js';
import { BinanceLoopback } from '../../loopback/binance/binance-loopback.js';
import { BybitLoopback } from '../../loopback/bybit/bybit-loopback.js';
import type { ExchangeClock } from '../../loopback/clock.js';
import { OkxLoopback } from '../../loopback/okx/okx-loopback.js';
import { accepted, addressesOf, instrumentsOf, now, passed, until } from './binance/loopback-exchange.js';
import { MemoryRegistry, QUIET_OUTLET } from './live-rig.js';

/*
 * The clock of an exchange, or ours, is stepped while an account works: the exchange refuses every request for its
 * time.
 */

const STEP_MS = 60_000;
const ACCOUNT = 'alice' as AccountId;

type Name = 'BINANCE' | 'BYBIT' | 'OKX';

/** Names of the spot market BTC/USDT. */
const SYMBOLS: Readonly<Record<Name, string>> = { BINANCE: 'BTCUSDT', BYBIT: 'spot/BTCUSDT', OKX: 'BTC-USDT' };

interface Opened {
  readonly open: OpenLiveExchange;
  readonly owner: LoopbackAccount;
  readonly clock: ExchangeClock;
  readonly cut: () => void;
}

const EXCHANGES: Readonly<Record<Name, () => Promise<Opened>>> = {
  BINANCE: async () => {
    const loopback = await BinanceLoopback.start({ seed: 'clock' });
    onTestFinished(() => loopback.close());
    const open = openBinance(BINANCE_SPOT, addressesOf(loopback, 'spot'));
    return opened(loopback, open, 'ws-api.binance.com');
  },
  BYBIT: async () => {
    const loopback = await BybitLoopback.start({ seed: 'clock' });
    onTestFinished(() => loopback.close());
    const rest = loopback.address('api.bybit.com');
    const open = openBybitAt({ rest, streams: loopback.address('stream.bybit.com', 'ws') });
    return opened(loopback, open, 'stream.bybit.com');
  },
  OKX: async () => {
    const loopback = await OkxLoopback.start({ seed: 'clock', isDemo: true });
    onTestFinished(() => loopback.close());
    const rest = loopback.address('www.okx.com');
    const open = openOkxAt({ rest, sockets: loopback.address('ws.okx.com', 'ws') });
    return opened(loopback, open, 'ws.okx.com');
  },
};

function opened(loopback: BinanceLoopback | BybitLoopback | OkxLoopback, open: OpenLiveExchange, host: string): Opened {
  return { open, owner: loopback.openAccount(), clock: loopback.clock, cut: () => loopback.cut(host) };
}

function credentials(venue: Name, { keys }: LoopbackAccount): VenueCredentials {
  const { key, secret, passphrase } = keys[0]!;
  return {
    place: { account: ACCOUNT, subaccount: null, venue, environment: 'testnet' },
    kind: 'HMAC',
    apiKey: key,
    secret: createSecretKey(Buffer.from(secret ?? '')),
    passphrase: passphrase === null ? null : createSecretKey(Buffer.from(passphrase)),
    expiresAtMs: null,
  };
}

class OneKey implements VenueKeyDirectory {
  readonly #credentials: VenueCredentials;

  constructor(one: VenueCredentials) {
    this.#credentials = one;
  }

  find = (): VenueCredentials => this.#credentials;
  accounts = (): readonly VenueKeyPlace[] => [this.#credentials.place];
  onChange(): void {}
  refresh(): void {}
}

/** A thread of one exchange with one account, and a child of 0.01 BTC that rests there. */
async function openVenue(name: Name) {
  const { open, owner, clock, cut } = await EXCHANGES[name]();
  const reports: VenueReport[] = [];
  const instruments: Instrument[] = [];
  /** When the thread has logged that the clocks differ. */
  const correctedAtMs: number[] = [];
  const note = (_facts: object, message: string): void => {
    if (message.startsWith('the clock of the exchange differs')) correctedAtMs.push(Date.now());
  };
  const venue = accepted(
    await LiveVenue.open({
      venue: name,
      mode: 'testnet',
      openers: [open],
      proxy: null,
      origin: null,
      registry: new MemoryRegistry(),
      publish: (instrument) => instruments.push(instrument),
      keys: new OneKey(credentials(name, owner)),
      hasRiskLimits: () => true,
      outlet: QUIET_OUTLET,
      shardCount: 1,
      nowMs: now,
      onBarred: () => undefined,
      wake: () => undefined,
      log: { info: note, warn: note, error: note },
    }),
  );
  const sink = {
    report: (report: VenueReport) => void reports.push(report),
    market: () => undefined,
    trade: () => undefined,
  };
  const timer = setInterval(() => venue.gateway.advance(now(), sink), 5);
  onTestFinished(async () => {
    clearInterval(timer);
    await venue.close();
  });
  const links = (): readonly boolean[] =>
    reports.flatMap((report) => (report.kind === 'Link' && report.account === ACCOUNT ? [report.isUp] : []));
  await until(() => links().at(-1) === true, 'the account');
  const instrument = instruments.find(({ symbol }) => symbol === 'BTC/USDT')!;
  const { index, quantityPrecision, pricePrecision } = instrument;
  const child = { account: ACCOUNT, venue: name, orderId: 7 as OrderId, child: 1 as ChildNumber, instrument: index };
  const send = (request: VenueRequest): void => venue.gateway.handle(request, 0, now());
  /** Places a child, and takes the first report about it. */
  const placed = async (number: number): Promise<VenueReport> => {
    const place = { ...child, child: number as ChildNumber };
    send({
      ...place,
      kind: 'Submit',
      side: 'BUY',
      quantity: (10 ** quantityPrecision / 100) as Lots,
      type: 'LIMIT',
      timeInForce: 'GTC',
      limitPrice: (49_000 * 10 ** pricePrecision) as Ticks,
      postOnly: false,
      reduceOnly: false,
      selfTradePrevention: 'EXPIRE_TAKER',
    });
    const found = () => reports.find((report) => 'child' in report && report.child === number);
    await until(() => found() !== undefined, 'the report');
    return found()!;
  };
  expect(await placed(1)).toMatchObject({ kind: 'Accepted' });
  return { clock, cut, reports, links, correctedAtMs, child, send, placed };
}

const NAMES: readonly Name[] = ['BINANCE', 'BYBIT', 'OKX'];

describe.each(NAMES)('%s, whose clock is stepped', (name) => {
  it('has its clock measured within 5 s of a status request that it refuses, and answers the next one', async () => {
    const { clock, reports, correctedAtMs, child, send } = await openVenue(name);
    clock.offsetMs = STEP_MS;
    const askedAtMs = Date.now();
    send({ ...child, kind: 'QueryStatus', submittedAtMs: now(), venueOrderId: null });
    await until(() => reports.some(({ kind }) => kind === 'StatusAnswered'), 'the answer');
    expect(reports.find(({ kind }) => kind === 'StatusAnswered')).toMatchObject({ answer: { state: 'OPEN' } });
    expect(correctedAtMs).toHaveLength(1);
    expect(correctedAtMs[0]! - askedAtMs).toBeLessThan(LIVE_CLOCK_GAP_MS);
  });

  it('has its clock measured after a placement that it refuses, which may be placed again', async () => {
    const { clock, placed } = await openVenue(name);
    clock.offsetMs = STEP_MS;
    expect(await placed(2)).toMatchObject({
      kind: 'Rejected',
      rejection: { code: 'INVALID_TIMESTAMP', retryAfterMs: REFUSED_TIME_AGAIN_MS },
    });
    await passed(REFUSED_TIME_AGAIN_MS);
    expect(await placed(3)).toMatchObject({ kind: 'Accepted' });
  });

  it('takes the account back after a cut, although it refuses the time of the first requests', async () => {
    const { clock, cut, links } = await openVenue(name);
    clock.offsetMs = STEP_MS;
    cut();
    await until(() => links().at(-1) === false, 'the cut');
    // The next measurement by the timer is a minute away.
    await until(() => links().at(-1) === true, 'the link again');
  });

  it('reports each refused request about orders: a look-up, open orders, and a list of orders', async () => {
    const { open, owner, clock } = await EXCHANGES[name]();
    const spot = instrumentsOf('spot');
    const exchange = accepted(
      await open({
        environment: 'testnet',
        proxy: null,
        instruments: { at: (index) => ({ ...spot.at(index), exchangeSymbol: SYMBOLS[name] }), bySymbol: () => null },
        nowMs: now,
        market: { onRecord: () => undefined, onStale: () => undefined },
        onFinding: () => undefined,
      }),
    );
    onTestFinished(() => exchange.close());
    let refusals = 0;
    const events: AccountEvents = {
      onSubscribed: () => undefined,
      onCut: () => undefined,
      onOrder: () => undefined,
      onBalances: () => undefined,
      onPositions: () => undefined,
      onRefused: () => undefined,
      onRefusedTime: () => (refusals += 1),
      instrumentOf: () => null,
    };
    accepted(await exchange.measureClock());
    const { client } = accepted(await exchange.openAccount(credentials(name, owner), events));
    clock.offsetMs = STEP_MS;
    const target: ChildTarget = {
      account: ACCOUNT,
      venue: name,
      orderId: 1 as OrderId,
      child: 1 as ChildNumber,
      instrument: 4_096 as InstrumentIndex,
      submittedAtMs: now(),
      venueOrderId: null,
    };
    const refusedBy = async (ask: (answer: (outcome: unknown) => void) => void): Promise<unknown> => {
      const before = refusals;
      const outcome = await new Promise(ask);
      expect(refusals).toBeGreaterThan(before);
      return outcome;
    };
    expect(await refusedBy((answer) => client.lookUp(target, answer))).toEqual({ kind: 'unknown' });
    expect(await refusedBy((answer) => client.openOrders(answer))).toBeNull();
    const query = { instruments: [target.instrument], sinceMs: (now() - 60_000) as EpochMs };
    const listed = await refusedBy((answer) => client.listOrders(query, answer));
    expect(listed instanceof Rejected).toBe(true);
  });
});
