import { HEALTH, PING, READY } from '../contract/open-operations.js';
import type { Clock } from '../model/time.js';
import type { TradingHalt } from '../model/trading-halt.js';
import type { DiskFigures } from '../route/disk-watch.js';
import type { OpenEndpoint } from './endpoint.js';
import { OK, SERVICE_UNAVAILABLE } from './errors.js';
import type { ClockFigures, ServiceFigures } from './metrics/service-figures.js';
import type { Readiness } from './port.js';
import { quote } from './present/json-text.js';

export interface StatusParts {
  readonly clock: Clock;
  readonly realNowMs: () => number;
  readonly readiness: () => Readiness;
  /** Why no order is placed; none: trading is open. */
  readonly tradingHalts: () => readonly TradingHalt[];
  readonly figures: Pick<ServiceFigures, 'clock' | 'disk' | 'quarantinedOrders'>;
  /** False while shutting down. */
  readonly isAccepting: () => boolean;
}

/** What anybody may ask: is it alive, is it ready, what time is it. */
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
        const trading = tradingText(tradingHalts());
        const answer =
          `"status":"ok","ready":${isReady},"detail":${quote(detail)},"trading":${trading}` +
          `,"quarantined_orders":${figures.quarantinedOrders()}`;
        call.answer(OK, `{${answer},${times()},"clock":${clock},"disk":${diskText(figures.disk())}}`);
      },
    },
    {
      path: READY.path,
      handle: (call) => {
        const { isReady, detail } = readiness();
        const isServing = isReady && isAccepting();
        const said = isAccepting() ? detail : 'shutting down';
        const text = `{"status":"${isServing ? 'ready' : 'not ready'}","detail":${quote(said)}}`;
        call.answer(isServing ? OK : SERVICE_UNAVAILABLE, text);
      },
    },
  ];
}

function tradingText(halts: readonly TradingHalt[]): string {
  const shown = halts.map(
    ({ reason, sinceMs, message, exempt }) =>
      `{"reason":"${reason}","since":${sinceMs},"message":${quote(message)},"exempt_count":${exempt.length}}`,
  );
  return `{"state":"${halts.length === 0 ? 'OPEN' : 'HALTED'}","halts":[${shown.join(',')}]}`;
}

function clockText({ offsetMs, errorMs, stepCount, lastStepMs, pace }: ClockFigures): string {
  const named = { offset_ms: offsetMs, error_ms: errorMs, pace, wall_steps: stepCount, last_step_ms: lastStepMs };
  return JSON.stringify(named);
}

function diskText({ freeBytes, state }: DiskFigures): string {
  return `{"state":"${state}","free_bytes":${freeBytes}}`;
}
