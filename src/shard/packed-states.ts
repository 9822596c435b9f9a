import { assert } from '../domain/rejection.js';

/** Sizes of cells are multiples of this. */
const CELL_STEP_BYTES = 64;
const CELL_BYTES_MAX = 4_096;
const SLAB_BYTES = 256 * 1024;
/** Cells of a slab, at most; a place is a slab's number and a cell's number. */
const CELLS_MAX = SLAB_BYTES / CELL_STEP_BYTES;

/** Place of a state in the store. */
export type PackedPlace = number & { readonly __packedPlace: never };
export const NOT_PACKED = -1 as PackedPlace;

interface Slab {
  readonly bytes: Uint8Array;
  readonly cellBytes: number;
  /** Length of the state in each cell. */
  readonly lengths: Uint16Array;
}

/**
 * Encoded states outside the heap of JavaScript, so that the collector never visits the orders that wait. Memory is
 * divided into slabs, each with cells of one size. A free cell is used again; a slab is never returned.
 */
export class PackedStates {
  readonly #slabs: Slab[] = [];
  /** Free places by the size of their cells, in steps. */
  readonly #free: PackedPlace[][] = Array.from({ length: CELL_BYTES_MAX / CELL_STEP_BYTES + 1 }, () => []);
  #count = 0;

  /** Number of stored states. */
  get count(): number {
    return this.#count;
  }

  /** Bytes of all slabs. */
  get capacityBytes(): number {
    return this.#slabs.length * SLAB_BYTES;
  }

  /** Copies a state. Returns NOT_PACKED for a state over CELL_BYTES_MAX. */
  put(state: Uint8Array): PackedPlace {
    const steps = Math.max(1, Math.ceil(state.length / CELL_STEP_BYTES));
    if (steps > CELL_BYTES_MAX / CELL_STEP_BYTES) return NOT_PACKED;
    const free = this.#free[steps]!;
    if (free.length === 0) this.#addSlab(steps * CELL_STEP_BYTES, free);
    const place = free.pop()!;
    const slab = this.#slabOf(place);
    slab.bytes.set(state, cellOf(place) * slab.cellBytes);
    slab.lengths[cellOf(place)] = state.length;
    this.#count += 1;
    return place;
  }

  /** A view of the state. It is valid until the place is freed. */
  read(place: PackedPlace): Uint8Array {
    const { bytes, cellBytes, lengths } = this.#slabOf(place);
    const start = cellOf(place) * cellBytes;
    return bytes.subarray(start, start + lengths[cellOf(place)]!);
  }

  free(place: PackedPlace): void {
    const { cellBytes } = this.#slabOf(place);
    this.#free[cellBytes / CELL_STEP_BYTES]!.push(place);
    this.#count -= 1;
  }

  #addSlab(cellBytes: number, free: PackedPlace[]): void {
    const cells = Math.floor(SLAB_BYTES / cellBytes);
    const first = this.#slabs.length * CELLS_MAX;
    this.#slabs.push({ bytes: new Uint8Array(SLAB_BYTES), cellBytes, lengths: new Uint16Array(cells) });
    for (let cell = cells - 1; cell >= 0; cell -= 1) free.push((first + cell) as PackedPlace);
  }

  #slabOf(place: PackedPlace): Slab {
    const slab = this.#slabs[Math.floor(place / CELLS_MAX)];
    assert(slab !== undefined, `a packed state at ${place}`);
    return slab;
  }
}

function cellOf(place: PackedPlace): number {
  return place % CELLS_MAX;
}
