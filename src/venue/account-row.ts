import type { House } from './house.js';
import { Position } from './position.js';
import { decodeRow, encodeRow } from './row-text.js';
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

interface HouseRow {
  readonly holdings: readonly [asset: string, amount: string][];
  readonly fees: readonly [asset: string, amount: string][];
}

export function encodeHouse({ holdings, fees }: House): Uint8Array {
  const texts = (sums: Map<string, bigint>): [string, string][] =>
    [...sums].map(([asset, amount]) => [asset, amount.toString()]);
  const row: HouseRow = { holdings: texts(holdings), fees: texts(fees) };
  return encodeRow(row);
}

export function decodeHouse(bytes: Uint8Array): House {
  const sums = (texts: HouseRow['fees']): Map<string, bigint> =>
    new Map(texts.map(([asset, amount]) => [asset, BigInt(amount)]));
  const { holdings, fees } = decodeRow(bytes) as HouseRow;
  return { holdings: sums(holdings), fees: sums(fees) };
}
