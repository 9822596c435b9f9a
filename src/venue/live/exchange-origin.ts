import type { RealMode, Venue } from '../../domain/exchange.js';
import type { SettingName } from '../../domain/setting-names.js';

type Environment = Readonly<Record<string, string | undefined>>;

const NAMES: Readonly<Partial<Record<Venue, SettingName>>> = {
  BINANCE: 'SLUICE_LIVE_URL_BINANCE',
  BYBIT: 'SLUICE_LIVE_URL_BYBIT',
  OKX: 'SLUICE_LIVE_URL_OKX',
};

/**
 * The address that replaces all hosts of an exchange, as `http://` or `https://` with a host; null: its own hosts.
 * Requests and sockets keep the paths of the exchange. `mode`: how the exchange is traded; null: it is simulated.
 * Throws an Error with one line for a text that is no such address, and for a mode that does not take it: real money
 * goes to the exchange alone.
 */
export function exchangeOrigin(env: Environment, venue: Venue, mode: RealMode | null): string | null {
  const name = NAMES[venue];
  const text = name === undefined ? undefined : env[name];
  if (text === undefined) return null;
  if (mode !== 'testnet') {
    const now = mode === null ? `SLUICE_LIVE does not set ${venue}:testnet` : `the mode is ${venue}:${mode}`;
    throw new Error(`${name} is for ${venue}:testnet only, and ${now}`);
  }
  const url = URL.canParse(text) ? new URL(text) : null;
  // The text may contain a password, so it is not quoted.
  if (url === null || !/^https?:$/.test(url.protocol) || url.href !== `${url.origin}/`) {
    throw new Error(`${name} is not http:// or https:// with a host, a port at most, and no path`);
  }
  return url.origin;
}

/** The same address for sockets. */
export function socketOrigin(origin: string): string {
  return origin.replace(/^http/, 'ws');
}
