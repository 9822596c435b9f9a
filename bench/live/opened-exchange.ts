import { type ChildProcess, fork } from 'node:child_process';
import { join } from 'node:path';
import type { InstrumentIndex } from '../../src/domain/instrument.js';
import { isRejected, type OrRejection } from '../../src/domain/rejection.js';
import type { EpochMs } from '../../src/domain/time.js';
import { openBinance } from '../../src/venue/live/binance/binance-exchange.js';
import type { BinanceWallet } from '../../src/venue/live/binance/binance-wallet.js';
import type { BinanceAddresses } from '../../src/venue/live/binance/binance-rest.js';
import type { LiveExchange, LiveInstrument, MarketEvents } from '../../src/venue/live/live-exchange.js';

export const BTC = 4_096 as InstrumentIndex;
export const INSTRUMENT: LiveInstrument = {
  index: BTC,
  exchangeSymbol: 'BTCUSDT',
  isFuture: true,
  contractSize: '1',
  quantityPrecision: 3,
  pricePrecision: 1,
  quantityStep: 1,
  priceStep: 1,
};

/** Opens an exchange of one instrument. */
export async function open(
  wallet: BinanceWallet,
  addresses: BinanceAddresses,
  market: MarketEvents,
): Promise<LiveExchange> {
  return accepted(
    await openBinance(
      wallet,
      addresses,
    )({
      environment: 'testnet',
      proxy: null,
      instruments: { at: () => INSTRUMENT, bySymbol: (symbol) => (symbol === 'BTCUSDT' ? BTC : null) },
      nowMs: now,
      market,
      onFinding: ignore,
    }),
  );
}

/** Starts a peer of this folder and takes its first message. */
export function start<Message>(file: string): Promise<{ readonly child: ChildProcess; readonly message: Message }> {
  const child = fork(join(import.meta.dirname, file), [], { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
  return new Promise((resolve, reject) => {
    child.once('message', (message) => resolve({ child, message: message as Message }));
    child.once('exit', (code) => reject(new Error(`${file} has ended with ${code}`)));
  });
}

export function accepted<Value>(result: OrRejection<Value>): Value {
  if (isRejected(result)) throw new Error(result.rejection.message);
  return result;
}

export function now(): EpochMs {
  return Date.now() as EpochMs;
}

export function passed(ms: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, ms);
  });
}

export function ignore(): void {
  // Not measured.
}
