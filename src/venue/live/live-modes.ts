import {
  EXCHANGE_MODES,
  parseVenue,
  type RealMode,
  type RealVenues,
  type Venue,
  VENUE_ENVIRONMENTS,
  VENUES,
} from '../../domain/exchange.js';
import { asciiLower } from '../../domain/letter-case.js';

/** Value of SLUICE_LIVE_CONFIRM that allows real money. */
const REAL_MONEY = 'real-money';

/** Exchanges whose orders were proved against their protocol. Others refuse the start. */
export const PROVED_EXCHANGES: readonly Venue[] = ['BINANCE', 'BYBIT', 'OKX'];

/** An unusable setting of real exchanges. The message names the part and the rule. */
export class LiveModesError extends Error {
  override readonly name = 'LiveModesError';
}

/**
 * Reads the modes of exchanges, such as `BINANCE:testnet,BYBIT:live`; '' means that all exchanges are simulated. Throws
 * LiveModesError for an unknown exchange or mode, and for an exchange with two modes.
 */
export function parseLiveModes(text: string): RealVenues {
  const modes = new Map<Venue, RealMode>();
  const named = new Set<Venue>();
  for (const part of text === '' ? [] : text.split(',')) {
    const [name = '', modeText = '', ...rest] = part.trim().split(':');
    const venue = parseVenue(name);
    if (venue === null) throw new LiveModesError(`${part}: ${name} is none of ${VENUES.join(', ')}`);
    const mode = EXCHANGE_MODES.find((one) => one === asciiLower(modeText));
    if (mode === undefined || rest.length > 0) {
      throw new LiveModesError(`${part} is not EXCHANGE:MODE; the modes are ${VENUE_ENVIRONMENTS.join(' and ')}`);
    }
    if (named.has(venue)) throw new LiveModesError(`${part}: ${venue} has two modes`);
    named.add(venue);
    if (mode !== 'simulated') modes.set(venue, mode);
  }
  return modes;
}

/** Settings that decide whether a start with real exchanges is safe. */
export interface LiveConditions {
  readonly modes: RealVenues;
  /** Text of SLUICE_LIVE_CONFIRM; undefined: not set. */
  readonly confirmation: string | undefined;
  readonly simSpeed: number;
}

/** Why the service must not start with these modes; null: it may. Keys and accounts are checked later. */
export function refusalOfModes({ modes, confirmation, simSpeed }: LiveConditions): string | null {
  if (confirmation !== undefined && confirmation !== REAL_MONEY) {
    return `SLUICE_LIVE_CONFIRM=${confirmation} is not ${REAL_MONEY}`;
  }
  for (const [venue, mode] of modes) {
    if (!PROVED_EXCHANGES.includes(venue)) {
      return `SLUICE_LIVE=${venue}:${mode}: orders of ${venue} are not proved yet; ${PROVED_EXCHANGES.join(', ')} are`;
    }
    if (mode === 'live' && confirmation !== REAL_MONEY) {
      return `SLUICE_LIVE=${venue}:live trades with real money: confirm it with SLUICE_LIVE_CONFIRM=${REAL_MONEY}`;
    }
    if (simSpeed !== 1) {
      return `SLUICE_SIM_SPEED=${simSpeed} is not 1: time of ${venue}:${mode} is real`;
    }
  }
  return null;
}
