import { createSecretKey } from 'node:crypto';
import type { AccountId, ChildNumber, OrderId } from '../../src/domain/ids.js';
import type { Lots, Ticks } from '../../src/domain/quantity.js';
import type { ChildSubmission } from '../../src/domain/venue-message.js';
import type { VenueCredentials } from '../../src/keys/port.js';
import { BINANCE_SPOT, BINANCE_USDM } from '../../src/venue/live/binance/binance-wallet.js';
import type { BinanceAddresses } from '../../src/venue/live/binance/binance-rest.js';
import { OrderSession } from '../../src/venue/live/order-session.js';
import { UnitScale } from '../../src/venue/live/unit-scale.js';
import { median, type Report } from '../report.js';
import { openLibrary } from './bare-library.js';
import { accepted, BTC, ignore, INSTRUMENT, now, open, passed, start } from './opened-exchange.js';
import { measureServiceOrders } from './service-orders.js';
import { WriteProbe } from './write-probe.js';

const BENCH = 'live';
const CCXT = "ccxt's implicit call";
const FULL = { orders: 400, quotesMs: 20_000 };
const QUICK = { orders: 20, quotesMs: 2_000 };
/** A pause between orders: bursts measure the exchange on loopback and not the way to it. */
const PAUSE_MS = 15;
const SYMBOLS = 100;
const QUOTES_PER_SECOND = 10;
const WARM_UP_MS = 2_000;
const US_PER_MS = 1_000;
/** Orders and quotes through the gateway's own connection to Binance, against exchanges in processes of their own. */
export async function live(report: Report, isQuick: boolean): Promise<void> {
  const { orders, quotesMs } = isQuick ? QUICK : FULL;
  await measureOrders(report, orders);
  await measureQuotes(report, quotesMs);
  await measureServiceOrders(report, isQuick);
}

interface ExchangePeer {
  readonly rest: string;
  readonly streams: string;
  readonly socketApi: string;
  readonly key: string;
  readonly secret: string;
}

/**
 * Time from the submission to the acknowledgement, in milliseconds: by ccxt alone, by our socket and by our REST in
 * turn. Of our ways also the part until the request is on the connection: all work of the gateway on it.
 */
async function measureOrders(report: Report, count: number): Promise<void> {
  report.progress(`${count} orders on each way`);
  const { child, message } = await start<ExchangePeer>('exchange-peer.js');
  const addresses = { rest: message.rest, walletApi: null, streams: message.streams };
  const socket = await openSession({ ...addresses, socketApi: message.socketApi }, message);
  // Without an open socket the orders leave by REST.
  const rest = await openSession({ ...addresses, socketApi: 'ws://127.0.0.1:1' }, message);
  const bare = await openLibrary(message.rest, message.key, message.secret);
  const times = { ccxt: [] as number[], socket: [] as number[], rest: [] as number[] };
  const sent = { socket: [] as number[], rest: [] as number[] };
  const probe = new WriteProbe();
  const placed = async (way: 'socket' | 'rest', id: number, isMeasured: boolean): Promise<number> => {
    const session = way === 'socket' ? socket : rest;
    const took = await timed(() => {
      probe.arm();
      return session.place(id);
    });
    if (isMeasured) sent[way].push(probe.take() * US_PER_MS);
    return took;
  };
  for (let id = 1; id <= count + count / 10; id += 1) {
    // The first tenth warms up.
    const isMeasured = id > count / 10;
    const found = {
      ccxt: await timed(() => bare.place(id)),
      socket: await placed('socket', id, isMeasured),
      rest: await placed('rest', id + 1_000_000, isMeasured),
    };
    if (!isMeasured) continue;
    for (const way of ['ccxt', 'socket', 'rest'] as const) times[way].push(found[way]);
  }
  for (const way of ['socket', 'rest'] as const) {
    const [own, reference] = [median(times[way]), median(times.ccxt)];
    report.add({
      bench: BENCH,
      case: `order ${way}, request of the shard to bytes on the connection`,
      metric: 'p50',
      value: median(sent[way]),
      unit: 'µs',
      rounds: count,
    });
    report.add({
      bench: BENCH,
      case: `order ${way}`,
      metric: 'p50',
      value: own,
      unit: 'ms',
      reference: CCXT,
      reference_value: reference,
      ratio: own / reference,
      rounds: count,
    });
  }
  await Promise.all([socket.close(), rest.close(), bare.close()]);
  child.disconnect();
}

async function timed(run: () => Promise<unknown>): Promise<number> {
  await passed(PAUSE_MS);
  const startedAtMs = performance.now();
  await run();
  return performance.now() - startedAtMs;
}

