import { createSecretKey } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import type { InstrumentIndex } from '../../../../src/domain/instrument.js';
import { LIQUIDATION_CHECK_MS } from '../../../../src/domain/limits/trading.js';
import { amountOf } from '../../../../src/domain/quantity.js';
import { isRejected, reject } from '../../../../src/domain/rejection.js';
import type { DurationMs, EpochMs } from '../../../../src/domain/time.js';
import type { VenueCredentials } from '../../../../src/keys/port.js';
import type { OrderUpdate, PlaceAnswer } from '../../../../src/venue/live/exchange-line.js';
import {
  type LiveAccount,
  type LiveExchange,
  type MarketTopic,
  topicKey,
} from '../../../../src/venue/live/live-exchange.js';
import type { Balances, MarketRecord } from '../../../../src/venue/live/normal/records.js';
import { fieldsText } from '../../../../src/venue/live/paper/shadow-line.js';
import { paperExchange, type PaperOptions } from '../../../../src/venue/live/paper/paper-exchange.js';
import { MemoryVenueStore } from '../../../sim/memory-store.js';
import { RULES } from '../lossy-exchange.js';
import { ALICE, listed, PaperRig, START_MS } from './paper-rig.js';

const INDEX = 4_096 as InstrumentIndex;
const { index: _spot, ...RULES_OF_BTC } = listed('BTC/USDT');
const { index: _future, ...RULES_OF_FUTURE } = listed('BTC/USDT:USDT');
const SYMBOL = 'BTCUSDT';
type Rules = typeof RULES_OF_BTC;

const CREDENTIALS: VenueCredentials = {
  place: { account: ALICE, subaccount: null, venue: 'BINANCE', environment: 'live' },
  kind: 'HMAC',
  apiKey: 'key',
  secret: createSecretKey(Buffer.from('secret')),
  passphrase: null,
  expiresAtMs: null,
};

function sendsNothing(): never {
  throw new Error('a paper exchange sends nothing for an account');
}

/** A real exchange that has market data only: each use of an account fails the test. */
class Desk {
  readonly topics: string[] = [];
  readonly records: MarketRecord[] = [];
  readonly stale: string[] = [];
  readonly updates: OrderUpdate[] = [];
  readonly balances: Balances[] = [];
  readonly store: MemoryVenueStore;
  isSubscribed = false;
  nowMs = START_MS;
  /** How often a run was scheduled. */
  scheduled = 0;
  exchange!: LiveExchange;
  account!: LiveAccount;
  deliver!: (record: MarketRecord) => void;
  cut!: (symbols: readonly string[]) => void;
  /** The rows of the market, the present one last. */
  readonly #rows: { readonly index: InstrumentIndex; readonly rules: Rules }[];
  #tasks: { readonly atMs: number; readonly run: () => void }[] = [];

  private constructor(store: MemoryVenueStore, rules: Rules) {
    this.store = store;
    this.#rows = [{ index: INDEX, rules }];
  }

