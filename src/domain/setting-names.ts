import { editDistance, foldedName } from './similar-name.js';

/** The environment variables that the service reads. */
export const SETTING_NAMES = [
  'SLUICE_HOST',
  'SLUICE_PORT',
  'SLUICE_DATA_DIR',
  'SLUICE_SHARDS',
  'SLUICE_LOG_LEVEL',
  'SLUICE_RATE_LIMIT_ORDERS',
  'SLUICE_RATE_LIMIT_READS',
  'SLUICE_RATE_LIMIT_IP',
  'SLUICE_ACCOUNT_OPEN_ORDERS',
  'SLUICE_VENUE_RATES',
  'SLUICE_BODY_BYTES_MAX',
  'SLUICE_WS_CONNECTIONS',
  'SLUICE_WS_ACCOUNT_CONNECTIONS',
  'SLUICE_WS_MESSAGE_RATE',
  'SLUICE_WS_FRAME_BYTES_MAX',
  'SLUICE_MARKET_DATA_CAP',
  'SLUICE_WS_PING_MS',
  'SLUICE_WS_SILENCE_MS',
  'SLUICE_LISTEN_KEY_TTL_S',
  'SLUICE_SIM_SEED',
  'SLUICE_SIM_SPEED',
  'SLUICE_SIM_LATENCY',
  'SLUICE_SIM_FAULTS',
  'SLUICE_LIVE',
  'SLUICE_LIVE_CONFIRM',
  'SLUICE_LIVE_PROXY',
  'SLUICE_LIVE_URL_BINANCE',
  'SLUICE_LIVE_URL_BYBIT',
  'SLUICE_LIVE_URL_OKX',
  'SLUICE_CREATE_DEMO_KEY',
  'SLUICE_METRICS_TOKEN',
  'SLUICE_CLOCK_CONFIRM',
  'SLUICE_DISK_WARNING_MB',
  'SLUICE_DISK_HALT_MB',
  'SLUICE_HANG_S',
  'SLUICE_MASTER_KEY',
] as const;

export type SettingName = (typeof SETTING_NAMES)[number];

const PREFIX = 'SLUICE_';

/** Variables of the command line and of clients. They have no effect on the service. */
const CLIENT_NAMES: readonly string[] = ['SLUICE_URL', 'SLUICE_API_KEY', 'SLUICE_API_SECRET'];
const TEST_PREFIX = 'SLUICE_TEST_';

/** Documented settings that this release does not have, or that only release 0.1.0 had. */
const UNSUPPORTED = /^SLUICE_(LIVE_URL_|PAPER_WALLET$)/;

const KNOWN: readonly string[] = [...SETTING_NAMES, ...CLIENT_NAMES];

/**
 * The variables that begin with SLUICE_ and have no effect, with the reason: one text for each variable. Such a
 * variable is refused and not ignored: an operator who sets it relies on it.
 */
export function uselessSettings(env: Readonly<Record<string, string | undefined>>): readonly string[] {
  return Object.keys(env)
    .filter((name) => name.startsWith(PREFIX) && env[name] !== undefined)
    .filter((name) => !KNOWN.includes(name) && !name.startsWith(TEST_PREFIX))
    .map((name) =>
      UNSUPPORTED.test(name)
        ? `${name} is a setting that this release does not support`
        : `${name} is not a known setting; the nearest is ${nearestTo(name)}`,
    );
}

/** The known name with the smallest share of wrong letters, without the prefix that all names have. */
function nearestTo(name: string): string {
  const wanted = foldedName(name.slice(PREFIX.length));
  let nearest = '';
  let least = Infinity;
  for (const known of KNOWN) {
    const form = foldedName(known.slice(PREFIX.length));
    const share = editDistance(wanted, form) / Math.max(wanted.length, form.length);
    if (share < least) [nearest, least] = [known, share];
  }
  return nearest;
}
