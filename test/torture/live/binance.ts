import { BinanceLoopback } from '../../loopback/binance/binance-loopback.js';
import { balancesOf, copyOf, type LedgerCopy } from './ledger-copy.js';
import {
  openAccount,
  Pardon,
  PERPETUAL_BTC,
  PERPETUAL_ETH,
  SPOT_BTC,
  SPOT_ETH,
  type TradedExchange,
} from './traded-exchange.js';
import type { FaultNames } from './weather.js';

/** Hosts of the test environments, by the host of the real exchange that serves the same. */
const TEST_HOSTS: readonly (readonly [string, string])[] = [
  ['testnet.binance.vision', 'api.binance.com'],
  ['demo-api.binance.com', 'api.binance.com'],
  ['ws-api.testnet.binance.vision', 'ws-api.binance.com'],
  ['demo-ws-api.binance.com', 'ws-api.binance.com'],
  ['stream.testnet.binance.vision', 'stream.binance.com'],
  ['demo-stream.binance.com', 'stream.binance.com'],
  ['demo-fapi.binance.com', 'fapi.binance.com'],
  ['testnet.binancefuture.com', 'fapi.binance.com'],
  ['fstream.binancefuture.com', 'fstream.binance.com'],
  ['demo-fstream.binance.com', 'fstream.binance.com'],
  ['testnet-ws-fapi.binance.com', 'ws-fapi.binance.com'],
  ['demo-ws-fapi.binance.com', 'ws-fapi.binance.com'],
];

/** A futures stream needs a listen key by REST first; its host also serves markets. */
const PRIVATE_HOSTS: readonly string[] = [
  'ws-api.binance.com',
  'ws-api.testnet.binance.vision',
  'demo-ws-api.binance.com',
];

const PARDON_MS = 1_000;

const NAMES: FaultNames = {
  place: ['POST /api/v3/order', 'spot order.place', 'POST /fapi/v1/order', 'futures order.place'],
  cancel: ['DELETE /api/v3/order', 'spot order.cancel', 'DELETE /fapi/v1/order', 'futures order.cancel'],
  read: [
    'GET /api/v3/order',
    'GET /api/v3/openOrders',
    'GET /api/v3/myTrades',
    'GET /api/v3/account',
    'GET /fapi/v1/order',
    'GET /fapi/v1/openOrders',
    'GET /fapi/v1/userTrades',
    'GET /fapi/v?/account',
    'GET /fapi/v?/balance',
    'GET /fapi/v?/positionRisk',
  ].flatMap((name) => (name.includes('?') ? ['1', '2', '3'].map((version) => name.replace('?', version)) : [name])),
  session: [
    'spot userDataStream.subscribe*',
    'spot session.logon',
    'POST /fapi/v1/listenKey',
    'PUT /fapi/v1/listenKey',
  ],
  orderFrame: ['spot executionReport', 'futures ORDER_TRADE_UPDATE', 'futures TRADE_LITE'],
  walletFrame: ['spot outboundAccountPosition', 'futures ACCOUNT_UPDATE'],
  marketFrame: ['spot *@*', 'futures *@*'],
  open: ['GET /api/v3/exchangeInfo', 'GET /api/v3/time', 'GET /fapi/v1/exchangeInfo', 'GET /fapi/v1/time'],
  limitStatuses: [429, 429, 418],
};

/** Binance spot and USD-M on loopback. */
export async function openBinance(seed: string): Promise<TradedExchange> {
  const loopback = await BinanceLoopback.start({ seed });
  const { spot, futures, accounts, faults, clock } = loopback;
  const opened: number[] = [];
  const pardon = new Pardon(PARDON_MS, () => {
    spot.limits.pardon();
    futures.limits.pardon();
  });
  return {
    markets: [SPOT_BTC, SPOT_ETH, PERPETUAL_BTC, PERPETUAL_ETH],
    names: NAMES,
    faults,
    clock,
    ports: new Map([
      ...loopback.ports,
      ...TEST_HOSTS.map(([test, real]): [string, number] => [test, loopback.ports.get(real)!]),
    ]),
    privateHosts: PRIVATE_HOSTS,
    openAccount: () => openAccount(loopback, opened),
    wander: () => {
      spot.background.wander();
      futures.background.wander();
    },
    cut: (host) => loopback.cut(host),
    setKeyAccepted: (key, isAccepted) => accounts.setAccepted(key, isAccepted),
    expireStreams: (account) => {
      futures.listenKeys.expireNow(account);
      loopback.cut('ws-api.binance.com');
    },
    setCounting: (value) => {
      pardon.isCounting = value;
    },
    copy: (latest): LedgerCopy => {
      const one = copyOf(spot.exchange, 'SPOT', undefined, latest);
      const other = copyOf(futures.exchange, 'FUTURE', undefined, latest);
      const balances = opened.flatMap((account) => {
        const wallets = accounts.at(account);
        return balancesOf(account, [wallets.spot], [wallets.futures]);
      });
      return { orders: [...one.orders, ...other.orders], fills: [...one.fills, ...other.fills], balances };
    },
    close: () => {
      pardon.close();
      return loopback.close();
    },
  };
}
