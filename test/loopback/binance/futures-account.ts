import { formatUnits } from '../decimal.js';
import type { Exchange } from '../exchange.js';
import type { FuturesClearing, Position } from '../futures-clearing.js';
import type { PositionSide } from '../order.js';
import { ApiError, BAD_SYMBOL, missing, REJECTED_KEY } from './api-error.js';
import { accountOf, type Endpoint, type RequestContext } from './endpoint.js';
import { accountPositionV2, accountPositionV3, assetAnswer, type AssetRow, riskAnswer } from './futures-answers.js';
import { marketOf } from './spot-order-form.js';

const LEVERAGE_MAX = 125;
const ASSET = 'USDT';

interface FuturesParts {
  readonly exchange: Exchange;
  readonly clearing: FuturesClearing;
}

/** Balances, positions and settings of the futures API. */
export function futuresAccountEndpoints(parts: FuturesParts): readonly Endpoint[] {
  const { exchange, clearing } = parts;
  return [
    read('GET /fapi/v2/balance', (context) => balances(clearing, context), 'account.balance'),
    read('GET /fapi/v3/balance', (context) => balances(clearing, context), 'v2/account.balance'),
    read('GET /fapi/v2/account', (context) => accountV2(parts, context), 'account.status'),
    read('GET /fapi/v3/account', (context) => accountV3(parts, context), 'v2/account.status'),
    read('GET /fapi/v2/positionRisk', (context) => risks(parts, context, { isV2: true }), 'account.position'),
    read('GET /fapi/v3/positionRisk', (context) => risks(parts, context, { isV2: false }), 'v2/account.position'),
    read('GET /fapi/v1/accountConfig', (context) => ({
      feeTier: 0,
      canTrade: true,
      canDeposit: true,
      canWithdraw: true,
      dualSidePosition: clearing.settings(accountOf(context)).isDualSide,
      updateTime: 0,
      multiAssetsMargin: false,
      tradeGroupId: -1,
    })),
    read('GET /fapi/v1/symbolConfig', (context) => {
      return exchange.markets.map(({ instrument: { symbol } }) => ({
        symbol,
        marginType: 'CROSSED',
        isAutoAddMargin: false,
        leverage: clearing.leverage(accountOf(context), symbol),
        maxNotionalValue: '250000000',
      }));
    }),
    read('GET /fapi/v1/positionSide/dual', (context) => {
      return { dualSidePosition: clearing.settings(accountOf(context)).isDualSide };
    }),
    change('POST /fapi/v1/positionSide/dual', (context) => changeMode(parts, context)),
    change('POST /fapi/v1/leverage', (context) => changeLeverage(parts, context)),
    read('GET /fapi/v1/commissionRate', ({ parameters }) => {
      const { symbol, makerRate, takerRate } = marketOf(exchange, parameters).instrument;
      const [maker, taker] = [makerRate, takerRate].map((rate) => formatUnits(rate, 6));
      return { symbol, makerCommissionRate: maker, takerCommissionRate: taker, rpiCommissionRate: formatUnits(0n, 6) };
    }),
    read('GET /fapi/v1/leverageBracket', ({ parameters }) => {
      const symbol = parameters.optional('symbol');
      const all = exchange.markets.map(({ instrument }) => ({
        symbol: instrument.symbol,
        notionalCoef: 1,
        brackets: BRACKETS,
      }));
      if (symbol === null) return all;
      const found = all.filter((row) => row.symbol === symbol);
      if (found.length === 0) throw BAD_SYMBOL();
      return found;
    }),
  ];
}

/** A signed look-up, by HTTP and under a name on the socket. */
function read(rest: string, run: Endpoint['run'], socket?: string): Endpoint {
  return { rest, ...(socket !== undefined && { socket }), security: 'FUTURES_DATA', weight: 5, run };
}

function change(rest: string, run: Endpoint['run']): Endpoint {
  return { rest, security: 'FUTURES_TRADE', weight: 1, run };
}

const BRACKETS = [
  { bracket: 1, initialLeverage: 125, notionalCap: 300_000, notionalFloor: 0, maintMarginRatio: 0.004, cum: 0 },
  { bracket: 2, initialLeverage: 100, notionalCap: 800_000, notionalFloor: 300_000, maintMarginRatio: 0.005, cum: 300 },
  {
    bracket: 3,
    initialLeverage: 20,
    notionalCap: 70_000_000,
    notionalFloor: 800_000,
    maintMarginRatio: 0.025,
    cum: 16_300,
  },
];

function wallets({ identity }: RequestContext): readonly AssetRow[] {
  if (identity === null) throw REJECTED_KEY();
  const { futures, id } = identity.account;
  return futures.assets.map((asset) => {
    return { account: id, asset, wallet: futures.balance(asset).free, updatedAtMs: futures.updatedAtMs(asset) };
  });
}

