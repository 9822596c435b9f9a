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
  #bytesRead = 0;

  constructor({ files }: Recording, grid: Grid) {
    const opened = [...files].map(([name, path]: [RecordedStream, string]) => {
      const stream = new TapeStream(name, path, grid);
      return [stream, piecesOf(path)] as const;
    });
    this.streams = opened.map(([stream]) => stream);
    this.#pieces = new Map(opened);
  }

  /** Unpacked. */
  get bytesRead(): number {
    return this.#bytesRead;
  }

  covers(untilMs: EpochMs): boolean {
    return this.streams.every((stream) => stream.covers(untilMs));
  }

  /** Reads on until everything received up to then is on the tape. Rejects when a file cannot be read. */
  async cover(untilMs: EpochMs): Promise<void> {
    for (const [stream, pieces] of this.#pieces) {
      while (!stream.covers(untilMs)) {
        const next = await pieces.next();
        if (next.done !== true) this.#bytesRead += next.value.length;
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
