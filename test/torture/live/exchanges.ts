import { openBinance } from './binance.js';
import { openBybit } from './bybit.js';
import { openOkx } from './okx.js';
import type { TradedExchange } from './traded-exchange.js';

const OPENERS: Readonly<Record<string, (seed: string) => Promise<TradedExchange>>> = {
  BINANCE: openBinance,
  BYBIT: openBybit,
  OKX: openOkx,
};

/** Names of the exchanges that have a loopback. */
export const LOOPBACK_EXCHANGES: readonly string[] = Object.keys(OPENERS);

/** Starts a loopback exchange. Throws for an exchange without one. */
export function openExchange(name: string, seed: string): Promise<TradedExchange> {
  const open = OPENERS[name];
  if (open === undefined)
    throw new Error(`${name} has no loopback exchange; there are ${LOOPBACK_EXCHANGES.join(', ')}`);
  return open(seed);
}
