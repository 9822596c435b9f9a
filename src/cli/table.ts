/** How one column of a table is made from a row. */
export interface Column<Row> {
  readonly title: string;
  readonly text: (row: Row) => string;
  readonly align?: 'RIGHT';
}

const GAP = '  ';

/** Aligned columns under their titles, one line a row; the last column is not padded. */
export function table<Row>(columns: readonly Column<Row>[], rows: readonly Row[]): string {
  const lines = [columns.map(({ title }) => title), ...rows.map((row) => columns.map(({ text }) => text(row)))];
  const widths = columns.map((_, index) => Math.max(...lines.map((cells) => cells[index]?.length ?? 0)));
  return lines.map((cells) => line(columns, cells, widths)).join('\n');
}

function line<Row>(columns: readonly Column<Row>[], cells: readonly string[], widths: readonly number[]): string {
  const padded = cells.map((cell, index) => {
    const width = widths[index] ?? 0;
    return columns[index]?.align === 'RIGHT' ? cell.padStart(width) : cell.padEnd(width);
  });
  return padded.join(GAP).trimEnd();
}
