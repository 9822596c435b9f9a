import { accessSync, constants, mkdirSync, readFileSync } from 'node:fs';
import { isIP } from 'node:net';
import { availableParallelism } from 'node:os';
import {
  ACCOUNT_OPEN_ORDERS_MAX,
  ADDRESS_REQUESTS_PER_SECOND,
  BODY_BYTES_DISCARDED_MAX,
  BODY_BYTES_MAX,
  WS_CONNECTIONS_MAX,
  WS_CONNECTIONS_PER_ACCOUNT_MAX,
  WS_FRAME_BYTES_MAX,
  WS_MARKET_SUBSCRIPTIONS_MAX,
  WS_MESSAGES_PER_SECOND,
} from '../domain/limits/clients.js';
import {
  DISK_HALT_MEGABYTES,
  DISK_MEGABYTES_MAX,
  DISK_WARNING_MEGABYTES,
  HANG_SECONDS_MAX,
  HANG_SECONDS_MIN,
  THREAD_SILENCE_MS_MAX,
} from '../domain/limits/process.js';
import type { RealVenues, Venue } from '../domain/exchange.js';
import { type SettingName, uselessSettings } from '../domain/setting-names.js';
import { parseFaultScript } from '../sim/faults/fault-script.js';
import { exchangeOrigin } from '../venue/live/exchange-origin.js';
import { exchangeProxy } from '../venue/live/exchange-proxy.js';
import { parseLiveModes, PROVED_EXCHANGES, refusalOfModes } from '../venue/live/live-modes.js';
import type { VenueDistance } from '../venue/port.js';
import { parseVenueRates, type VenueRates } from '../venue/throttle/request-rates.js';

/** The service's configuration from environment variables, read once. */
export interface Config {
  readonly host: string;
  readonly port: number;
  readonly dataDir: string;
  readonly shardCount: number;
  readonly logLevel: LogLevel;
  /** Requests a second for each key; 0 = off. */
  readonly orderRate: number;
  readonly readRate: number;
  /** Open orders of an account that has no max_open_orders of its own; 0 = off. */
  readonly accountOpenOrdersMax: number;
  /** Requests a second from each network address, counted before authentication; 0 = off. */
  readonly addressRate: number;
  /** Requests that each venue accepts for one account. */
  readonly venueRates: VenueRates;
  readonly bodyBytesMax: number;
  readonly marketDataCap: number;
  /** Most simultaneous WebSocket connections, of all accounts and of one. */
  readonly connectionsMax: number;
  readonly accountConnectionsMax: number;
  /** Client messages a second on each connection; 0 = off. */
  readonly messageRate: number;
  readonly frameBytesMax: number;
  readonly pingMs: number;
  readonly silenceMs: number;
  readonly listenKeyTtlS: number;
  readonly simSeed: number;
  readonly simSpeed: number;
  /** Simulated network distance of the venues. */
  readonly simLatency: VenueDistance;
  /** Text of the fault script for the simulated venues; '' without faults. */
  readonly simFaultScript: string;
  /** Exchanges that are real, with their modes. */
  readonly live: RealVenues;
  /** A CONNECT proxy for connections to real exchanges; null: none. */
  readonly liveProxy: string | null;
  /** Addresses that replace the hosts of exchanges in mode testnet. */
  readonly liveOrigins: ReadonlyMap<Venue, string>;
  readonly createDemoKey: boolean;
  /** Token that gives other machines access to the metrics. null: only this machine has access. */
  readonly metricsToken: string | null;
  /** The present time according to the operator, epoch milliseconds; null: not stated. */
  readonly clockConfirmMs: number | null;
  /** Free disk space below which an alarm is raised, and below which no order is placed. */
  readonly diskWarningBytes: number;
  readonly diskHaltBytes: number;
  /** Silence after which a thread counts as hung. The bounds of all threads follow from it. */
  readonly hangMs: number;
}

export const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

const DISTANCES: readonly VenueDistance[] = ['none', 'profile'];

/** A variable has an unusable value. The message names it. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}

/** An ISO 8601 time with a zone, to the minute or finer. */
const INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)$/;

type Environment = Readonly<Record<string, string | undefined>>;

const SHARDS_MAX = 64;
const RATE_MAX = 1_000_000;
const OPEN_ORDERS_MAX = 1_000_000;
const CONNECTIONS_MAX = 1_000_000;
/** A smaller limit would refuse every client's normal requests. */
const BYTES_MIN = 1024;
/** A host name has a letter: digits and dots alone must be a valid IP address. */
const HOST_NAME = /^(?=.*[a-z])[a-z0-9_.-]+$/i;

/** Characters that a header can carry, in a length that cannot be guessed. */
const TOKEN = /^[\x21-\x7e]{16,256}$/;