/** A session of one account. `place` resolves when the session has reported the acknowledgement. */
async function openSession(
  addresses: BinanceAddresses,
  peer: ExchangePeer,
): Promise<{ place(id: number): Promise<void>; close(): Promise<void> }> {
  const waiting = new Map<number, () => void>();
  const exchange = await open(BINANCE_USDM, addresses, { onRecord: ignore, onStale: ignore });
  // Without a known clock nothing is placed.
  accepted(await exchange.measureClock());
  let linked = ignore;
  const isLinked = new Promise<void>((resolve) => {
    linked = resolve;
  });
  const account = accepted(
    await exchange.openAccount(credentialsOf(peer), {
      onSubscribed: () => session.onSubscribed(),
      onCut: (nowMs) => session.onCut(nowMs),
      onOrder: (update, nowMs) => session.onUpdate(update, nowMs),
      onBalances: ignore,
      onPositions: ignore,
      onRefused: ignore,
      onRefusedTime: ignore,
      instrumentOf: () => BTC,
    }),
  );
  const session = new OrderSession({
    account: 'bench' as AccountId,
    venue: 'BINANCE',
    client: account.client,
    rules: exchange.rules,
    startedAtMs: now(),
    report: (report) => {
      if (!('orderId' in report) || report.kind !== 'Accepted') return;
      waiting.get(report.orderId)?.();
      waiting.delete(report.orderId);
    },
    onLink: () => linked(),
    onContradiction: ignore,
  });
  account.start();
  await isLinked;
  return {
    place: (id) =>
      new Promise((resolve) => {
        waiting.set(id, resolve);
        session.handle({ kind: 'Submit', ...childOf(id) }, now());
      }),
    close: () => exchange.close(),
  };
}

/** Processor time of this process with quoted symbols, as a share of a core. Each quote becomes ticks and lots. */
async function measureQuotes(report: Report, forMs: number): Promise<void> {
  report.progress(`${SYMBOLS} symbols at ${QUOTES_PER_SECOND} quotes a second`);
  const { child, message } = await start<{ readonly port: number }>('quotes-peer.js');
  const scale = new UnitScale({ ...INSTRUMENT, quantityPrecision: 5, pricePrecision: 2 });
  let [quotes, sum] = [0, 0];
  const address = `ws://127.0.0.1:${message.port}`;
  const exchange = await open(
    BINANCE_SPOT,
    { rest: address, walletApi: null, streams: address, socketApi: address },
    {
      onRecord: (record) => {
        if (record.kind !== 'TopOfBook') return;
        quotes += 1;
        for (const { price, quantity } of [record.bid, record.ask]) {
          sum += (scale.ticks(price) ?? 0) + (scale.lots(quantity) ?? 0);
        }
      },
      onStale: ignore,
    },
  );
  for (let number = 0; number < SYMBOLS; number += 1) {
    exchange.market.subscribe({ kind: 'topOfBook', symbol: `COIN${number}USDT` });
  }
  await passed(WARM_UP_MS);
  const [quotesBefore, before, startedAtMs] = [quotes, process.cpuUsage(), performance.now()];
  await passed(forMs);
  const elapsedMs = performance.now() - startedAtMs;
  const { user, system } = process.cpuUsage(before);
  const perSecond = ((quotes - quotesBefore) * 1_000) / elapsedMs;
  if (sum === 0 || perSecond < SYMBOLS * QUOTES_PER_SECOND * 0.8) throw new Error(`only ${perSecond} quotes a second`);
  report.add({
    bench: BENCH,
    case: `${SYMBOLS} symbols, ${Math.round(perSecond)} quotes/s`,
    metric: 'processor',
    value: ((user + system) / US_PER_MS / elapsedMs) * 100,
    unit: '% of a core',
    rounds: 1,
  });
  await exchange.close();
  child.disconnect();
}

function credentialsOf({ key, secret }: ExchangePeer): VenueCredentials {
  return {
    place: { account: 'bench' as AccountId, subaccount: null, venue: 'BINANCE', environment: 'testnet' },
    kind: 'HMAC',
    apiKey: key,
    secret: createSecretKey(Buffer.from(secret)),
    passphrase: null,
    expiresAtMs: null,
  };
}

/** Far from the market and not resting: the book of the exchange stays as it is. */
function childOf(id: number): ChildSubmission {
  return {
    account: 'bench' as AccountId,
    venue: 'BINANCE',
    orderId: id as OrderId,
    child: 1 as ChildNumber,
    instrument: BTC,
    side: 'BUY',
    quantity: 10 as Lots,
    type: 'LIMIT',
    timeInForce: 'IOC',
    limitPrice: 490_000 as Ticks,
    postOnly: false,
    reduceOnly: false,
    selfTradePrevention: 'EXPIRE_TAKER',
  };
}
