import type { House } from './house.js';
import { Position } from './position.js';
import { decodeRow, encodeRow } from '../store/json-row.js';
import type { AccountContent } from './venue-account.js';

interface AccountRow {
  readonly version: number;
  /** Counts of 10^-18. */
  readonly balances: readonly [asset: string, total: string, locked: string][];
  /** Lots and lot-ticks. */
  readonly positions: readonly [symbol: string, net: number, cost: string][];
}

export function encodeAccount({ version, balances, positions }: AccountContent): Uint8Array {
  const row: AccountRow = {
    version,
    balances: [...balances].map(([asset, { total, locked }]) => [asset, total.toString(), locked.toString()]),
    positions: [...positions].map(([symbol, { net, cost }]) => [symbol, net, cost.toString()]),
  };
  return encodeRow(row);
}

export function decodeAccount(bytes: Uint8Array): AccountContent {
  const { version, balances, positions } = decodeRow(bytes) as AccountRow;
  return {
    version,
    balances: new Map(
      balances.map(([asset, total, locked]) => [asset, { total: BigInt(total), locked: BigInt(locked) }]),
    ),
    positions: new Map(positions.map(([symbol, net, cost]) => [symbol, new Position(net, BigInt(cost))])),
  };
}

type SumTexts = readonly (readonly [asset: string, amount: string])[];

interface HouseRow {
  readonly holdings: SumTexts;
  readonly fees: SumTexts;
}

export function encodeHouse({ holdings, fees }: House): Uint8Array {
  const row: HouseRow = { holdings: textsOf(holdings), fees: textsOf(fees) };
  return encodeRow(row);
}

export function decodeHouse(bytes: Uint8Array): House {
  const { holdings, fees } = decodeRow(bytes) as HouseRow;
  return { holdings: sumsOf(holdings), fees: sumsOf(fees) };
}

function textsOf(sums: Map<string, bigint>): SumTexts {
  return [...sums].map(([asset, amount]) => [asset, amount.toString()]);
}

function sumsOf(texts: SumTexts): Map<string, bigint> {
  return new Map(texts.map(([asset, amount]) => [asset, BigInt(amount)]));
}
