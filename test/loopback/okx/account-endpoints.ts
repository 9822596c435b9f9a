import type { LoopbackAccount } from '../accounts.js';
import { divide, formatShort, ONE, type Units } from '../decimal.js';
import type { Position } from '../futures-clearing.js';
import { OkxError } from './api-error.js';
import { accountOf, type Endpoint, LIMIT_PER_MS } from './endpoint.js';
import { wireSize } from './instruments.js';
import { posSide } from './order-view.js';
import type { RequestFields } from './request-fields.js';
import type { Security } from './signing.js';
import type { TradingAccounts } from './trading-account.js';

const LEVERAGE_MAX = 100;
const ASSETS = [
  ['BTC', 'Bitcoin'],
  ['ETH', 'Ethereum'],
  ['USDT', 'Tether'],
] as const;

/** Balances, positions and settings of the account. */
export function accountEndpoints(trading: TradingAccounts): readonly Endpoint[] {
  return [
    {
      rest: 'GET /api/v5/asset/currencies',
      security: 'READ',
      limit: { limit: 12, perMs: LIMIT_PER_MS, by: 'ACCOUNT' },
      run: () => ({ data: ASSETS.map(([ccy, name]) => currencyEntry(ccy, name)) }),
    },
    at('GET balance', 'READ', 10, (context) => {
      const assets = context.fields.optional('ccy')?.split(',') ?? null;
      return { data: [balanceEntry(trading, accountOf(context), assets)] };
    }),
    at('GET positions', 'READ', 10, (context) => {
      const instType = context.fields.choice('instType', ['SWAP', 'MARGIN', 'FUTURES', 'OPTION']);
      const instIds = context.fields.optional('instId')?.split(',') ?? null;
      const isAsked = ({ symbol }: Position): boolean => instIds === null || instIds.includes(symbol);
      const account = accountOf(context);
      const open = instType === null || instType === 'SWAP' ? trading.swapClearing.openPositions(account.id) : [];
      return { data: open.filter(isAsked).map((position) => positionEntry(trading, account, position)) };
    }),
    at('GET config', 'READ', 5, (context) => ({ data: [configEntry(trading, accountOf(context))] })),
    at('POST set-position-mode', 'TRADE', 5, (context) => {
      const account = accountOf(context);
      const posMode = context.fields.requiredChoice('posMode', ['net_mode', 'long_short_mode']);
      const settings = trading.swapClearing.settings(account.id);
      const isDualSide = posMode === 'long_short_mode';
      const isBusy =
        trading.swapClearing.openPositions(account.id).length > 0 || trading.swap.openOrders(account.id).length > 0;
      if (isDualSide !== settings.isDualSide && isBusy) throw new OkxError('59000');
      settings.isDualSide = isDualSide;
      return { data: [{ posMode }] };
    }),
    at('POST set-leverage', 'TRADE', 20, (context) => ({
      data: [setLeverage(trading, accountOf(context), context.fields)],
    })),
  ];
}

/** `request`: method and name. `limit`: requests of an account in LIMIT_PER_MS. */
function at(request: string, security: Security, limit: number, run: Endpoint['run']): Endpoint {
  return {
    rest: request.replace(' ', ' /api/v5/account/'),
    security,
    limit: { limit, perMs: LIMIT_PER_MS, by: 'ACCOUNT' },
    run,
  };
}

/** An asset with one chain. Clients list them before they trade; nothing can be withdrawn here. */
function currencyEntry(ccy: string, name: string): object {
  return {
    ccy,
    name,
    chain: ccy,
    canDep: false,
    canInternal: false,
    canWd: false,
    mainNet: true,
    logoLink: '',
    needTag: false,
  };
}

function setLeverage(trading: TradingAccounts, account: LoopbackAccount, fields: RequestFields): object {
  const { instrument } = trading.market(fields.required('instId'));
  const mgnMode = fields.requiredChoice('mgnMode', ['cross']);
  fields.required('lever');
  const lever = fields.integer('lever') ?? 0;
  if (instrument.instType !== 'SWAP') throw new OkxError('51010');
  if (lever < 1 || lever > LEVERAGE_MAX) throw new OkxError('51000', 'lever');
  trading.swapClearing.settings(account.id).leverage.set(instrument.instId, lever);
  return { instId: instrument.instId, lever: String(lever), mgnMode, posSide: '' };
}