/**
 * Reads the configuration. Creates the data directory when it is missing, to check that it is usable. Throws
 * ConfigError, also for a variable that begins with SLUICE_ and has no effect.
 */
export function readConfig(env: Environment): Config {
  const useless = uselessSettings(env);
  if (useless.length > 0) throw new ConfigError(useless.join('\n'));
  const simSpeed = factor(env, 'SLUICE_SIM_SPEED', 1, [0.001, 1000]);
  const live = liveModes(env, simSpeed);
  return {
    host: host(env, 'SLUICE_HOST', '127.0.0.1'),
    port: integer(env, 'SLUICE_PORT', 8080, [0, 65_535]),
    dataDir: folder(env, 'SLUICE_DATA_DIR', './data'),
    shardCount: integer(env, 'SLUICE_SHARDS', Math.max(1, availableParallelism() - 2), [1, SHARDS_MAX]),
    logLevel: oneOf(env, 'SLUICE_LOG_LEVEL', 'info', LOG_LEVELS),
    orderRate: integer(env, 'SLUICE_RATE_LIMIT_ORDERS', 200, [0, RATE_MAX]),
    readRate: integer(env, 'SLUICE_RATE_LIMIT_READS', 200, [0, RATE_MAX]),
    accountOpenOrdersMax: integer(env, 'SLUICE_ACCOUNT_OPEN_ORDERS', ACCOUNT_OPEN_ORDERS_MAX, [0, OPEN_ORDERS_MAX]),
    addressRate: integer(env, 'SLUICE_RATE_LIMIT_IP', ADDRESS_REQUESTS_PER_SECOND, [0, RATE_MAX]),
    venueRates: venueRates(env, 'SLUICE_VENUE_RATES'),
    bodyBytesMax: integer(env, 'SLUICE_BODY_BYTES_MAX', BODY_BYTES_MAX, [BYTES_MIN, BODY_BYTES_DISCARDED_MAX]),
    marketDataCap: integer(env, 'SLUICE_MARKET_DATA_CAP', WS_MARKET_SUBSCRIPTIONS_MAX, [0, 10_000]),
    connectionsMax: integer(env, 'SLUICE_WS_CONNECTIONS', WS_CONNECTIONS_MAX, [1, CONNECTIONS_MAX]),
    accountConnectionsMax: integer(env, 'SLUICE_WS_ACCOUNT_CONNECTIONS', WS_CONNECTIONS_PER_ACCOUNT_MAX, [
      1,
      CONNECTIONS_MAX,
    ]),
    messageRate: integer(env, 'SLUICE_WS_MESSAGE_RATE', WS_MESSAGES_PER_SECOND, [0, RATE_MAX]),
    frameBytesMax: integer(env, 'SLUICE_WS_FRAME_BYTES_MAX', WS_FRAME_BYTES_MAX, [BYTES_MIN, BODY_BYTES_DISCARDED_MAX]),
    pingMs: integer(env, 'SLUICE_WS_PING_MS', 60_000, [10, 86_400_000]),
    silenceMs: integer(env, 'SLUICE_WS_SILENCE_MS', 300_000, [10, 86_400_000]),
    listenKeyTtlS: integer(env, 'SLUICE_LISTEN_KEY_TTL_S', 3600, [1, 86_400]),
    simSeed: integer(env, 'SLUICE_SIM_SEED', 1, [0, 0xffff_ffff]),
    simSpeed,
    simLatency: oneOf(env, 'SLUICE_SIM_LATENCY', 'none', DISTANCES),
    simFaultScript: faultScript(env, 'SLUICE_SIM_FAULTS'),
    live,
    liveProxy: proxy(env, 'SLUICE_LIVE_PROXY', live),
    liveOrigins: origins(env, live),
    createDemoKey: flag(env, 'SLUICE_CREATE_DEMO_KEY', true),
    metricsToken: token(env, 'SLUICE_METRICS_TOKEN'),
    clockConfirmMs: instant(env, 'SLUICE_CLOCK_CONFIRM'),
    diskWarningBytes: megabytes(env, 'SLUICE_DISK_WARNING_MB', DISK_WARNING_MEGABYTES),
    diskHaltBytes: megabytes(env, 'SLUICE_DISK_HALT_MB', DISK_HALT_MEGABYTES),
    hangMs: 1000 * integer(env, 'SLUICE_HANG_S', THREAD_SILENCE_MS_MAX / 1000, [HANG_SECONDS_MIN, HANG_SECONDS_MAX]),
  };
}

/** Refuses an empty host, which would listen on every address of the machine. */
function host(env: Environment, name: SettingName, fallback: string): string {
  const text = env[name] ?? fallback;
  if (isIP(text) === 0 && !HOST_NAME.test(text)) throw new ConfigError(`${name}=${text} is no IP address or host name`);
  return text;
}

