import { join } from 'node:path';

/**
 * The path of a file or folder of recorded market data. The recordings are other people's data, so they are not part of
 * the project. Fails without them: a test that needs them must not pass unread.
 */
export function recordedData(...names: readonly string[]): string {
  const folder = process.env['MARKET_DATA'] ?? '';
  if (folder === '') throw new Error('set MARKET_DATA to the folder of recordings');
  return join(folder, ...names);
}
