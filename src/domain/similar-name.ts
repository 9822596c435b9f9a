import { asciiLower } from './letter-case.js';

/** Names that differ only in letter case and separators have the same form. */
export function foldedName(name: string): string {
  return asciiLower(name).replace(/[_\- ]/g, '');
}

/** Letters to insert, delete, replace or swap with their neighbour. */
export function editDistance(one: string, other: string): number {
  let before: number[] = [];
  let above = Array.from({ length: other.length + 1 }, (_, column) => column);
  for (let row = 1; row <= one.length; row += 1) {
    const line = [row];
    for (let column = 1; column <= other.length; column += 1) {
      const isEqual = one[row - 1] === other[column - 1];
      let least = Math.min(above[column - 1]! + (isEqual ? 0 : 1), above[column]! + 1, line[column - 1]! + 1);
      const isSwapped = one[row - 1] === other[column - 2] && one[row - 2] === other[column - 1];
      if (isSwapped && row > 1 && column > 1) least = Math.min(least, before[column - 2]! + 1);
      line.push(least);
    }
    before = above;
    above = line;
  }
  return above[other.length]!;
}