/**
 * `perm` lists the rights of the key, `posMode` the position mode, `acctLv` the account mode: 2 for spot and futures.
 */
function configEntry(trading: TradingAccounts, account: LoopbackAccount): object {
  const permissions = account.keys[0]!.permissions;
  const rights = [
    ...(permissions.reading ? ['read_only'] : []),
    ...(permissions.withdrawals ? ['withdraw'] : []),
    ...(permissions.spotTrading || permissions.futures ? ['trade'] : []),
  ];
  return {
    acctLv: trading.levels.get(account.id) ?? '2',
    acctStpMode: 'cancel_maker',
    autoLoan: false,
    ctIsoMode: 'automatic',
    enableSpotBorrow: false,
    greeksType: 'PA',
    ip: account.keys[0]!.addresses?.join(',') ?? '',
    kycLv: '3',
    label: 'loopback',
    level: 'Lv1',
    levelTmp: '',
    liquidationGear: '-1',
    mainUid: String(account.id),
    mgnIsoMode: 'automatic',
    opAuth: '0',
    perm: rights.join(','),
    posMode: trading.swapClearing.settings(account.id).isDualSide ? 'long_short_mode' : 'net_mode',
    roleType: '0',
    settleCcy: 'USDT',
    settleCcyList: ['USDT'],
    spotBorrowAutoRepay: false,
    spotOffsetType: '',
    spotRoleType: '0',
    spotTraderInsts: [],
    stgyType: '0',
    traderInsts: [],
    type: '0',
    uid: String(account.id),
  };
}

/** One entry of account/balance and of the channel `account`. */
export function balanceEntry(
  trading: TradingAccounts,
  account: LoopbackAccount,
  assets: readonly string[] | null,
): object {
  const nowMs = String(trading.clock.nowMs());
  const shown = account.spot.assets.filter((asset) => assets === null || assets.includes(asset));
  return {
    adjEq: '',
    availEq: '',
    borrowFroz: '',
    details: shown.map((ccy) => balanceDetail(trading, account, ccy)),
    imr: '',
    isoEq: '0',
    mgnRatio: '',
    mmr: '',
    notionalUsd: '',
    notionalUsdForBorrow: '',
    notionalUsdForFutures: '',
    notionalUsdForOption: '',
    notionalUsdForSwap: '',
    ordFroz: '',
    totalEq: formatShort(shown.reduce((sum, asset) => sum + valueOf(trading, account, asset), 0n)),
    uTime: nowMs,
    upl: '',
  };
}

function balanceDetail(trading: TradingAccounts, account: LoopbackAccount, ccy: string): Record<string, unknown> {
  const { free, locked } = account.spot.balance(ccy);
  const cash = free + locked;
  const upl = ccy === 'USDT' ? unrealized(trading, account) : 0n;
  const available = trading.available(account.id, ccy);
  return {
    accAvgPx: '',
    availBal: formatShort(available),
    availEq: formatShort(available),
    borrowFroz: '',
    cashBal: formatShort(cash),
    ccy,
    clSpotInUseAmt: '',
    coinUsdPrice: formatShort(ccy === 'USDT' ? ONE : (trading.spot.market(`${ccy}-USDT`)?.lastPrice ?? 0n)),
    colBorrAutoConversion: '0',
    collateralEnabled: false,
    collateralRestrict: false,
    crossLiab: '',
    disEq: formatShort(valueOf(trading, account, ccy)),
    eq: formatShort(cash + upl),
    eqUsd: formatShort(valueOf(trading, account, ccy)),
    fixedBal: '0',
    frozenBal: formatShort(cash + upl - available),
    imr: '0',
    interest: '',
    isoEq: '0',
    isoLiab: '',
    isoUpl: '0',
    liab: '',
    maxLoan: '',
    maxSpotInUseAmt: '',
    mgnRatio: '',
    mmr: '0',
    notionalLever: '0',
    openAvgPx: '',
    ordFrozen: formatShort(locked),
    rewardBal: '0',
    smtSyncEq: '0',
    spotBal: '',
    spotCopyTradingEq: '0',
    spotInUseAmt: '',
    spotIsoBal: '0',
    spotUpl: '',
    spotUplRatio: '',
    stgyEq: '0',
    totalPnl: '',
    totalPnlRatio: '',
    twap: '0',
    uTime: String(account.spot.updatedAtMs(ccy)),
    upl: formatShort(upl),
    uplLiab: '',
  };
}