function folder(env: Environment, name: SettingName, fallback: string): string {
  const text = env[name] ?? fallback;
  try {
    mkdirSync(text, { recursive: true, mode: 0o700 });
    accessSync(text, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch (error) {
    throw new ConfigError(`${name}=${text} is not a usable folder: ${(error as Error).message}`);
  }
  return text;
}

function venueRates(env: Environment, name: SettingName): VenueRates {
  const text = env[name] ?? '';
  try {
    return parseVenueRates(text);
  } catch (error) {
    throw new ConfigError(`${name}=${text}: ${(error as Error).message}`);
  }
}

function liveModes(env: Environment, simSpeed: number): RealVenues {
  const text = env['SLUICE_LIVE'] ?? '';
  let modes: RealVenues;
  try {
    modes = parseLiveModes(text);
  } catch (error) {
    throw new ConfigError(`SLUICE_LIVE=${text}: ${(error as Error).message}`);
  }
  const refusal = refusalOfModes({ modes, confirmation: env['SLUICE_LIVE_CONFIRM'], simSpeed });
  if (refusal !== null) throw new ConfigError(refusal);
  return modes;
}

function origins(env: Environment, live: RealVenues): ReadonlyMap<Venue, string> {
  try {
    return new Map(
      PROVED_EXCHANGES.flatMap((venue) => {
        const origin = exchangeOrigin(env, venue, live.get(venue) ?? null);
        return origin === null ? [] : [[venue, origin] as const];
      }),
    );
  } catch (error) {
    throw new ConfigError((error as Error).message);
  }
}

/** A service without real exchanges reads no proxy: other programs share some of the names. */
function proxy(env: Environment, name: SettingName, live: RealVenues): string | null {
  if (live.size === 0 && env[name] === undefined) return null;
  try {
    return exchangeProxy(env, name);
  } catch (error) {
    throw new ConfigError((error as Error).message);
  }
}

/** Reads the script once at the start, because the times of its rules count from the start. */
function faultScript(env: Environment, name: SettingName): string {
  const file = env[name];
  if (file === undefined) return '';
  try {
    const text = readFileSync(file, 'utf8');
    parseFaultScript(text);
    return text;
  } catch (error) {
    throw new ConfigError(`${name}=${file}: ${(error as Error).message}`);
  }
}

/** Returns null when absent. The error does not quote the value, because it is a secret. */
function token(env: Environment, name: SettingName): string | null {
  const text = env[name];
  if (text === undefined) return null;
  if (!TOKEN.test(text)) throw new ConfigError(`${name} is not 16 to 256 visible ASCII characters`);
  return text;
}

/** Returns null when absent. */
function instant(env: Environment, name: SettingName): number | null {
  const text = env[name];
  if (text === undefined) return null;
  if (!INSTANT.test(text) || Number.isNaN(Date.parse(text))) {
    throw new ConfigError(`${name}=${text} is not a time with its zone, such as 2026-01-31T09:30:00Z`);
  }
  return Date.parse(text);
}

/** Least and largest value of a setting. */
type Range = readonly [min: number, max: number];

function integer(env: Environment, name: SettingName, fallback: number, [min, max]: Range): number {
  const text = env[name];
  if (text === undefined) return fallback;
  const value = Number(text);
  if (!/^\d+$/.test(text) || value < min || value > max) {
    throw new ConfigError(`${name}=${text} is not an integer from ${min} to ${max}`);
  }
  return value;
}

/** Returns bytes; 0 switches the bound off. */
function megabytes(env: Environment, name: SettingName, fallback: number): number {
  return integer(env, name, fallback, [0, DISK_MEGABYTES_MAX]) * 1_000_000;
}

function factor(env: Environment, name: SettingName, fallback: number, [min, max]: Range): number {
  const text = env[name];
  if (text === undefined) return fallback;
  const value = Number(text);
  if (!/^\d+(\.\d+)?$/.test(text) || value < min || value > max) {
    throw new ConfigError(`${name}=${text} is not a number from ${min} to ${max}`);
  }
  return value;
}

function flag(env: Environment, name: SettingName, fallback: boolean): boolean {
  const text = env[name];
  if (text === undefined) return fallback;
  if (text !== 'true' && text !== 'false') throw new ConfigError(`${name}=${text} is not true or false`);
  return text === 'true';
}

function oneOf<Value extends string>(
  env: Environment,
  name: SettingName,
  fallback: Value,
  values: readonly Value[],
): Value {
  const text = env[name];
  if (text === undefined) return fallback;
  const value = values.find((candidate) => candidate === text);
  if (value === undefined) throw new ConfigError(`${name}=${text} is not one of ${values.join(', ')}`);
  return value;
}
