import type { Exchange, OrderDetails } from '../client/wire.js';
import type { Tone } from './view/figures.js';

/** How orders trade at an exchange; null: it is simulated. */
export type LiveMode = NonNullable<Exchange['live_mode']> | null;

/** A mode as a word that no reader can overlook. */
export interface ModeMark {
  readonly word: string;
  readonly tone: Tone;
  readonly hint: string;
}

const MARKS: Readonly<Record<NonNullable<LiveMode>, ModeMark>> = {
  live: { word: 'LIVE', tone: 'bad', hint: 'Orders trade at the exchange with real money.' },
  testnet: { word: 'TESTNET', tone: 'warning', hint: 'Orders trade at the test environment, with play money.' },
};
const SIMULATED: ModeMark = { word: 'SIMULATED', tone: 'quiet', hint: 'The exchange is simulated.' };

/** Modes from the most to the least dangerous. */
const MODES = Object.keys(MARKS) as readonly NonNullable<LiveMode>[];

export function markOf(mode: LiveMode): ModeMark {
  return mode === null ? SIMULATED : MARKS[mode];
}

/** The mode of an exchange; undefined before the state of the exchanges is known. */
export function modeIn(exchanges: readonly Exchange[], name: string): LiveMode | undefined {
  const found = exchanges.find(({ exchange }) => exchange === name);
  return found === undefined ? undefined : (found.live_mode ?? null);
}

/** The most dangerous mode among the legs of an order. */
export function strictest(modes: readonly OrderDetails['live_mode'][]): LiveMode {
  return MODES.find((mode) => modes.includes(mode)) ?? null;
}

/** One line of the banner: a mode with its exchanges. */
export interface ModeLine extends ModeMark {
  readonly exchanges: readonly string[];
}

/** The modes of all exchanges that are not simulated, the most dangerous first. */
export function modeLines(exchanges: readonly Exchange[]): readonly ModeLine[] {
  return MODES.map((mode) => ({
    ...MARKS[mode],
    exchanges: exchanges.filter(({ live_mode: own }) => own === mode).map(({ exchange }) => exchange),
  })).filter((line) => line.exchanges.length > 0);
}

/** True when the typed text names what real money needs, in any case; null: nothing needs to be typed. */
export function isConfirmedBy(typed: string, needed: string | null): boolean {
  return needed === null || typed.trim().toUpperCase() === needed;
}
