import { divide, formatShort, formatUnits, multiply, ONE, type Units } from '../decimal.js';
import type { FuturesClearing, Position } from '../futures-clearing.js';
import type { PositionSide } from '../order.js';
import { ApiError, BAD_KEY, parameterError } from './api-error.js';
import type { Endpoint, RequestContext } from './endpoint.js';
import type { Identity } from './signing.js';
import { marketOf, optionalMarket, type Section, sectionOf, type Sections } from './section.js';

const LEVERAGE_MAX = 100;
const FIRST_USER_ID = 24_617_000;
const SETTLE_COIN = 'USDT';

interface AccountParts {
  readonly sections: Sections;
  readonly clearing: FuturesClearing;
}

/** Wallet, key, positions and settings of the V5 API. */
export function accountEndpoints(parts: AccountParts): readonly Endpoint[] {
  const { clearing, sections } = parts;
  return [
    read('account/wallet-balance', (context) => {
      if (context.parameters.required('accountType') !== 'UNIFIED') {
        throw parameterError('accountType only support UNIFIED.');
      }
      return { list: [walletRow(parts, identityOf(context), context.parameters.optional('coin'))] };
    }),
    read('account/info', () => ({
      marginMode: 'REGULAR_MARGIN',
      updatedTime: '1697078946000',
      unifiedMarginStatus: 6,
      dcpStatus: 'OFF',
      timeWindow: 10,
      smpGroup: 0,
      isMasterTrader: false,
      spotHedgingStatus: 'OFF',
    })),
    read('account/fee-rate', (context) => {
      const section = sectionOf(sections, context.parameters);
      const market = optionalMarket(section, context.parameters);
      const shown = section.exchange.markets.filter((one) => market === null || one === market);
      return {
        list: shown.map(({ instrument: { symbol, makerRate, takerRate } }) => ({
          symbol,
          takerFeeRate: formatShort(takerRate),
          makerFeeRate: formatShort(makerRate),
        })),
      };
    }),
    read('user/query-api', (context) => keyRow(identityOf(context))),
    read('asset/coin/query-info', () => ({ rows: [] })),
    read('position/list', (context) => positions(parts, context)),
    change('position/switch-mode', (context) => switchMode(parts, context)),
    change('position/set-leverage', ({ parameters, account }) => {
      const { symbol } = marketOf(sections.linear, parameters).instrument;
      const leverage = Number(parameters.required('buyLeverage'));
      if (!(leverage >= 1 && leverage <= LEVERAGE_MAX)) throw parameterError('params error: leverage invalid');
      if (clearing.leverage(account, symbol) === leverage) throw new ApiError(110043, 'leverage not modified');
      clearing.settings(account).leverage.set(symbol, leverage);
      return {};
    }),
  ];
}

function read(path: string, run: Endpoint['run']): Endpoint {
  return { rest: `GET /v5/${path}`, security: 'READ', run };
}

function change(path: string, run: Endpoint['run']): Endpoint {
  return { rest: `POST /v5/${path}`, security: 'TRADE', run };
}

function identityOf({ identity }: RequestContext): Identity {
  if (identity === null) throw BAD_KEY();
  return identity;
}

/** The unified wallet, in an answer and in the stream. All coins are valued in USDT. */
export function walletRow(
  { clearing, sections }: AccountParts,
  { account }: Pick<Identity, 'account'>,
  coins: string | null,
): object {
  const names = coins?.split(',') ?? account.spot.assets;
  const open = clearing.openPositions(account.id);
  const profit = open.reduce((sum, position) => sum + clearing.unrealized(position), 0n);
  const margin = open.reduce((sum, position) => sum + clearing.initialMargin(account.id, position), 0n);
  const orders = clearing.orderMargin(account.id);
  const priceOf = (coin: string): Units => {
    return coin === SETTLE_COIN ? ONE : (sections.spot.exchange.market(`${coin}USDT`)?.lastPrice ?? 0n);
  };
  const totalOf = (coin: string): Units => {
    const { free, locked } = account.spot.balance(coin);
    return free + locked;
  };
  const wallet = account.spot.assets.reduce((sum, coin) => sum + multiply(totalOf(coin), priceOf(coin)), 0n);
  const total = {
    totalEquity: formatUnits(wallet + profit),
    accountIMRate: formatUnits(divide(margin + orders, wallet), 4),
    totalMarginBalance: formatUnits(wallet + profit),
    totalInitialMargin: formatUnits(margin + orders),
    accountType: 'UNIFIED',
    totalAvailableBalance: formatUnits(wallet + profit - margin - orders),
    accountMMRate: '0',
    totalPerpUPL: formatUnits(profit),
    totalWalletBalance: formatUnits(wallet),
    accountLTV: '0',
    totalMaintenanceMargin: '0',
  };
  const coin = names.map((name) => {
    const isSettle = name === SETTLE_COIN;
    const equity = totalOf(name) + (isSettle ? profit : 0n);
    return {
      availableToBorrow: '',
      bonus: '0',
      accruedInterest: '0',
      availableToWithdraw: '',
      totalOrderIM: formatShort(isSettle ? orders : 0n),
      equity: formatShort(equity),
      totalPositionMM: '0',
      usdValue: formatShort(multiply(equity, priceOf(name))),
      unrealisedPnl: formatShort(isSettle ? profit : 0n),
      collateralSwitch: true,
      spotHedgingQty: '0',
      borrowAmount: '0',
      totalPositionIM: formatShort(isSettle ? margin : 0n),
      walletBalance: formatShort(totalOf(name)),
      cumRealisedPnl: '0',
      locked: formatShort(account.spot.balance(name).locked),
      marginCollateral: true,
      coin: name,
      spotBorrow: '0',
    };
  });
  return { ...total, coin };
}

