import { monotonicMs } from '../src/clock.js';
import { RouteMeter } from '../src/http/metrics/answer-meter.js';
import { repeated, type MicroGroup } from './micro-case.js';

/** What every answer pays for being counted and timed. */
export function httpCases(): MicroGroup {
  const meter = new RouteMeter('/api/v2/trading/order/create');
  return repeated({
    'count and time an answer': () => {
      const beganAtMs = monotonicMs();
      meter.note('201 Created', monotonicMs() - beganAtMs);
      return meter.totalMs;
    },
  });
}
