import { createHash, timingSafeEqual } from 'node:crypto';
import { killSwitchText } from '../api/account/risk-limits.js';
import { OK, SERVICE_UNAVAILABLE, UNAUTHORIZED } from '../api/field/error-code.js';
import { HEALTH, METRICS, PING, READY } from '../api/document/service.js';
import { quote } from '../api/field/json-text.js';
import { asciiLower } from '../domain/letter-case.js';
import type { Clock } from '../domain/time.js';
import type { TradingHalt } from '../domain/command.js';
import { type KillSwitches, type TradingState, tradingStateOf } from '../domain/trading-state.js';
import type { Call } from './call.js';
import type { OpenEndpoint } from './endpoint.js';
import { type Exposition, EXPOSITION_TYPE } from './metrics/exposition.js';
import type { ClockFigures, DiskFigures, ExchangeFigures, ServiceFigures } from './metrics/service-figures.js';
import { isLoopback, networkAddress } from './address-limit.js';

export interface Readiness {
  readonly isReady: boolean;
  /** For people: the parts that are up, or the parts that the service waits for. */
  readonly detail: string;
}

export interface StatusParts {
  readonly clock: Clock;
  readonly realNowMs: () => number;
  readonly readiness: () => Readiness;
  /** The reasons why trading is halted; empty: trading is open. */
  readonly tradingHalts: () => readonly TradingHalt[];
  readonly figures: Pick<
    ServiceFigures,
    'version' | 'exchanges' | 'killSwitches' | 'clock' | 'disk' | 'quarantinedOrders'
  >;
  /** False while shutting down. */
  readonly isAccepting: () => boolean;
}

/** The endpoints without a key: liveness, readiness, time. */
export function statusEndpoints({
  clock,
  realNowMs,
  readiness,
  tradingHalts,
  figures,
  isAccepting,
}: StatusParts): readonly OpenEndpoint[] {
  const times = (): string => `"timestamp":${realNowMs()},"service_time":${clock.nowMs()}`;
  return [
    { path: PING.path, handle: (call) => call.answer(OK, `{"status":"ok",${times()}}`) },
    {
      path: HEALTH.path,
      handle: (call) => {
        const { isReady, detail } = readiness();
        const clock = clockText(figures.clock());
        const [halts, switches] = [tradingHalts(), figures.killSwitches()];
        const answer =
          `"status":"ok","version":${quote(figures.version)},${modeMembers(figures.exchanges())},"ready":${isReady}` +
          `,"detail":${quote(detail + causesText(halts, switches))},"trading":${tradingText(halts, switches)}` +
          `,"quarantined_orders":${figures.quarantinedOrders()}`;
        call.answer(OK, `{${answer},${times()},"clock":${clock},"disk":${diskText(figures.disk())}}`);
      },
    },
    {
      path: READY.path,
      handle: (call) => {
        const { isReady, detail } = readiness();
        const isServing = isReady && isAccepting();
        const [halts, switches] = [tradingHalts(), figures.killSwitches()];
        const shown = isAccepting() ? detail + causesText(halts, switches) : 'shutting down';
        const state = stateOf(halts, switches);
        const status = isServing ? 'ready' : 'not ready';
        const text = `{"status":"${status}","detail":${quote(shown)},"trading_state":"${state}"}`;
        call.answer(isServing ? OK : SERVICE_UNAVAILABLE, text);
      },
    },
  ];
}

function stateOf(halts: readonly TradingHalt[], { service, accountCount }: KillSwitches): TradingState {
  return tradingStateOf(halts, service !== null, accountCount);
}

/** What stops orders, each cause after a semicolon; empty while trading is open. */
function causesText(halts: readonly TradingHalt[], { service, accountCount }: KillSwitches): string {
  const causes = halts.map(({ message }) => `trading is halted: ${message}`);
  if (service !== null) {
    const since = new Date(service.engagedAtMs).toISOString();
    causes.push(`trading is halted: the kill switch of the whole service is engaged since ${since}`);
  }
  if (accountCount > 0) causes.push(`kill switches of single accounts are engaged: ${accountCount}`);
  return causes.map((cause) => `; ${cause}`).join('');
}

