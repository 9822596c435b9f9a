import { createReadStream } from 'node:fs';
import { pipeline } from 'node:stream';
import { createGunzip } from 'node:zlib';
import type { Grid } from '../model/quantity.js';
import type { EpochMs } from '../model/time.js';
import { TapeStream, type RecordedStream } from '../venue/replay/index.js';
import type { Recording } from './recording.js';

const PIECE_BYTES = 256 * 1024;

/** Reads the files of a recording as far as its tape has been played, unpacking them on the way. */
export class TapeFeed {
  readonly streams: readonly TapeStream[];
  readonly #pieces: ReadonlyMap<TapeStream, AsyncIterator<Uint8Array>>;

  constructor({ files }: Recording, grid: Grid) {
    const opened = [...files].map(([name, path]: [RecordedStream, string]) => {
      const stream = new TapeStream(name, path, grid);
      return [stream, piecesOf(path)] as const;
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

  /** Reads on until everything received up to then is on the tape. Rejects when a file cannot be read. */
  async cover(untilMs: EpochMs): Promise<void> {
    for (const [stream, pieces] of this.#pieces) {
      while (!stream.covers(untilMs)) {
        const next = await pieces.next();
        stream.feed(next.done === true ? null : next.value);
      }
    }
  }

  async close(): Promise<void> {
    for (const pieces of this.#pieces.values()) await pieces.return?.();
  }
}

function piecesOf(path: string): AsyncIterator<Uint8Array> {
  const file = createReadStream(path, { highWaterMark: PIECE_BYTES });
  if (!path.endsWith('.gz')) return file[Symbol.asyncIterator]() as AsyncIterator<Uint8Array>;
  // An error of either ends the iteration with it; the callback has nothing to add.
  const unpacked = pipeline(file, createGunzip({ chunkSize: PIECE_BYTES }), () => undefined);
  return unpacked[Symbol.asyncIterator]() as AsyncIterator<Uint8Array>;
}
