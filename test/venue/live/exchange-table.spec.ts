import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { exchangeText } from '../../../src/api/market/instruments.js';
import { type RealMode, type Venue, VENUE_ENVIRONMENTS, VENUES } from '../../../src/domain/exchange.js';
import type { EpochMs } from '../../../src/domain/time.js';
import { VENUE_LISTINGS } from '../../../src/venue/listing/exchanges.js';
import { isRejected } from '../../../src/domain/rejection.js';
import type { LiveExchange, OpenLiveExchange } from '../../../src/venue/live/live-exchange.js';
import type { SendingRules } from '../../../src/venue/live/exchange-client.js';
import { ABSENCE_GAP_MS, Fence } from '../../../src/venue/live/fence.js';
import { LIVE_EXCHANGES } from '../../../src/venue/live/live-exchanges.js';
import { refusalOfModes } from '../../../src/venue/live/live-modes.js';

const ROOT = join(import.meta.dirname, '../../..');
const DOCUMENT = join(ROOT, 'src/docs/real-exchanges.md');
const HOUR_MS = 3_600_000;
const PREVENTIONS = {
  EXPIRE_TAKER: 'taker',
  EXPIRE_MAKER: 'maker',
  EXPIRE_BOTH: 'both',
  DECREMENT: 'decrement',
} as const;

/** The rows of the table below a heading of the document, each by its titles. */
function tableBelow(heading: string): readonly Readonly<Record<string, string>>[] {
  const [, part = ''] = readFileSync(DOCUMENT, 'utf8').split(`\n## ${heading}\n`);
  const lines = (part.split('\n## ')[0] ?? '').split('\n').filter((line) => line.startsWith('|'));
  const [titles = [], , ...rows] = lines.map((line) =>
    line
      .slice(1, -1)
      .split('|')
      .map((cell) => cell.trim()),
  );
  return rows.map((cells) => Object.fromEntries(titles.map((title, index) => [title, cells[index] ?? ''])));
}

/** Opens a wallet. It needs no network. */
async function opened(open: OpenLiveExchange): Promise<LiveExchange> {
  const exchange = await open({
    environment: 'live',
    proxy: null,
    instruments: { at: () => Promise.reject(new Error()) as never, bySymbol: () => null },
    nowMs: () => Date.now() as EpochMs,
    market: { onRecord: () => undefined, onStale: () => undefined },
    onFinding: () => undefined,
  });
  if (isRejected(exchange)) throw new Error(exchange.rejection.message);
  return exchange;
}

/** One text for all wallets that agree, otherwise one for each. */
function joined(texts: readonly string[]): string {
  return [...new Set(texts)].join('; ');
}

/** The last of the looks that must find nothing. */
function absentAfterMs(rules: SendingRules): number {
  return new Fence(rules, 0 as EpochMs).of({ atMs: 0 as EpochMs, clockErrorMs: 0 }) + ABSENCE_GAP_MS;
}

function durationText(ms: number): string {
  return ms % (24 * HOUR_MS) === 0 ? `${ms / (24 * HOUR_MS)} d` : `${ms / HOUR_MS} h`;
}

function modesOf(venue: Venue): readonly RealMode[] {
  return VENUE_ENVIRONMENTS.filter(
    (mode) => refusalOfModes({ modes: new Map([[venue, mode]]), confirmation: 'real-money', simSpeed: 1 }) === null,
  );
}

it('the document names every exchange with the modes, wallets and rules of the code', async () => {
  const rows = tableBelow('What each exchange supports');
  expect(new Set(rows.map((row) => row['Exchange']))).toEqual(new Set(VENUES));
  expect(rows).toHaveLength(VENUES.length);
  for (const row of rows) {
    const venue = row['Exchange'] as Venue;
    const modes = modesOf(venue);
    const openers = LIVE_EXCHANGES[venue] ?? [];
    const facts = Object.entries(row).slice(2);
    if (modes.length === 0) {
      expect([venue, row['Modes'], joined(facts.map(([, text]) => text))]).toEqual([venue, 'simulated only', '']);
      continue;
    }
    const wallets = await Promise.all(openers.map((open) => opened(open)));
    const { selfTradePreventions } = VENUE_LISTINGS[venue];
    expect(row).toMatchObject({
      Modes: modes.join(', '),
      Wallets: wallets.map(({ categories }) => categories.join(' + ')).join('; '),
      'Request expires after': joined(wallets.map(({ rules }) => `${(rules.expiryMs ?? 0) / 1_000} s`)),
      'Absent after': joined(wallets.map(({ rules }) => `${absentAfterMs(rules) / 1_000} s`)),
      'Ended orders are known for': joined(wallets.map(({ rules }) => durationText(rules.orderHistoryMs))),
      'Self-trade prevention': selfTradePreventions.map((one) => PREVENTIONS[one]).join(', '),
    });
    for (const [title, text] of facts) expect([venue, title, text]).not.toEqual([venue, title, '']);
    await Promise.all(wallets.map((wallet) => wallet.close()));
  }
});

it('the document agrees with the answer about exchanges', () => {
  const listing = { assetClasses: ['SPOT'], isTradable: true, isUp: true };
  for (const { Exchange: exchange, Modes: modes } of tableBelow('What each exchange supports')) {
    const answer = (liveMode: RealMode | null) =>
      JSON.parse(exchangeText({ ...listing, exchange: exchange as Venue, liveMode })) as object;
    if (modes === 'simulated only') {
      expect(answer(null)).toMatchObject({ exchange, mode: 'SIMULATED' });
      continue;
    }
    for (const mode of (modes ?? '').split(', ')) {
      expect(answer(mode as RealMode)).toMatchObject({ exchange, mode: 'LIVE', live_mode: mode });
    }
  }
});

/** The texts between backticks. */
function quoted(cell = ''): readonly string[] {
  return [...cell.matchAll(/`([^`]+)`/g)].map(([, text = '']) => text);
}

it('the table of bad input names log lines of the code, and tests that exist', () => {
  const folder = join(ROOT, 'src/venue/live');
  const code = readdirSync(folder)
    .filter((name) => name.endsWith('.ts'))
    .map((name) => readFileSync(join(folder, name), 'utf8'))
    .join('');
  const rows = tableBelow('What bad input gets');
  expect(rows.length).toBeGreaterThanOrEqual(20);
  for (const { Input: input, 'Log line': line, 'Shown by': tests } of rows) {
    expect([input, quoted(line).filter((text) => !code.includes(text))]).toEqual([input, []]);
    expect([input, quoted(tests).length > 0]).toEqual([input, true]);
    expect([input, quoted(tests).filter((test) => !existsSync(join(ROOT, test)))]).toEqual([input, []]);
  }
});

it('the table of accounts names each state of a key', () => {
  const code = readFileSync(join(ROOT, 'src/venue/live/key-check.ts'), 'utf8');
  const [, union = ''] = /export type KeyState =([^;]+);/.exec(code) ?? [];
  const states = [...union.matchAll(/'([A-Z_]+)'/g)].map(([, state]) => state);
  expect(tableBelow('Accounts').flatMap((row) => quoted(row['State']))).toEqual(expect.arrayContaining(states));
  expect(states.length).toBeGreaterThan(5);
});
