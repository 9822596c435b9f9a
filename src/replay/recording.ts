import { readdirSync } from 'node:fs';
import { basename, join } from 'node:path';
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

/** The complete recordings in a folder and those below it, by name. */
export function recordingsIn(folder: string): readonly Recording[] {
  const files = new Map<string, Map<RecordedStream, string>>();
  for (const path of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
    const [, name = '', streamName] = FILE.exec(basename(path)) ?? [];
    const stream = RECORDED_STREAMS.find((one) => one === streamName);
    if (stream === undefined) continue;
    files.set(name, (files.get(name) ?? new Map<RecordedStream, string>()).set(stream, join(folder, path)));
  }
  return [...files]
    .map(([name, streams]) => ({ name, files: streams }))
    .filter((recording) => NEEDED.every((stream) => recording.files.has(stream)))
    .sort((one, other) => (one.name < other.name ? -1 : 1));
}

/** True when it is of that instrument. */
export function isRecordingOf({ name }: Recording, { venue, assetCategory, base, quote }: Instrument): boolean {
  return `${name}_`.startsWith(`${venue.toLowerCase()}_${MARKETS[assetCategory]}_${base}${quote}_`);
}

/** The one recording of the instrument; `wanted` is a part of its name, or its symbol, and decides between several. */
export function chooseRecording(
  recordings: readonly Recording[],
  instrument: Instrument,
  wanted: string | null,
): OrRejection<Recording> {
  const part = wanted === null ? '' : wanted.replace(/:.*$/, '').replace('/', '');
  const fitting = recordings.filter(
    (recording) => isRecordingOf(recording, instrument) && recording.name.includes(part),
  );
  const [recording] = fitting;
  if (recording !== undefined && fitting.length === 1) return recording;
  const names = (list: readonly Recording[]): string => list.map(({ name }) => name).join(', ') || 'none';
  const what = `${instrument.symbol} on ${instrument.venue}`;
  return recording === undefined
    ? reject('INVALID_SYMBOL', `no recording of ${what} is called so; there are: ${names(recordings)}`)
    : reject('INVALID_SYMBOL', `several recordings of ${what}: ${names(fitting)}; name one by --symbol`);
}
