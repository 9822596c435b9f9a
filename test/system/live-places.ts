import { onTestFinished } from 'vitest';
import type { LoopbackAccount } from '../loopback/accounts.js';
import type { Background } from '../loopback/background.js';
import { BybitLoopback } from '../loopback/bybit/bybit-loopback.js';
import { type Units, units } from '../loopback/decimal.js';
import type { ChangedRules, Exchange } from '../loopback/exchange.js';
import type { FaultScript } from '../loopback/faults.js';
import { OkxLoopback } from '../loopback/okx/okx-loopback.js';
import { openSite } from '../loopback/proxied-site.js';

/* The test environments of Bybit and OKX on loopback, for one service that trades at both. */

const MOVE_EVERY_MS = 500;

/** One product of one exchange, and what tests of changed markets know about it. */
export interface LivePlace {
  readonly name: string;
  readonly venue: 'BYBIT' | 'OKX';
  readonly category: 'SPOT' | 'FUTURE';
  readonly exchange: Exchange;
  readonly background: Background;
  readonly account: LoopbackAccount;
  /** The exchange's names of BTC/USDT and ETH/USDT. */
  readonly raw: Readonly<Record<'BTC' | 'ETH', string>>;
  /** Between the numbers of an order and its child in a client id. */
  readonly separator: '-' | 'x';
  /** False: the market list lacks a halted market, as if it were delisted. */
  readonly listsHalts: boolean;
  /** Code of a child in a market that is gone. */
  readonly goneCode: 'INVALID_SYMBOL' | 'EXCHANGE_NOT_AVAILABLE';
  /** Makes children of 0.02 BTC the least that the exchange takes. */
  readonly minimum: ChangedRules;
  /** A coarser lot of ETH, a quantity that is on the first lot only, and one that is on both. */
  readonly lots: { readonly lot: Units; readonly odd: string; readonly even: string };
}

export interface LivePlaces {
  readonly places: readonly LivePlace[];
  readonly environment: Readonly<Record<string, string>>;
  /** Answers all market lists with a page of maintenance until the returned function is called. */
  readonly withholdLists: () => () => void;
  /** Ends the sockets of both exchanges, and answers the first reads after it with a page. */
  readonly cutSockets: () => void;
  /** Hosts that a client dialled and that are not served here. */
  readonly refused: () => readonly unknown[];
}

/** What an account is caught up by after a cut. */
const READS: readonly (readonly [LivePlace['venue'], string])[] = [
  ['BYBIT', 'GET /v5/order/realtime'],
  ['BYBIT', 'GET /v5/account/wallet-balance'],
  ['OKX', 'GET /api/v5/trade/orders-pending'],
  ['OKX', 'GET /api/v5/account/balance'],
];

/** Starts a Bybit and a demo trading of OKX whose markets move, with one account at each. */
export async function openLivePlaces(seed: string): Promise<LivePlaces> {
  const bybit = await BybitLoopback.start({ seed });
  const okx = await OkxLoopback.start({ seed, isDemo: true });
  const site = await openSite(
    new Map([
      ['api-testnet.bybit.com', bybit.ports.get('api.bybit.com')!],
      ['stream-testnet.bybit.com', bybit.ports.get('stream.bybit.com')!],
      ['www.okx.com', okx.ports.get('www.okx.com')!],
      ['wspap.okx.com', okx.ports.get('ws.okx.com')!],
    ]),
  );
  const places = [...bybitPlaces(bybit), ...okxPlaces(okx)];
  const mover = setInterval(() => {
    for (const { background } of places) background.wander();
  }, MOVE_EVERY_MS);
  onTestFinished(async () => {
    clearInterval(mover);
    await site.close();
    await Promise.all([bybit.close(), okx.close()]);
  });
  const lists: readonly (readonly [FaultScript, string])[] = [
    [bybit.faults, 'GET /v5/market/instruments-info'],
    [okx.faults, 'GET /api/v5/public/instruments'],
  ];
  return {
    places,
    environment: {
      SLUICE_LIVE: 'BYBIT:testnet,OKX:testnet',
      SLUICE_LIVE_PROXY: site.proxy.url,
      NODE_EXTRA_CA_CERTS: site.certificateFile,
    },
    withholdLists: () => {
      const fault = { kind: 'maintenance', status: 503 } as const;
      const ends = lists.map(([faults, on]) => faults.add({ on, fault }));
      return () => {
        for (const end of ends) end();
      };
    },
    cutSockets: () => {
      const fault = { kind: 'maintenance', status: 502 } as const;
      for (const [venue, on] of READS) (venue === 'OKX' ? okx : bybit).faults.add({ on, fault, times: 3 });
      bybit.cut('stream.bybit.com');
      okx.cut('ws.okx.com');
    },
    refused: () => site.proxy.refused,
  };
}

function bybitPlaces(loopback: BybitLoopback): readonly LivePlace[] {
  const common = {
    venue: 'BYBIT',
    account: loopback.openAccount(),
    raw: { BTC: 'BTCUSDT', ETH: 'ETHUSDT' },
    separator: '-',
    // At a price of 50,000.
    minimum: { notionalMin: units('1000') },
  } as const;
  return [
    {
      ...common,
      exchange: loopback.spot.exchange,
      background: loopback.spot.background,
      name: 'BYBIT spot',
      category: 'SPOT',
      listsHalts: false,
      goneCode: 'INVALID_SYMBOL',
      lots: { lot: units('0.01'), odd: '0.1234', even: '0.05' },
    },
    {
      ...common,
      exchange: loopback.linear.exchange,
      background: loopback.linear.background,
      name: 'BYBIT perpetuals',
      category: 'FUTURE',
      listsHalts: true,
      // "This contract is not live": it may also not be open yet.
      goneCode: 'EXCHANGE_NOT_AVAILABLE',
      lots: { lot: units('0.1'), odd: '0.12', even: '0.2' },
    },
  ];
}

function okxPlaces(loopback: OkxLoopback): readonly LivePlace[] {
  const { trading, background } = loopback;
  const common = {
    venue: 'OKX',
    account: loopback.openAccount(),
    separator: 'x',
    listsHalts: true,
    goneCode: 'INVALID_SYMBOL',
    minimum: { quantityMin: units('0.02') },
  } as const;
  return [
    {
      ...common,
      name: 'OKX spot',
      category: 'SPOT',
      exchange: trading.spot,
      background: background.spot,
      raw: { BTC: 'BTC-USDT', ETH: 'ETH-USDT' },
      lots: { lot: units('0.01'), odd: '0.1234', even: '0.05' },
    },
    {
      ...common,
      name: 'OKX perpetuals',
      category: 'FUTURE',
      exchange: trading.swap,
      background: background.swap,
      raw: { BTC: 'BTC-USDT-SWAP', ETH: 'ETH-USDT-SWAP' },
      lots: { lot: units('0.01'), odd: '0.123', even: '0.05' },
    },
  ];
}
