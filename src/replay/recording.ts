import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Instrument } from '../model/instrument.js';
import { reject, type OrRejection } from '../model/rejection.js';
import { RECORDED_STREAMS, type RecordedStream } from '../venue/replay/index.js';

/** What was recorded of one instrument over one stretch of time: a file a stream. */
export interface Recording {
  /** `<venue>_<market>_<symbol>_<period>`, for example `binance_spot_BTCUSDT_20240808-09`. */
  readonly name: string;
  readonly files: ReadonlyMap<RecordedStream, string>;
}

const FILE = /^(.+)\.([a-z]+)\.csv(?:\.gz)?$/;
const NEEDED: readonly RecordedStream[] = ['snapshot', 'depth', 'trades'];
const MARKETS = { SPOT: 'spot', FUTURE: 'usdm' } as const;

/** The recordings of a folder, of its folder of that venue too, by name. */
export function recordingsIn(folder: string): readonly Recording[] {
  const files = new Map<string, Map<RecordedStream, string>>();
  for (const path of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
    const [, name = '', streamName] =
      FILE.exec(path.slice(Math.max(path.lastIndexOf('/'), path.lastIndexOf('\\')) + 1)) ?? [];
    const stream = RECORDED_STREAMS.find((one) => one === streamName);
    if (stream === undefined) continue;
    files.set(name, (files.get(name) ?? new Map<RecordedStream, string>()).set(stream, join(folder, path)));
  }
  return [...files]
    .map(([name, streams]) => ({ name, files: streams }))
    .filter((recording) => NEEDED.every((stream) => recording.files.has(stream)))
    .sort((one, other) => (one.name < other.name ? -1 : 1));
}

/** The one recording of the instrument; `wanted` is a part of its name and decides when there are several. */
export function chooseRecording(
  recordings: readonly Recording[],
  { venue, assetCategory, base, quote, symbol }: Instrument,
  wanted: string | null,
): OrRejection<Recording> {
  const prefix = `${venue.toLowerCase()}_${MARKETS[assetCategory]}_${base}${quote}`;
  const part = wanted === null ? '' : wanted.replace(/[/:].*$/, (rest) => rest.slice(1).replace(/:.*$/, ''));
  const fitting = recordings.filter(({ name }) => `${name}_`.startsWith(`${prefix}_`) && name.includes(part));
  const [recording] = fitting;
  if (recording !== undefined && fitting.length === 1) return recording;
  const names = (list: readonly Recording[]): string => list.map(({ name }) => name).join(', ');
  return recording === undefined
    ? reject('INVALID_SYMBOL', `no recording of ${symbol} on ${venue}; there are: ${names(recordings) || 'none'}`)
    : reject('INVALID_SYMBOL', `several recordings of ${symbol} on ${venue}: ${names(fitting)}; name one by --symbol`);
}
