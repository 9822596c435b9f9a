import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import type { Arena } from '../../bench/quality/arena.js';
import { BASELINES, HYBRID } from '../../bench/quality/policy.js';
import { recordedArena } from '../../bench/quality/recorded-arena.js';
import { trialOf } from '../../bench/quality/trial.js';
import type { DurationMs } from '../../src/domain/time.js';
import type { OrderRun } from '../../src/backtest/backtest-run.js';
import { recordingsIn } from '../../src/backtest/recording.js';
import { buildCatalogue } from '../../src/venue/listing/catalogue.js';

const WINDOW_MS = 9_000 as DurationMs;
const catalogue = buildCatalogue();
const instrument = catalogue.findCanonical('BINANCE', 'BTC/USDT')!;
let arena: Arena;

beforeAll(async () => {
  const [recording] = recordingsIn(join(import.meta.dirname, '../backtest/recordings'));
  arena = await recordedArena({ recording: recording!, instrument, catalogue, durationMs: WINDOW_MS });
});

function reasonsOf({ events }: OrderRun): string[] {
  return events.flatMap(({ envelope: { event } }) =>
    event.kind === 'ChildSubmitted' ? [event.order.reason.code] : [],
  );
}

describe('windows of a recording', () => {
  it('are consecutive, and leave a minute of the recording for markouts', async () => {
    expect(arena.windowCount).toBe(3);
    const starts: number[] = [];
    for (let window = 0; window < arena.windowCount; window += 1) {
      const run = await arena.work(HYBRID, window, 'SELL');
      starts.push(run.state.order.createdAtMs);
      expect(run.knownUntilMs - run.execution.endMs).toBeGreaterThan(50_000);
    }
    const [first = 0, ...later] = starts;
    later.forEach((startMs, index) => expect(Math.abs(startMs - first - (index + 1) * WINDOW_MS)).toBeLessThan(1_000));
  });

  it("let a published rule trade instead of the service's strategy", async () => {
    const rule = BASELINES.find(({ name }) => name === 'market order')!;
    const [own, published] = [await arena.work(HYBRID, 1, 'BUY'), await arena.work(rule, 1, 'BUY')];
    expect(published.state.order.createdAtMs).toBe(own.state.order.createdAtMs);
    expect(trialOf(published, instrument)).toMatchObject({ completion: 1, makerShare: 0 });
    expect(reasonsOf(published)).toEqual(['BASELINE']);
    expect(reasonsOf(own)).not.toContain('BASELINE');
  });
});
