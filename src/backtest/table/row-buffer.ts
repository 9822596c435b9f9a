const ROWS_AT_FIRST = 1024;

/**
 * A queue of rows of numbers in one flat array, so a row costs no object. Grows to the largest content. Moves its
 * content to the front instead of growing when at least half of the array is free.
 */
export class RowBuffer {
  /** Cells in a row. */
  readonly width: number;
  #cells: Float64Array;
  #head = 0;
  #count = 0;

  constructor(width: number) {
    this.width = width;
    this.#cells = new Float64Array(ROWS_AT_FIRST * width);
  }

  get count(): number {
    return this.#count;
  }

  /** The number in a cell; row 0 is the oldest. */
  at(row: number, cell: number): number {
    return this.#cells[(this.#head + row) * this.width + cell]!;
  }

  /** Number of oldest rows with the same number in that cell. Needs at least one row. */
  runLength(cell: number): number {
    const value = this.at(0, cell);
    let count = 1;
    while (count < this.#count && this.at(count, cell) === value) count += 1;
    return count;
  }

  append(row: Float64Array): void {
    const start = (this.#head + this.#count) * this.width;
    if (start + this.width > this.#cells.length) {
      this.#makeRoom();
      return this.append(row);
    }
    const cells = this.#cells;
    for (let cell = 0; cell < this.width; cell += 1) cells[start + cell] = row[cell]!;
    this.#count += 1;
    return undefined;
  }

  /** Appends the oldest rows of another buffer of the same width. */
  appendFrom(other: RowBuffer, rows: number): void {
    for (let row = 0; row < rows; row += 1) {
      const start = (other.#head + row) * this.width;
      this.append(other.#cells.subarray(start, start + this.width));
    }
  }

  /** Drops the oldest rows. */
  drop(rows: number): void {
    this.#head += rows;
    this.#count -= rows;
    if (this.#count === 0) this.#head = 0;
  }

  #makeRoom(): void {
    const { width } = this;
    const start = this.#head * width;
    const end = (this.#head + this.#count) * width;
    if (this.#head >= this.#count && this.#head > 0) this.#cells.copyWithin(0, start, end);
    else {
      const larger = new Float64Array(this.#cells.length * 2);
      larger.set(this.#cells.subarray(start, end));
      this.#cells = larger;
    }
    this.#head = 0;
  }
}
