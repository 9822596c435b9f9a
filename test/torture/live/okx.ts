import { OkxLoopback } from '../../loopback/okx/okx-loopback.js';
import { wireOrderId } from '../../loopback/okx/trading-account.js';
import { balancesOf, copyOf } from './ledger-copy.js';
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

const REST_HOST = 'www.okx.com';
const STREAM_HOST = 'ws.okx.com';
/** Demo trading has the host of the real one for REST. */
const DEMO_STREAM_HOST = 'wspap.okx.com';
/** The asset that backs positions: its free part depends on their margin. */
const COLLATERAL = 'USDT';

/** The exchange counts in intervals of two seconds. */
const PARDON_MS = 500;

const NAMES: FaultNames = {
  place: ['POST /api/v5/trade/order', 'okx order'],
  cancel: ['POST /api/v5/trade/cancel-order', 'okx cancel-order'],
  read: [
    'GET /api/v5/trade/order',
    'GET /api/v5/trade/orders-pending',
    'GET /api/v5/trade/orders-history',
    'GET /api/v5/trade/fills',
    'GET /api/v5/account/balance',
    'GET /api/v5/account/positions',
    'GET /api/v5/account/config',
  ],
  session: ['okx private login', 'okx private subscribe'],
  orderFrame: ['okx orders'],
  walletFrame: ['okx account', 'okx positions'],
  marketFrame: ['okx * *-USDT', 'okx * *-USDT-SWAP'],
  open: ['GET /api/v5/public/instruments', 'GET /api/v5/public/time'],
  limitStatuses: [429, 429, 418],
};

/** OKX spot and USDT perpetuals on loopback, as demo trading. */
export async function openOkx(seed: string): Promise<TradedExchange> {
  const loopback = await OkxLoopback.start({ seed, isDemo: true });
  const { accounts, background, clock, faults, rest, trading } = loopback;
  const opened: number[] = [];
  const pardon = new Pardon(PARDON_MS, () => rest.limits.pardon());
  return {
    markets: [SPOT_BTC, SPOT_ETH, PERPETUAL_BTC, PERPETUAL_ETH],
    names: NAMES,
    faults,
    clock,
    ports: new Map([
      [REST_HOST, loopback.ports.get(REST_HOST)!],
      [DEMO_STREAM_HOST, loopback.ports.get(STREAM_HOST)!],
    ]),
    privateHosts: [DEMO_STREAM_HOST],
    openAccount: () => openAccount(loopback, opened),
    wander: () => {
      background.spot.wander();
      background.swap.wander();
    },
    cut: (host) => loopback.cut(host),
    setKeyAccepted: (key, isAccepted) => accounts.setAccepted(key, isAccepted),
    // The login of a connection has no expiry: it ends with its socket.
    expireStreams: () => loopback.cut(STREAM_HOST),
    setCounting: (value) => {
      pardon.isCounting = value;
    },
    copy: (latest) => {
      const ids = { order: wireOrderId, trade: ({ tradeId }: { readonly tradeId: number }) => String(tradeId) };
      const [one, other] = [copyOf(trading.spot, 'SPOT', ids, latest), copyOf(trading.swap, 'FUTURE', ids, latest)];
      const balances = opened
        .flatMap((account) => balancesOf(account, [accounts.at(account).spot]))
        .map((balance) => (balance.asset === COLLATERAL ? { ...balance, free: null } : balance));
      return { orders: [...one.orders, ...other.orders], fills: [...one.fills, ...other.fills], balances };
    },
    close: () => {
      pardon.close();
      return loopback.close();
    },
  };
}
