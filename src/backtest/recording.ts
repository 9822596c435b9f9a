import { createReadStream, readdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import { pipeline } from 'node:stream';
import { createGunzip } from 'node:zlib';
import type { Instrument } from '../domain/instrument.js';
import { type OrRejection, reject } from '../domain/rejection.js';
import type { EpochMs } from '../domain/time.js';
import { FileError } from './table/columns.js';
import { RECORDED_STREAMS, type RecordedInstrument, type RecordedStream } from './venue/recording-format.js';
import { RecordingStream } from './venue/recorded-streams.js';

/** Recorded data of one instrument over one period: one file for each stream. */
export interface Recording {
  /** `<venue>_<market>_<symbol>_<period>`, for example `binance_spot_BTCUSDT_20240808-09`. */
  readonly name: string;
  readonly files: ReadonlyMap<RecordedStream, string>;
  /** A second file of one of its streams; null: each stream has one file. */
  readonly secondFile: string | null;
}

const FILE = /^(.+)\.([a-z]+)\.csv(?:\.gz)?$/;
const NEEDED: readonly RecordedStream[] = ['snapshot', 'depth', 'trades'];
const MARKETS = { SPOT: 'spot', FUTURE: 'usdm' } as const;

/** The complete recordings in a folder and its subfolders, sorted by name. */
export function recordingsIn(folder: string): readonly Recording[] {
  const files = new Map<string, Map<RecordedStream, string>>();
  const secondFiles = new Map<string, string>();
  for (const path of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
    const [, name = '', streamName] = FILE.exec(basename(path)) ?? [];
    const stream = RECORDED_STREAMS.find((one) => one === streamName);
    if (stream === undefined) continue;
    const streams = files.get(name) ?? new Map<RecordedStream, string>();
    if (streams.has(stream)) secondFiles.set(name, join(folder, path));
    files.set(name, streams.set(stream, join(folder, path)));
  }
  return [...files]
    .map(([name, streams]) => ({ name, files: streams, secondFile: secondFiles.get(name) ?? null }))
    .filter((recording) => NEEDED.every((stream) => recording.files.has(stream)))
    .sort((one, other) => (one.name < other.name ? -1 : 1));
}

export function isRecordingOf({ name }: Recording, { venue, assetCategory, base, quote }: Instrument): boolean {
  return `${name}_`.startsWith(`${venue.toLowerCase()}_${MARKETS[assetCategory]}_${base}${quote}_`);
}

/**
 * Selects the one recording of the instrument. `wanted` is a part of its name, or its symbol, and decides between
 * several.
 */
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
  if (recording !== undefined && fitting.length === 1) {
    if (recording.secondFile === null) return recording;
    return reject('INVALID_REQUEST', `${recording.secondFile}: the recording has another file of the same stream`);
  }
  const names = (list: readonly Recording[]): string => list.map(({ name }) => name).join(', ') || 'none';
  const what = `${instrument.symbol} on ${instrument.venue}`;
  return recording === undefined
    ? reject('INVALID_SYMBOL', `no recording of ${what} matches; available: ${names(recordings)}`)
    : reject('INVALID_SYMBOL', `several recordings of ${what}: ${names(fitting)}; select one with --symbol`);
}

const PIECE_BYTES = 256 * 1024;

/** Reads the files of a recording as far as the playback needs, and unpacks them. */
export class RecordingFeed {
  readonly streams: readonly RecordingStream[];
  readonly #pieces: ReadonlyMap<RecordingStream, AsyncIterator<Uint8Array>>;

  constructor({ files }: Recording, instrument: RecordedInstrument) {
    // Not in the order of the folder: messages of one instant are played in the order of the streams.
    const opened = RECORDED_STREAMS.flatMap((name) => {
      const path = files.get(name);
      return path === undefined ? [] : [[new RecordingStream(name, path, instrument), piecesOf(path)] as const];
    });
    this.streams = opened.map(([stream]) => stream);
    this.#pieces = new Map(opened);
  }

  /** Rows read so far. */
  get rowCount(): number {
    return this.streams.reduce((count, stream) => count + stream.rowCount, 0);
  }

  covers(untilMs: EpochMs): boolean {
    return this.streams.every((stream) => stream.covers(untilMs));
  }

  /**
   * Reads until every stream covers `untilMs`. Rejects with FileError when a file cannot be read or is not as declared.
   */
  async cover(untilMs: EpochMs): Promise<void> {
    for (const [stream, pieces] of this.#pieces) {
      while (!stream.covers(untilMs)) stream.feed(await nextPiece(stream.file, pieces));
    }
  }

  async close(): Promise<void> {
    for (const pieces of this.#pieces.values()) await pieces.return?.();
  }
}

/**
 * Unpacks the packed files of a recording to their ends, because their checksums are there. A backtest may end before
 * it has read them. Rejects with FileError.
 */
export async function checkPacked({ files }: Recording): Promise<void> {
  for (const file of files.values()) {
    if (!file.endsWith('.gz')) continue;
    const pieces = piecesOf(file);
    while ((await nextPiece(file, pieces)) !== null);
  }
}

/** The next bytes of a file; null at its end. */
async function nextPiece(file: string, pieces: AsyncIterator<Uint8Array>): Promise<Uint8Array | null> {
  try {
    const next = await pieces.next();
    return next.done === true ? null : next.value;
  } catch (error) {
    throw new FileError({ file }, (error as Error).message);
  }
}

/**
 * Opens the file at the first read: a stream that nothing reads would stay open, and its error would end the process.
 */
async function* piecesOf(path: string): AsyncGenerator<Uint8Array, void, void> {
  const file = createReadStream(path, { highWaterMark: PIECE_BYTES });
  // An error of either stream ends the iteration, so the callback has nothing to do.
  yield* path.endsWith('.gz') ? pipeline(file, createGunzip({ chunkSize: PIECE_BYTES }), () => undefined) : file;
}