  static async open(
    store = new MemoryVenueStore(),
    { shadow = null, rules = RULES_OF_BTC }: Partial<Pick<PaperOptions, 'shadow'>> & { rules?: Rules } = {},
  ): Promise<Desk> {
    const desk = new Desk(store, rules);
    const open = paperExchange(
      (options) => {
        desk.deliver = (record) => options.market.onRecord(record, desk.nowMs as EpochMs);
        desk.cut = (symbols) => options.market.onStale(symbols, desk.nowMs as EpochMs);
        return Promise.resolve(desk.#real());
      },
      {
        opening: [['USDT', amountOf(100_000, 0)]],
        openStore: (name) => {
          expect(name).toBe(`binance-${rules.assetCategory.toLowerCase()}`);
          return store;
        },
        schedule: (run, delayMs) => {
          desk.scheduled += 1;
          desk.#tasks.push({ atMs: desk.nowMs + delayMs, run });
        },
        shadow,
      },
    );
    const opened = await open({
      environment: 'live',
      proxy: null,
      instruments: {
        at: (wanted) => {
          const { index, rules: own } = desk.#rows.find((row) => row.index === wanted)!;
          return {
            ...own,
            index,
            exchangeSymbol: SYMBOL,
            isFuture: own.assetCategory === 'FUTURE',
            contractSize: '1',
          };
        },
        bySymbol: (symbol) => (symbol === SYMBOL ? desk.#rows.at(-1)!.index : null),
      },
      nowMs: () => desk.nowMs as EpochMs,
      market: {
        onRecord: (record) => desk.records.push(record),
        onStale: (symbols) => desk.stale.push(...symbols),
      },
      onFinding: () => undefined,
    });
    if (isRejected(opened)) throw new Error('the exchange does not open');
    desk.exchange = opened;
    await opened.listMarkets();
    const account = await opened.openAccount(CREDENTIALS, {
      onSubscribed: () => (desk.isSubscribed = true),
      onCut: () => undefined,
      onOrder: (update) => desk.updates.push(update),
      onBalances: (balances) => desk.balances.push(balances),
      onPositions: () => undefined,
      onRefused: () => undefined,
      onRefusedTime: () => undefined,
      instrumentOf: () => null,
    });
    if (isRejected(account)) throw new Error('the account does not open');
    desk.account = account;
    return desk;
  }

  pass(ms: number): this {
    const endMs = this.nowMs + ms;
    for (;;) {
      this.#tasks.sort((one, other) => one.atMs - other.atMs);
      const next = this.#tasks[0];
      if (next === undefined || next.atMs > endMs) break;
      this.#tasks.shift();
      this.nowMs = Math.max(this.nowMs, next.atMs);
      next.run();
    }
    this.nowMs = endMs;
    return this;
  }

  /** The exchange gives the market other lots or ticks: it gets a new row. */
  async relist(change: Partial<Rules>): Promise<InstrumentIndex> {
    const { index, rules } = this.#rows.at(-1)!;
    const next = (index + 1) as InstrumentIndex;
    this.#rows.push({ index: next, rules: { ...rules, ...change } });
    await this.exchange.listMarkets();
    return next;
  }

  touch(bid: string, ask: string, quantity = '0.5'): this {
    const level = (price: string) => ({ price, quantity });
    this.deliver({ kind: 'TopOfBook', symbol: SYMBOL, bid: level(bid), ask: level(ask), updateId: null, atMs: null });
    return this;
  }

  trade(price: string, quantity: string): this {
    const about = { symbol: SYMBOL, tradeId: '1', takerSide: 'SELL', atMs: this.nowMs as EpochMs } as const;
    this.deliver({ kind: 'PublicTrade', ...about, price, quantity });
    return this;
  }

  place(terms: Parameters<PaperRig['submission']>[0]): PlaceAnswer | null {
    let answer: PlaceAnswer | null = null;
    const order = new PaperRig().submission({ instrument: INDEX, ...terms });
    this.account.line.place(order, Infinity as EpochMs, (outcome) => (answer = outcome));
    expect(answer).toBeNull();
    this.pass(100);
    return answer;
  }

  #real(): LiveExchange {
    const note = (what: string) => (topic: MarketTopic) => void this.topics.push(`${what} ${topicKey(topic)}`);
    return {
      venue: 'BINANCE',
      categories: [this.#rows[0]!.rules.assetCategory],
      rules: RULES,
      listMarkets: () =>
        Promise.resolve([
          { instrument: this.#rows.at(-1)!.rules, rawSymbol: SYMBOL, isTrading: true, contractSize: '1' },
        ]),
      measureClock: () => Promise.resolve({ offsetMs: 0, roundTripMs: 1 as DurationMs }),
      market: {
        subscribe: note('+'),
        unsubscribe: note('-'),
        candles: () => Promise.resolve(reject('EXCHANGE_NOT_AVAILABLE', 'no candles')),
        fundingRates: () => Promise.resolve(reject('EXCHANGE_NOT_AVAILABLE', 'no rates')),
      },
      openAccount: sendsNothing,
      close: () => Promise.resolve(),
    };
  }
}

const AT_BID = { limitPrice: 4_999_900, quantity: 1_000 } as Parameters<PaperRig['submission']>[0];

describe('an exchange in paper mode', () => {
  it('carries an order out on the records of the real streams, without the account of the exchange', async () => {
    const desk = (await Desk.open()).touch('49999', '50000');
    desk.account.start();
    expect(desk.pass(1).isSubscribed).toBe(true);
    expect(desk.place({ limitPrice: null, type: 'MARKET', timeInForce: 'IOC' })).toMatchObject({ kind: 'placed' });
    expect(desk.updates.at(-1)).toMatchObject({ order: { state: 'FILLED' }, fill: { fill: { price: 5_000_000 } } });
    expect(desk.balances.at(-1)).toMatchObject({ kind: 'Balances', isSnapshot: false });
    const balances = desk.account.balances();
    desk.pass(100);
    expect(await balances).toMatchObject({
      isSnapshot: true,
      balances: [{ asset: 'USDT' }, { asset: 'BTC', total: '0.01' }],
    });
  });

  it('subscribes best bid, ask and trades while an order rests, and only then', async () => {
    const desk = (await Desk.open()).touch('49999', '50000');
    desk.account.start();
    desk.place(AT_BID);
    expect(desk.topics).toEqual([`+ topOfBook/${SYMBOL}/`, `+ trades/${SYMBOL}/`]);
    desk.trade('49998', '1').pass(100);
    expect(desk.updates.at(-1)?.order.state).toBe('FILLED');
    expect(desk.topics.slice(2)).toEqual([`- topOfBook/${SYMBOL}/`, `- trades/${SYMBOL}/`]);
  });

  it('gives the gateway only the records that it has subscribed', async () => {
    const desk = (await Desk.open()).touch('49999', '50000');
    expect(desk.records).toEqual([]);
    desk.exchange.market.subscribe({ kind: 'topOfBook', symbol: SYMBOL });
    desk.touch('49999', '50000').trade('49999', '1');
    expect(desk.records.map(({ kind }) => kind)).toEqual(['TopOfBook']);
    desk.account.start();
    desk.place(AT_BID);
    desk.exchange.market.unsubscribe({ kind: 'topOfBook', symbol: SYMBOL });
    expect(desk.topics).not.toContain(`- topOfBook/${SYMBOL}/`);
  });

  it('takes no orders while the streams are cut', async () => {
    const desk = (await Desk.open()).touch('49999', '50000');
    desk.cut([SYMBOL]);
    expect(desk.stale).toEqual([SYMBOL]);
    expect(desk.place(AT_BID)).toMatchObject({ kind: 'refused', rejection: { code: 'EXCHANGE_NOT_AVAILABLE' } });
  });

  it('follows the resting orders of an earlier process before the exchange has answered', async () => {
    const first = (await Desk.open()).touch('49999', '50000');
    first.place(AT_BID);
    const again = await Desk.open(first.store);
    expect(again.topics).toEqual([`+ topOfBook/${SYMBOL}/`, `+ trades/${SYMBOL}/`]);
    again.account.start();
    again.touch('49998', '49999').pass(100);
    expect(again.updates.at(-1)).toMatchObject({ order: { state: 'FILLED' }, fill: { fill: { liquidity: 'MAKER' } } });
  });

  it('writes the requests of live mode in shadow mode and still fills on paper', async () => {
    const written: string[] = [];
    const desk = await Desk.open(new MemoryVenueStore(), {
      shadow: { record: (account, request) => written.push(`${account} ${request.call} ${fieldsText(request)}`) },
    });
    desk.account.start();
    desk.touch('49999', '50000');
    const order = new PaperRig().submission({ instrument: INDEX, ...AT_BID });
    const answer = new Promise((resolve) => desk.account.line.place(order, Infinity as EpochMs, resolve));
    await new Promise((resolve) => setImmediate(resolve));
    desk.pass(100);
    expect(await answer).toMatchObject({ kind: 'placed' });
    expect(written).toHaveLength(1);
    expect(written[0]).toMatch(
      /^alice order\.place symbol=BTCUSDT&side=BUY&type=LIMIT&timeInForce=GTC&quantity=0\.01&price=49999&/,
    );
  });

  it('answers the check of a key that may trade and nothing else', async () => {
    const { account } = await Desk.open();
    expect(await account.check()).toMatchObject({ mayTrade: true, mayWithdraw: false, positionMode: null });
  });
});

describe('an exchange in paper mode with a position', () => {
  const SPAN_MS = 10 * LIQUIDATION_CHECK_MS;

  it('looks at its positions at a fixed interval, however many requests came in between', async () => {
    const desk = (await Desk.open(new MemoryVenueStore(), { rules: RULES_OF_FUTURE })).touch('49999', '50000');
    desk.account.start();
    expect(desk.place({ limitPrice: null, type: 'MARKET', timeInForce: 'IOC' })).toMatchObject({ kind: 'placed' });
    const scheduledIn = (ms: number): number => {
      const before = desk.scheduled;
      return desk.pass(ms).scheduled - before;
    };
    desk.pass(SPAN_MS);
    const quiet = scheduledIn(SPAN_MS);
    for (let count = 0; count < 20; count += 1) {
      void desk.account.balances();
      desk.pass(LIQUIDATION_CHECK_MS / 3);
    }
    desk.pass(SPAN_MS);
    expect(scheduledIn(SPAN_MS)).toBe(quiet);
  });
});

describe('an exchange in paper mode whose market gets other ticks', () => {
  it('fills the orders that rest in the old ones, and then takes orders in the new ones', async () => {
    const desk = (await Desk.open()).touch('49999', '50000');
    desk.account.start();
    desk.place(AT_BID);
    const next = await desk.relist({ priceStep: 5 });
    const inNext = { ...AT_BID, instrument: next, limitPrice: 999_980 } as typeof AT_BID;
    desk.touch('49999', '50000');
    expect(desk.place(inNext)).toMatchObject({ kind: 'refused', rejection: { code: 'INVALID_ORDER' } });
    desk.trade('49998', '1').pass(100);
    expect(desk.updates.at(-1)).toMatchObject({ order: { state: 'FILLED' }, child: { instrument: INDEX } });
    desk.touch('49999', '50000');
    expect(desk.place({ ...inNext, child: 2 } as typeof AT_BID)).toMatchObject({ kind: 'placed' });
  });

  it('clears a position in the new ones', async () => {
    const desk = (await Desk.open(new MemoryVenueStore(), { rules: RULES_OF_FUTURE })).touch('49999', '50000');
    desk.account.start();
    const market = { limitPrice: null, type: 'MARKET', timeInForce: 'IOC', quantity: 300 } as unknown as typeof AT_BID;
    expect(desk.place(market)).toMatchObject({ kind: 'placed' });
    const next = await desk.relist({ priceStep: 5 });
    desk.touch('49999', '50000', '5');
    const closing = { ...market, instrument: next, side: 'SELL', reduceOnly: true, child: 2 } as typeof AT_BID;
    expect(desk.place(closing)).toMatchObject({ kind: 'placed' });
    expect(desk.updates.at(-1)).toMatchObject({ order: { state: 'FILLED' }, child: { instrument: next } });
  });
});