/** What the key may do. */
function keyRow({ account, key }: Identity): object {
  const { spotTrading, futures, withdrawals, universalTransfer } = key.permissions;
  return {
    id: String(account.id),
    note: 'loopback',
    apiKey: key.key,
    readOnly: spotTrading || futures ? 0 : 1,
    secret: '',
    permissions: {
      ContractTrade: futures ? ['Order', 'Position'] : [],
      Spot: spotTrading ? ['SpotTrade'] : [],
      Wallet: [
        ...(universalTransfer ? ['AccountTransfer', 'SubMemberTransfer'] : []),
        ...(withdrawals ? ['Withdraw'] : []),
      ],
      Options: [],
      Derivatives: futures ? ['DerivativesTrade'] : [],
      CopyTrading: [],
      BlockTrade: [],
      Exchange: [],
      NFT: [],
      Affiliate: [],
    },
    ips: key.addresses ?? ['*'],
    type: 1,
    deadlineDay: 88,
    expiredAt: '2030-01-01T00:00:00Z',
    createdAt: new Date(key.createdAtMs).toISOString(),
    unified: 0,
    uta: 1,
    userID: FIRST_USER_ID + account.id,
    inviterID: 0,
    vipLevel: 'No VIP',
    mktMakerLevel: '0',
    affiliateID: 0,
    rsaPublicKey: '',
    isMaster: true,
    parentUid: '0',
    kycLevel: 'LEVEL_DEFAULT',
    kycRegion: '',
  };
}

const INDEX = { BOTH: 0, LONG: 1, SHORT: 2 } as const;

/** A position in an answer and in the stream. */
export function positionRow(
  { clearing, sections }: AccountParts,
  account: number,
  position: Position,
): Record<string, unknown> {
  const { symbol, side, amount, entryPrice } = position;
  const mark = sections.linear.exchange.market(symbol)!.lastPrice;
  const size = amount < 0n ? -amount : amount;
  const sideName = amount === 0n ? '' : amount > 0n ? 'Buy' : 'Sell';
  return {
    positionIdx: INDEX[side],
    riskId: 1,
    riskLimitValue: '2000000',
    symbol,
    side: sideName,
    size: formatShort(size),
    avgPrice: formatShort(entryPrice),
    positionValue: formatShort(multiply(size, entryPrice)),
    tradeMode: 0,
    positionStatus: 'Normal',
    autoAddMargin: 0,
    adlRankIndicator: amount === 0n ? 0 : 2,
    leverage: String(clearing.leverage(account, symbol)),
    positionBalance: '0',
    markPrice: formatShort(mark),
    liqPrice: '',
    bustPrice: '',
    positionMM: '0',
    positionIM: formatShort(clearing.initialMargin(account, position)),
    tpslMode: 'Full',
    takeProfit: '',
    stopLoss: '',
    trailingStop: '0',
    unrealisedPnl: formatShort(clearing.unrealized(position)),
    curRealisedPnl: formatShort(position.realized),
    cumRealisedPnl: formatShort(position.realized),
    sessionAvgPrice: '',
    createdTime: String(position.updatedAtMs),
    updatedTime: String(position.updatedAtMs),
    seq: sections.linear.exchange.market(symbol)!.updateId,
    isReduceOnly: false,
    mmrSysUpdatedTime: '',
    leverageSysUpdatedTime: '',
  };
}

/** The positions of an account in one symbol: two in hedge mode. */
export function positionsIn(clearing: FuturesClearing, account: number, symbol: string): readonly Position[] {
  const sides: readonly PositionSide[] = clearing.settings(account).isDualSide ? ['LONG', 'SHORT'] : ['BOTH'];
  return sides.map((side) => clearing.position(account, symbol, side));
}

/** With a symbol also positions of size 0, with a coin only real ones. */
function positions(parts: AccountParts, { parameters, account }: RequestContext): object {
  const section: Section = sectionOf(parts.sections, parameters);
  if (section.category === 'spot') throw parameterError('params error: Category is invalid');
  const market = optionalMarket(section, parameters);
  const settleCoin = parameters.optional('settleCoin');
  if (market === null && settleCoin === null) {
    throw parameterError('Missing some parameters that must be filled in, symbol or settleCoin');
  }
  const shown =
    market === null
      ? parts.clearing.openPositions(account).filter(() => settleCoin === SETTLE_COIN)
      : positionsIn(parts.clearing, account, market.instrument.symbol);
  return {
    list: shown.map((position) => positionRow(parts, account, position)),
    nextPageCursor: '',
    category: section.category,
  };
}

/** 0: one position for a symbol; 3: one for each side. Here the mode is that of the whole account. */
function switchMode({ sections, clearing }: AccountParts, { parameters, account }: RequestContext): object {
  const mode = parameters.integer('mode');
  if (mode !== 0 && mode !== 3) throw parameterError('params error: mode invalid');
  const settings = clearing.settings(account);
  if (settings.isDualSide === (mode === 3)) throw new ApiError(110025, 'Position mode is not modified');
  if (clearing.openPositions(account).length > 0) {
    throw new ApiError(110024, 'You have an existing position, so position mode cannot be switched');
  }
  if (sections.linear.exchange.openOrders(account).length > 0) {
    throw new ApiError(110028, 'Open orders exist, so you cannot change position mode');
  }
  settings.isDualSide = mode === 3;
  return {};
}
