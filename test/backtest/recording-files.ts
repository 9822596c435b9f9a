import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { reportBacktest } from '../../src/backtest/backtest-report.js';
import type { RecordedStream } from '../../src/backtest/venue/recording-format.js';
import { buildCatalogue } from '../../src/venue/listing/catalogue.js';
import { type Level, MadeMarket } from './venue/made-market.js';

/** The text of each file of a recording. */
export type RecordingTexts = Readonly<Record<RecordedStream, string>>;

export const STREAMS = ['snapshot', 'depth', 'trades', 'bookticker'] as const;

/** A made recording, and an order that it covers until 10 s before its end. */
export interface MadeRecording {
  readonly name: string;
  readonly texts: RecordingTexts;
  readonly order: object;
}

const ORDER = { exchange: 'BINANCE', side: 'BUY', strategy: 'TWAP', params: { duration_seconds: '10' } };
const RECORDINGS = join(import.meta.dirname, 'recordings');

export const SPOT: MadeRecording = {
  name: 'binance_spot_BTCUSDT_made',
  texts: textsOf((stream) => readFileSync(join(RECORDINGS, `binance_spot_BTCUSDT_made.${stream}.csv`), 'utf8')),
  order: { ...ORDER, symbol: 'BTC/USDT', asset_category: 'SPOT', quantity: '2' },
};

/** Futures name the id of the update before, and the type of each trade. */
export const FUTURES: MadeRecording = {
  name: 'binance_usdm_BTCUSDT_made',
  texts: textsOf((stream) => futuresMarket().text(stream)),
  order: { ...ORDER, symbol: 'BTC/USDT:USDT', asset_category: 'FUTURE', quantity: '2' },
};

function textsOf(text: (stream: RecordedStream) => string): RecordingTexts {
  return Object.fromEntries(STREAMS.map((stream) => [stream, text(stream)])) as unknown as RecordingTexts;
}

function levels(start: number, step: number): Level[] {
  return Array.from({ length: 20 }, (_, rank) => [start + step * rank, 800 + 37 * rank]);
}

function futuresMarket(): MadeMarket {
  const instrument = buildCatalogue().findCanonical('BINANCE', 'BTC/USDT:USDT');
  if (instrument === null) throw new Error('BINANCE lists BTC/USDT:USDT');
  const made = new MadeMarket(instrument).snapshot(40, 1000, { bids: levels(500_000, -1), asks: levels(500_001, 1) });
  let last = 1000;
  for (let step = 0; step < 170; step += 1) {
    const atMs = 100 + 500 * step;
    const ids = { first: last + 2, last: last + 6, previous: last };
    made.update(atMs, step === 0 ? { ...ids, first: 998 } : ids, {
      bids: [[500_000 - (step % 3), 700 + ((step * 53) % 400)]],
      asks: [[500_001 + (step % 4), 650 + ((step * 71) % 400)]],
    });
    last += 6;
    made.quote(atMs + 200, last + 1, [500_000, 600 + ((step * 31) % 300)], [500_001, 500 + ((step * 29) % 300)]);
    const type = step % 50 === 7 ? 'INSURANCE_FUND' : 'MARKET';
    const price = step % 2 === 0 ? 500_001 : 500_000;
    made.trade(atMs + 100, step % 2 === 0 ? 'BUY' : 'SELL', [price, 90 + ((step * 17) % 60)], type);
  }
  return made;
}

/** Runs backtests on recordings in a folder of their own. */
export class BacktestFolder {
  readonly path = mkdtempSync(join(tmpdir(), 'sluice-recording-'));
  readonly orderFile = join(this.path, 'order.json');
  readonly #name: string;

  constructor({ name, texts, order }: MadeRecording) {
    this.#name = name;
    writeFileSync(this.orderFile, JSON.stringify(order));
    for (const stream of STREAMS) this.write(stream, texts[stream]);
  }

  fileOf(stream: RecordedStream): string {
    return join(this.path, `${this.#name}.${stream}.csv`);
  }

  write(stream: RecordedStream, content: string | Uint8Array): void {
    writeFileSync(this.fileOf(stream), content);
  }

  run() {
    const options = { dataDir: this.path, symbol: null, orderFile: this.orderFile, venueRates: 'off' };
    return reportBacktest({ ...options, queueModel: 'risk-averse', latencyMs: 5 });
  }

  remove(): void {
    rmSync(this.path, { recursive: true });
  }
}