/** One entry of account/positions and of the channel `positions`. Its sizes are contracts. */
export function positionEntry(trading: TradingAccounts, account: LoopbackAccount, position: Position): object {
  const { instrument, market } = trading.market(position.symbol);
  const { amount, side } = position;
  const size = side === 'SHORT' && amount < 0n ? -amount : amount;
  const notional = (amount < 0n ? -amount : amount) * market.lastPrice;
  const upl = trading.swapClearing.unrealized(position);
  const margin = trading.swapClearing.initialMargin(account.id, position);
  const price = formatShort(market.lastPrice);
  const fills = trading.fillsOf(account).filter(({ symbol }) => symbol === position.symbol);
  return {
    adl: '1',
    availPos: side === 'BOTH' ? '' : wireSize(instrument, size),
    avgPx: amount === 0n ? '' : formatShort(position.entryPrice),
    baseBal: '',
    baseBorrowed: '',
    baseInterest: '',
    bePx: '',
    bizRefId: '',
    bizRefType: '',
    cTime: String(position.updatedAtMs),
    ccy: instrument.core.quote,
    clSpotInUseAmt: '',
    closeOrderAlgo: [],
    fee: formatShort(-fills.reduce((sum, { fee }) => sum + fee, 0n)),
    fundingFee: '0',
    idxPx: price,
    imr: formatShort(margin),
    instId: instrument.instId,
    instType: instrument.instType,
    interest: '',
    last: price,
    lever: String(trading.swapClearing.leverage(account.id, instrument.instId)),
    liab: '',
    liabCcy: '',
    liqPenalty: '0',
    liqPx: '',
    margin: '',
    markPx: price,
    maxSpotInUseAmt: '',
    mgnMode: 'cross',
    mgnRatio: '',
    mmr: '0',
    nonSettleAvgPx: '',
    notionalUsd: formatShort(notional / 100_000_000n),
    optVal: '',
    pendingCloseOrdLiabVal: '',
    pnl: formatShort(position.realized),
    pos: wireSize(instrument, size),
    posCcy: '',
    posId: String(account.id * 1_000 + instrument.instId.length),
    posSide: posSide(side),
    quoteBal: '',
    quoteBorrowed: '',
    quoteInterest: '',
    realizedPnl: formatShort(position.realized),
    settledPnl: '',
    spotInUseAmt: '',
    spotInUseCcy: '',
    tradeId: String(fills.at(-1)?.tradeId ?? ''),
    uTime: String(position.updatedAtMs),
    upl: formatShort(upl),
    uplLastPx: formatShort(upl),
    uplRatio: margin === 0n ? '0' : formatShort(divide(upl, margin)),
    uplRatioLastPx: margin === 0n ? '0' : formatShort(divide(upl, margin)),
    usdPx: '',
    vegaBS: '',
    vegaPA: '',
  };
}

function unrealized(trading: TradingAccounts, account: LoopbackAccount): Units {
  const open = trading.swapClearing.openPositions(account.id);
  return open.reduce((sum, position) => sum + trading.swapClearing.unrealized(position), 0n);
}

/** The value of an asset in USDT. */
function valueOf(trading: TradingAccounts, account: LoopbackAccount, asset: string): Units {
  const { free, locked } = account.spot.balance(asset);
  if (asset === 'USDT') return free + locked + unrealized(trading, account);
  const price = trading.spot.market(`${asset}-USDT`)?.lastPrice ?? 0n;
  return ((free + locked) * price) / 100_000_000n;
}
