import { formatUnits } from '../decimal.js';
import type { Exchange } from '../exchange.js';
import type { LoopbackInstrument } from '../instrument.js';
import { BAD_SYMBOL, REJECTED_KEY } from './api-error.js';
import type { Endpoint, RequestContext } from './endpoint.js';
import { spotFilters } from './filters.js';
import type { RateLimit } from './request-limits.js';
import { PREVENTIONS } from './spot-order-form.js';

const FIRST_UID = 354_937_868;

/** Reference data and accounts of the spot API, and the wallet endpoints that clients read at start. */
export function spotAccountEndpoints(exchange: Exchange, limits: readonly RateLimit[]): readonly Endpoint[] {
  const account = ({ identity, parameters, nowMs }: RequestContext): object => {
    if (identity === null) throw REJECTED_KEY();
    const { spot, id } = identity.account;
    const isShort = parameters.flag('omitZeroBalances') ?? false;
    const balances = spot.assets.map((asset) => ({ asset, ...spot.balance(asset) }));
    const rate = formatUnits(100_000n);
    return {
      makerCommission: 10,
      takerCommission: 10,
      buyerCommission: 0,
      sellerCommission: 0,
      commissionRates: {
        maker: rate,
        taker: rate,
        buyer: formatUnits(0n),
        seller: formatUnits(0n),
      },
      canTrade: true,
      canWithdraw: true,
      canDeposit: true,
      brokered: false,
      requireSelfTradePrevention: false,
      preventSor: false,
      updateTime: exchange.ledger.fillsOf(id).at(-1)?.atMs ?? nowMs,
      accountType: 'SPOT',
      balances: balances
        .filter(({ free, locked }) => !isShort || free + locked > 0n)
        .map(({ asset, free, locked }) => ({
          asset,
          free: formatUnits(free),
          locked: formatUnits(locked),
        })),
      permissions: ['SPOT'],
      uid: FIRST_UID + id,
    };
  };
  const commission = ({ parameters }: RequestContext): object => {
    const market = exchange.market(parameters.symbol());
    if (market === null) throw BAD_SYMBOL();
    const { makerRate, takerRate, symbol } = market.instrument;
    const none = formatUnits(0n);
    const zero = { maker: none, taker: none, buyer: none, seller: none };
    return {
      symbol,
      standardCommission: { ...zero, maker: formatUnits(makerRate), taker: formatUnits(takerRate) },
      specialCommission: zero,
      taxCommission: zero,
      discount: {
        enabledForAccount: false,
        enabledForSymbol: false,
        discountAsset: 'BNB',
        discount: formatUnits(25_000_000n),
      },
    };
  };
  return [
    {
      rest: 'GET /api/v3/exchangeInfo',
      socket: 'exchangeInfo',
      security: 'NONE',
      weight: 20,
      run: (context) => exchangeInfo(exchange, limits, context),
    },
    { rest: 'GET /api/v3/account', socket: 'account.status', security: 'USER_DATA', weight: 20, run: account },
    {
      rest: 'GET /api/v3/account/commission',
      socket: 'account.commission',
      security: 'USER_DATA',
      weight: 20,
      run: commission,
    },
    // Clients ask for the markets of the margin section, which this exchange does not have.
    { rest: 'GET /sapi/v1/margin/allPairs', security: 'KEY', weight: 1, run: () => [] },
    { rest: 'GET /sapi/v1/margin/isolated/allPairs', security: 'KEY', weight: 1, run: () => [] },
    { rest: 'GET /sapi/v1/capital/config/getall', security: 'USER_DATA', weight: 10, run: () => [] },
    {
      rest: 'GET /sapi/v1/account/apiRestrictions',
      security: 'USER_DATA',
      weight: 1,
      run: restrictions,
    },
  ];
}

function exchangeInfo(exchange: Exchange, limits: readonly RateLimit[], { parameters, nowMs }: RequestContext): object {
  const one = parameters.optional('symbol');
  const several = parameters.optional('symbols');
  const wanted = one === null ? (several === null ? null : (JSON.parse(several) as string[])) : [one];
  const known = exchange.markets
    .map(({ rules }) => rules)
    .filter(({ symbol }) => exchange.suspensionOf(symbol) !== 'DELISTED');
  if (wanted?.some((name) => !known.some(({ symbol }) => symbol === name)) === true) throw BAD_SYMBOL();
  return {
    timezone: 'UTC',
    serverTime: nowMs,
    rateLimits: limits,
    exchangeFilters: [],
    symbols: known
      .filter(({ symbol }) => wanted === null || wanted.includes(symbol))
      .map((instrument) => symbolInfo(instrument, exchange.suspensionOf(instrument.symbol) !== null)),
  };
}

function symbolInfo(instrument: LoopbackInstrument, isHalted: boolean): object {
  return {
    symbol: instrument.symbol,
    status: isHalted ? 'BREAK' : 'TRADING',
    baseAsset: instrument.base,
    baseAssetPrecision: 8,
    quoteAsset: instrument.quote,
    quotePrecision: 8,
    quoteAssetPrecision: 8,
    baseCommissionPrecision: 8,
    quoteCommissionPrecision: 8,
    orderTypes: ['LIMIT', 'LIMIT_MAKER', 'MARKET'],
    icebergAllowed: false,
    ocoAllowed: false,
    otoAllowed: false,
    opoAllowed: false,
    quoteOrderQtyMarketAllowed: true,
    allowTrailingStop: false,
    cancelReplaceAllowed: false,
    amendAllowed: false,
    pegInstructionsAllowed: false,
    isSpotTradingAllowed: true,
    isMarginTradingAllowed: false,
    filters: spotFilters(instrument),
    permissions: [],
    permissionSets: [['SPOT']],
    defaultSelfTradePreventionMode: 'EXPIRE_MAKER',
    allowedSelfTradePreventionModes: PREVENTIONS,
  };
}

/** What the key of the request may do. */
function restrictions({ identity }: RequestContext): object {
  if (identity === null) throw REJECTED_KEY();
  const { permissions, addresses, createdAtMs } = identity.key;
  return {
    ipRestrict: addresses !== null,
    createTime: createdAtMs,
    enableReading: permissions.reading,
    enableSpotAndMarginTrading: permissions.spotTrading,
    enableWithdrawals: permissions.withdrawals,
    enableInternalTransfer: permissions.withdrawals,
    enableMargin: false,
    enableFutures: permissions.futures,
    permitsUniversalTransfer: permissions.universalTransfer,
    enableVanillaOptions: false,
    enableFixApiTrade: false,
    enableFixReadOnly: false,
    enablePortfolioMarginTrading: false,
  };
}
