/**
 * Loaded into every thread of a service before its own code (node --import), it shifts the wall clock: Date.now and
 * new Date() are later by the milliseconds in the file $SHIFTED_CLOCK, which a test may change while the service runs.
 * The monotonic clock and the uptime stay. The product has no door for this.
 */
import { readFileSync } from 'node:fs';

const READ_EVERY_MS = 20;
const file = process.env['SHIFTED_CLOCK'] ?? '';
const RealDate = Date;
let shiftMs = 0;
let readAtMs = -Infinity;

function nowMs(): number {
  if (performance.now() - readAtMs > READ_EVERY_MS) {
    shiftMs = Number(readFileSync(file, 'utf8'));
    readAtMs = performance.now();
  }
  return realNowMs() + shiftMs;
}

const realNowMs = RealDate.now.bind(RealDate);
RealDate.now = nowMs;
globalThis.Date = new Proxy(RealDate, {
  construct: (target, args, newTarget) =>
    Reflect.construct(target, args.length === 0 ? [nowMs()] : args, newTarget) as object,
});
