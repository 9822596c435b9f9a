import { isUsdLike } from '../../../domain/quantity.js';
import { times } from '../json/decimal.js';
import { isInScope, type MarketRules } from './listed-market.js';
import { asObject, memberOf, namesIn } from '../json/json-fields.js';
import { type MarketEntry, MarketList, type MarketListResult, type ReportFinding } from './market-list.js';

const MEMBERS = namesIn(`
  alias auctionEndTime baseCcy category contTdSwTime ctMult ctType ctVal ctValCcy expTime futureSettlement groupId
  instCategory instFamily instId instIdCode instType lever listTime lotSz maxIcebergSz maxLmtAmt maxLmtSz maxMktAmt
  maxMktSz maxPlatOILmt maxStopSz maxTriggerSz maxTwapSz minSz openType optType posLmtAmt posLmtPct preMktSwTime
  quoteCcy ruleType settleCcy state stk tickSz tradeQuoteCcyList uly upcChg seqId`);
const STATES = namesIn('live suspend preopen test settling expired rebase post_only');
const TYPES = namesIn('SPOT MARGIN SWAP FUTURES OPTION EVENTS');

/** Reads the answer of GET /api/v5/public/instruments of the types SPOT and SWAP. */
export function readOkxMarkets(answer: unknown, report: ReportFinding): MarketListResult {
  const list = new MarketList('OKX', report);
  const object = asObject(answer);
  for (const value of list.entries(object === null ? undefined : memberOf(object, 'data'), 'data') ?? []) {
    const entry = list.open(value, 'instId', MEMBERS);
    if (entry === null) continue;
    const type = entry.choice('instType', TYPES);
    const rules = type === 'SPOT' ? spotRules(entry) : type === 'SWAP' ? swapRules(entry) : null;
    if (rules === null && entry.problem === null) list.passOver();
    else if (rules === null) list.leaveOut(entry.name, entry.problem ?? '');
    else list.add(entry, rules);
  }
  return list;
}

/** Rules of a spot pair; null: it is out of scope. Its maxMktSz is an amount of USDT, so it bounds no quantity. */
function spotRules(entry: MarketEntry): MarketRules | null {
  const quote = entry.text('quoteCcy');
  if (entry.problem === null && !isInScope('SPOT', quote, null)) return null;
  return {
    ...commonRules(entry),
    assetCategory: 'SPOT',
    base: entry.text('baseCcy'),
    quote,
    // Stated in USD.
    notionalMax: isUsdLike(quote) ? entry.bound('maxLmtAmt') : null,
  };
}

/** Rules of a perpetual in contracts of ctVal × ctMult base units; null: it is out of scope. */
function swapRules(entry: MarketEntry): MarketRules | null {
  // Swaps name their pair in instFamily, older answers in uly: `BTC-USDT`.
  const family = entry.value('instFamily') === undefined ? 'uly' : 'instFamily';
  const [base = '', quote = ''] = entry.text(family).split('-');
  const isLinear = entry.value('ctType') === 'linear';
  if (entry.problem === null && !(isLinear && isInScope('FUTURE', quote, entry.text('settleCcy')))) return null;
  if (entry.value('ctValCcy') !== base) entry.fail(`ctValCcy is not the base asset ${base.slice(0, 32)}`);
  return {
    ...commonRules(entry),
    assetCategory: 'FUTURE',
    base,
    quote,
    contractSize: times(entry.decimal('ctVal'), entry.decimal('ctMult')),
    marketQuantityMax: entry.bound('maxMktSz'),
  };
}

function commonRules(entry: MarketEntry) {
  return {
    venue: 'OKX' as const,
    rawSymbol: entry.name,
    isTrading: entry.choice('state', STATES) === 'live',
    tick: entry.decimal('tickSz'),
    lot: entry.decimal('lotSz'),
    quantityMin: entry.bound('minSz'),
    quantityMax: entry.bound('maxLmtSz'),
  };
}