function modeMembers(exchanges: readonly ExchangeFigures[]): string {
  const live = exchanges.filter(({ mode }) => mode !== 'simulated').map(({ venue, mode }) => `"${venue}":"${mode}"`);
  return `"mode":"${live.length === 0 ? 'SIMULATED' : 'LIVE'}","live_modes":{${live.join(',')}}`;
}

function tradingText(halts: readonly TradingHalt[], switches: KillSwitches): string {
  const shown = halts.map(
    ({ reason, sinceMs, message, exempt, only }) =>
      `{"reason":"${reason}","since":${sinceMs},"message":${quote(message)},"exempt_count":${exempt.length}` +
      `${only === undefined ? '' : ',"halted_count":1'}}`,
  );
  const state = stateOf(halts, switches);
  const engaged = `{"service":${killSwitchText(switches.service)},"account_count":${switches.accountCount}}`;
  return `{"state":"${state}","halts":[${shown.join(',')}],"kill_switches":${engaged}}`;
}

function clockText({ offsetMs, errorMs, stepCount, lastStepMs, pace }: ClockFigures): string {
  const named = { offset_ms: offsetMs, error_ms: errorMs, pace, wall_steps: stepCount, last_step_ms: lastStepMs };
  return JSON.stringify(named);
}

function diskText({ freeBytes, state }: DiskFigures): string {
  return `{"state":"${state}","free_bytes":${freeBytes}}`;
}

export interface MetricsParts {
  readonly exposition: Exposition;
  /** The bearer token for other machines; null: only this machine may read. */
  readonly metricsToken: string | null;
  /** The address or host name that the service listens at. */
  readonly host: string;
}

const BEARER = /^Bearer +(\S+)$/i;
const HEADERS = `\r\nContent-Type: ${EXPOSITION_TYPE}\r\nCache-Control: no-store`;
const CHALLENGE = '\r\nWWW-Authenticate: Bearer';

/** The metrics, for this machine and for clients with the token. */
export function metricsEndpoint({ exposition, metricsToken, host }: MetricsParts): OpenEndpoint {
  const expected = metricsToken === null ? null : digestOf(metricsToken);
  const answer = (call: Call): void => {
    exposition.text().then(
      call.guarded((text) => call.answerFile({ headers: HEADERS, bytes: Buffer.from(text) })),
      (error: unknown) => call.fail(error),
    );
  };
  return {
    path: METRICS.path,
    handle: (call) => {
      const isLocal = isLoopback(networkAddress(call.remoteAddress())) && isOwnHost(call.head.host, host);
      if (isLocal || isToken(call.head.authorization, expected)) answer(call);
      else call.refuse({ code: 'AUTHENTICATION_ERROR', message: ACCESS_RULE }, UNAUTHORIZED, CHALLENGE);
    },
  };
}

const ACCESS_RULE = 'metrics need a loopback name or address in Host, or the bearer token SLUICE_METRICS_TOKEN';

/** Compares digests of one length, so that the duration of the comparison does not depend on the token. */
function isToken(authorization: string, expected: Buffer | null): boolean {
  const given = BEARER.exec(authorization)?.[1];
  return given !== undefined && expected !== null && timingSafeEqual(digestOf(given), expected);
}

function digestOf(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}

const LOOPBACK_NAME = /^(localhost|127(?:\.\d{1,3}){3}|\[::1\])$/i;
const HOST_AND_PORT = /^(\[[^\]]*\]|[^:]*)(?::\d{1,5})?$/;

/**
 * True when a Host header names this machine or the configured address. A page of another site may let a browser on
 * this machine send a request under its own host name that resolves to a loopback address. Its Host header then
 * differs.
 */
function isOwnHost(header: string, configured: string): boolean {
  const name = HOST_AND_PORT.exec(header)?.[1] ?? '';
  const own = configured.includes(':') ? `[${configured}]` : configured;
  return LOOPBACK_NAME.test(name) || (name !== '' && asciiLower(name) === asciiLower(own));
}
