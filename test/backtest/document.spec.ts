import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { TableColumn } from '../../src/backtest/table/columns.js';
import { formatOf, RECORDED_STREAMS } from '../../src/backtest/venue/recording-format.js';
import { ANY_PRICE } from './venue/made-market.js';

const GRID = { pricePrecision: 2, quantityPrecision: 5, quantityStep: 1, priceStep: 1 };
const ORDERS = { rising: 'never falls', distinct: 'rises', consecutive: 'rises by one' } as const;
const TEXT = readFileSync(join(import.meta.dirname, '../../src/docs/backtest.md'), 'utf8');

/** Cells of the rows of the table below a heading, without its first two rows. */
function rowsBelow(heading: string): string[][] {
  const [, part = ''] = TEXT.split(`\n### ${heading}\n`);
  const lines = (part.split('\n#')[0] ?? '').split('\n').filter((line) => line.startsWith('|'));
  return lines.slice(2).map((line) => line.split('|').map((cell) => cell.trim()));
}

function isDescribed({ values, isOptional }: TableColumn, text: string): boolean {
  const words = values.kind === 'word' ? values.words.map((word) => `\`${word}\``) : [];
  return words.every((word) => text.includes(word)) && text.includes('optional') === (isOptional === true);
}

it.each(RECORDED_STREAMS)('the document lists the columns of %s with their words and order', (stream) => {
  const { columns } = formatOf(stream, { ...GRID, filters: ANY_PRICE });
  const rows = rowsBelow(stream);
  expect(rows.map(([, name, , order]) => [name, order])).toEqual(
    columns.map(({ name, order }) => [`\`${name}\``, order === undefined ? '' : ORDERS[order]]),
  );
  for (const [index, column] of columns.entries()) expect(isDescribed(column, rows[index]![2]!)).toBe(true);
});
