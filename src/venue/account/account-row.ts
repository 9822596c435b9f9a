import { assert } from '../../model/assert.js';
import { POSITION_SIDES, type MarginMode, type PositionMode, type PositionSide } from '../../model/position.js';
import type { EpochMs } from '../../model/time.js';
import { decodeRow, encodeRow } from '../store/json-row.js';
import { Contract } from './contract.js';
import type { House } from './house.js';
import type { TradingTerms } from './trading-terms.js';
import type { AccountContent, Balance } from './venue-account.js';

interface AccountRow {
  readonly version: number;
  /** Counts of 10^-18. */
  readonly balances: readonly [asset: string, total: string, locked: string][];
  readonly positionMode: PositionMode;
  readonly forcedCount: number;
}

/** Lots, lot-ticks, a count of 10^-18. */
type PositionRow = readonly [side: PositionSide, net: number, cost: string, margin: string, fundedAtMs: number];

interface ContractRow {
  readonly symbol: string;
  readonly marginMode: MarginMode;
  readonly leverage: number;
  readonly positions: readonly PositionRow[];
}

export type AccountHead = Omit<AccountContent, 'contracts'>;

export function encodeAccount({ version, balances, positionMode, forcedCount }: AccountHead): Uint8Array {
  const row: AccountRow = {
    version,
    balances: [...balances].map(([asset, { total, locked }]) => [asset, total.toString(), locked.toString()]),
    positionMode,
    forcedCount,
  };
  return encodeRow(row);
}

export function decodeAccount(bytes: Uint8Array): AccountHead {
  const { balances, ...head } = decodeRow(bytes) as AccountRow;
  const entries = balances.map(([asset, total, locked]): [string, Balance] => [
    asset,
    { total: BigInt(total), locked: BigInt(locked) },
  ]);
  return { ...head, balances: new Map(entries) };
}

/** What the account has set and holds in futures; null when there is nothing to say of it. */
export function encodeContracts(contracts: ReadonlyMap<string, Contract>): Uint8Array | null {
  const rows = [...contracts].flatMap(([symbol, contract]) => (contract.isBlank ? [] : [rowOf(symbol, contract)]));
  return rows.length === 0 ? null : encodeRow(rows);
}

export function decodeContracts(bytes: Uint8Array, termsOf: (symbol: string) => TradingTerms): Map<string, Contract> {
  const rows = decodeRow(bytes) as readonly ContractRow[];
  return new Map(rows.map((row) => [row.symbol, contractOf(row, termsOf(row.symbol))]));
}

function rowOf(symbol: string, contract: Contract): ContractRow {
  const positions = contract
    .open()
    .map(([side, { net, cost, margin, fundedAtMs }]): PositionRow => [side, net, `${cost}`, `${margin}`, fundedAtMs]);
  return { symbol, marginMode: contract.marginMode, leverage: contract.leverage, positions };
}

function contractOf({ marginMode, leverage, positions }: ContractRow, terms: TradingTerms): Contract {
  const contract = new Contract(terms);
  contract.marginMode = marginMode;
  contract.leverage = leverage;
  for (const [side, net, cost, margin, fundedAtMs] of positions) {
    assert(POSITION_SIDES.includes(side), 'a stored position has a side');
    const position = contract.positions[side];
    position.net = net;
    position.cost = BigInt(cost);
    position.margin = BigInt(margin);
    position.fundedAtMs = fundedAtMs as EpochMs;
  }
  // The balance of the account holds it as locked already.
  contract.retie();
  return contract;
}

type SumTexts = readonly (readonly [asset: string, amount: string])[];

interface HouseRow {
  readonly holdings: SumTexts;
  readonly fees: SumTexts;
  readonly insurance: SumTexts;
}

export function encodeHouse({ holdings, fees, insurance }: House): Uint8Array {
  const row: HouseRow = { holdings: textsOf(holdings), fees: textsOf(fees), insurance: textsOf(insurance) };
  return encodeRow(row);
}

export function decodeHouse(bytes: Uint8Array): House {
  const { holdings, fees, insurance } = decodeRow(bytes) as HouseRow;
  return { holdings: sumsOf(holdings), fees: sumsOf(fees), insurance: sumsOf(insurance) };
}

function textsOf(sums: Map<string, bigint>): SumTexts {
  return [...sums].map(([asset, amount]) => [asset, amount.toString()]);
}

function sumsOf(texts: SumTexts): Map<string, bigint> {
  return new Map(texts.map(([asset, amount]) => [asset, BigInt(amount)]));
}
