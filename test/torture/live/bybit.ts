import { BybitLoopback } from '../../loopback/bybit/bybit-loopback.js';
import { executionId, orderIdText } from '../../loopback/bybit/exchange-ids.js';
import { balancesOf, copyOf } from './ledger-copy.js';
import { openAccount, PERPETUAL_BTC, SPOT_BTC, SPOT_ETH, type TradedExchange } from './traded-exchange.js';
import type { FaultNames } from './weather.js';

const STREAM_HOST = 'stream.bybit.com';
const TEST_STREAM_HOST = 'stream-testnet.bybit.com';
/** More requests than the torture sends: the limits apply only in the rounds that count. */
const UNLIMITED = 1_000_000;

const NAMES: FaultNames = {
  place: ['POST /v5/order/create', 'trade order.create'],
  cancel: ['POST /v5/order/cancel', 'trade order.cancel'],
  read: [
    'GET /v5/order/realtime',
    'GET /v5/order/history',
    'GET /v5/execution/list',
    'GET /v5/account/wallet-balance',
    'GET /v5/position/list',
  ],
  session: ['private auth', 'private subscribe', 'trade auth'],
  orderFrame: ['private order', 'private execution'],
  walletFrame: ['private wallet', 'private position'],
  marketFrame: ['spot *', 'linear *'],
  open: ['GET /v5/market/instruments-info', 'GET /v5/market/time'],
  limitStatuses: [429],
};

/** Bybit spot and USDT perpetuals on loopback. */
export async function openBybit(seed: string): Promise<TradedExchange> {
  const loopback = await BybitLoopback.start({ seed });
  const { spot, linear, accounts, faults, clock, limits } = loopback;
  const listed = { ...limits.orders };
  const { perAddress } = limits;
  const opened: number[] = [];
  const setCounting = (isCounting: boolean): void => {
    Object.assign(limits.orders, isCounting ? listed : { spot: UNLIMITED, linear: UNLIMITED });
    limits.perAddress = isCounting ? perAddress : UNLIMITED;
  };
  setCounting(false);
  return {
    markets: [SPOT_BTC, SPOT_ETH, PERPETUAL_BTC],
    names: NAMES,
    faults,
    clock,
    ports: new Map([
      ...loopback.ports,
      ['api-testnet.bybit.com', loopback.ports.get('api.bybit.com')!],
      [TEST_STREAM_HOST, loopback.ports.get(STREAM_HOST)!],
    ]),
    privateHosts: [STREAM_HOST, TEST_STREAM_HOST],
    openAccount: () => openAccount(loopback, opened),
    wander: () => {
      spot.background.wander();
      linear.background.wander();
    },
    cut: (host) => loopback.cut(host),
    setKeyAccepted: (key, isAccepted) => accounts.setAccepted(key, isAccepted),
    // The stream of a key has no expiry of its own: it ends with its socket.
    expireStreams: () => loopback.cut(STREAM_HOST),
    setCounting,
    copy: (latest) => {
      const [one, other] = (['spot', 'linear'] as const).map((section) =>
        copyOf(
          loopback[section].exchange,
          section === 'spot' ? 'SPOT' : 'FUTURE',
          { order: (id) => orderIdText(section, id), trade: (fill) => executionId(section, fill) },
          latest,
        ),
      ) as [ReturnType<typeof copyOf>, ReturnType<typeof copyOf>];
      const balances = opened.flatMap((account) => balancesOf(account, [], [accounts.at(account).spot]));
      return { orders: [...one.orders, ...other.orders], fills: [...one.fills, ...other.fills], balances };
    },
    close: () => loopback.close(),
  };
}