function balances(clearing: FuturesClearing, context: RequestContext): object {
  return wallets(context).map((row) => {
    const asset = assetAnswer(clearing, row, { isV2: true });
    return {
      accountAlias: 'SgsR',
      asset: row.asset,
      balance: asset['walletBalance'],
      crossWalletBalance: asset['crossWalletBalance'],
      crossUnPnl: asset['crossUnPnl'],
      availableBalance: asset['availableBalance'],
      maxWithdrawAmount: asset['maxWithdrawAmount'],
      marginAvailable: true,
      updateTime: asset['updateTime'],
    };
  });
}

/** The totals of a single-asset account are those of its one margin asset. */
function totals(clearing: FuturesClearing, context: RequestContext): object {
  const usdt = wallets(context).find(({ asset }) => asset === ASSET);
  const account = accountOf(context);
  const row = assetAnswer(clearing, usdt ?? { account, asset: ASSET, wallet: 0n, updatedAtMs: 0 }, { isV2: false });
  return {
    totalInitialMargin: row['initialMargin'],
    totalMaintMargin: row['maintMargin'],
    totalWalletBalance: row['walletBalance'],
    totalUnrealizedProfit: row['unrealizedProfit'],
    totalMarginBalance: row['marginBalance'],
    totalPositionInitialMargin: row['positionInitialMargin'],
    totalOpenOrderInitialMargin: row['openOrderInitialMargin'],
    totalCrossWalletBalance: row['crossWalletBalance'],
    totalCrossUnPnl: row['crossUnPnl'],
    availableBalance: row['availableBalance'],
    maxWithdrawAmount: row['maxWithdrawAmount'],
  };
}

function accountV2({ exchange, clearing }: FuturesParts, context: RequestContext): object {
  const account = accountOf(context);
  const positions = exchange.markets.flatMap(({ instrument }) => sides(clearing, account, instrument.symbol));
  return {
    feeTier: 0,
    feeBurn: true,
    canTrade: true,
    canDeposit: true,
    canWithdraw: true,
    updateTime: 0,
    multiAssetsMargin: false,
    tradeGroupId: -1,
    ...totals(clearing, context),
    assets: wallets(context).map((row) => assetAnswer(clearing, row, { isV2: true })),
    positions: positions.map((position) => accountPositionV2(clearing, account, position)),
  };
}

/** Version 3 lists only symbols with a position or an open order. */
function accountV3({ exchange, clearing }: FuturesParts, context: RequestContext): object {
  const account = accountOf(context);
  return {
    ...totals(clearing, context),
    assets: wallets(context).map((row) => assetAnswer(clearing, row, { isV2: false })),
    positions: clearing.openPositions(account).map((position) => {
      return accountPositionV3(clearing, { account, position, mark: exchange.market(position.symbol)!.lastPrice });
    }),
  };
}

function risks({ exchange, clearing }: FuturesParts, context: RequestContext, { isV2 }: { isV2: boolean }): object {
  const account = accountOf(context);
  const symbol = context.parameters.optional('symbol');
  if (symbol !== null && exchange.market(symbol) === null) throw BAD_SYMBOL();
  const markets = exchange.markets.filter(({ instrument }) => symbol === null || instrument.symbol === symbol);
  return markets.flatMap(({ instrument, lastPrice }) => {
    const own = sides(clearing, account, instrument.symbol);
    const hasOrder = exchange.openOrders(account, instrument.symbol).length > 0;
    const shown = own.filter(({ amount }) => isV2 || amount !== 0n || hasOrder);
    return shown.map((position) => riskAnswer(clearing, { account, position, mark: lastPrice }, { isV2 }));
  });
}

function sides(clearing: FuturesClearing, account: number, symbol: string): readonly Position[] {
  const names: readonly PositionSide[] = clearing.settings(account).isDualSide ? ['LONG', 'SHORT'] : ['BOTH'];
  return names.map((side) => clearing.position(account, symbol, side));
}

function changeMode({ exchange, clearing }: FuturesParts, context: RequestContext): object {
  const isDualSide = context.parameters.flag('dualSidePosition');
  if (isDualSide === null) throw missing('dualSidePosition');
  const account = accountOf(context);
  const settings = clearing.settings(account);
  if (settings.isDualSide === isDualSide) throw new ApiError(-4059, 'No need to change position side.');
  if (exchange.openOrders(account).length > 0) {
    throw new ApiError(-4067, 'Position side cannot be changed if there exists open orders.');
  }
  if (clearing.openPositions(account).length > 0) {
    throw new ApiError(-4068, 'Position side cannot be changed if there exists position.');
  }
  settings.isDualSide = isDualSide;
  return { code: 200, msg: 'success' };
}

function changeLeverage({ exchange, clearing }: FuturesParts, context: RequestContext): object {
  const { symbol } = marketOf(exchange, context.parameters).instrument;
  const leverage = context.parameters.integer('leverage');
  if (leverage === null) throw missing('leverage');
  if (leverage < 1 || leverage > LEVERAGE_MAX) throw new ApiError(-4028, `Leverage ${leverage} is not valid`);
  clearing.settings(accountOf(context)).leverage.set(symbol, leverage);
  return { leverage, maxNotionalValue: '250000000', symbol };
}
