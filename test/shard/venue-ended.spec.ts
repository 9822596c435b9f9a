import { expect, it } from 'vitest';
import { BACK_OFF_MS_MAX, ENDED_AGAIN_MS, PASSING_REFUSALS_MAX } from '../../src/domain/limits/trading.js';
import type { Lots } from '../../src/domain/quantity.js';
import type { Rejection } from '../../src/domain/rejection.js';
import { shrunkenOrder } from '../../src/domain/venue-report.js';
import type { DurationMs, EpochMs } from '../../src/domain/time.js';
import { refusalOfError } from '../../src/venue/live/dialect/binance-errors.js';
import { rejectionOfEnd } from '../../src/venue/live/end-cause.js';
import { orderOf } from './sample-orders.js';
import { ShardRig, venueIdOf } from './shard-rig.js';

const CAUSE = { code: 'INVALID_ORDER', message: 'self-trade prevention' } as const;

/** The venue accepts the child and ends it at once, with the cause. */
function endByVenue(rig: ShardRig, child: number, cause: Rejection = CAUSE): void {
  rig.accept(1, child);
  rig.report(1, child, { kind: 'Cancelled', venueOrderId: venueIdOf(child), cause, filled: 0 as Lots });
  rig.rest();
}

const ORDERS = [{ strategy: 'MARKET', limitPrice: null }, { strategy: 'LIMIT' }] as const;

it.each(ORDERS)(
  'places a $strategy order whose children the venue ends with growing pauses, and rejects it at the end',
  (change) => {
    const rig = new ShardRig();
    rig.work(orderOf(1, change));
    const placedAtMs: number[] = [];
    for (let child = 1; rig.state(1)?.endedAtMs === null; child += 1) {
      expect(rig.state(1)).toMatchObject({ legs: [{ childCount: child }] });
      placedAtMs.push(rig.nowMs);
      endByVenue(rig, child);
      while (rig.state(1)?.legs[0].childCount === child && rig.state(1)?.endedAtMs === null) {
        rig.nowMs = rig.shard.nextWakeMs() as EpochMs;
        rig.quote({});
        rig.rest();
      }
    }
    const gaps = placedAtMs.slice(1).map((atMs, index) => atMs - placedAtMs[index]!);
    expect(placedAtMs).toHaveLength(PASSING_REFUSALS_MAX);
    expect(gaps).toEqual(gaps.toSorted((one, other) => one - other));
    expect([gaps[0], gaps.at(-1)]).toEqual([ENDED_AGAIN_MS, BACK_OFF_MS_MAX]);
    expect(rig.state(1)).toMatchObject({ status: 'REJECTED', outcome: CAUSE });
  },
);

it.each([
  ['a self-trade', rejectionOfEnd('SELF_TRADE', 'EXPIRED_IN_MATCH')!],
  ['a post-only order that would take', rejectionOfEnd('POST_ONLY', 'EC_PostOnlyWillTakeLiquidity')!],
  ['a reduce-only order that is made smaller', shrunkenOrder()],
])('makes no loop of %s at a real exchange: at most three children in 10 s', (_what, cause) => {
  const rig = new ShardRig();
  rig.work(orderOf(1, { strategy: 'LIMIT' }));
  const untilMs = rig.nowMs + 10_000;
  for (let child = 1; rig.nowMs < untilMs; child += 1) {
    endByVenue(rig, child, cause);
    while (rig.state(1)?.legs[0].childCount === child && rig.nowMs < untilMs) {
      rig.nowMs = Math.min(untilMs, rig.shard.nextWakeMs()) as EpochMs;
      rig.quote({});
      rig.rest();
    }
  }
  expect(rig.state(1)).toMatchObject({ legs: [{ childCount: 3, lastRefusal: { message: cause.message } }] });
});

const CROSSING = {
  BINANCE: refusalOfError({
    status: 400,
    code: -2010,
    message: 'Order would immediately match and take.',
    retryAfterMs: null,
  })!,
  'BINANCE futures': refusalOfError({ status: 400, code: -5022, message: 'Due to the order', retryAfterMs: null })!,
};

it.each(Object.entries(CROSSING))(
  'makes no loop of post-only children that %s refuses at once: at most three in 10 s',
  (_where, rejection) => {
    const rig = new ShardRig();
    const durationMs = 60_000 as DurationMs;
    const endAtMs = (rig.nowMs + durationMs) as EpochMs;
    rig.work(orderOf(1, { strategy: 'TWAP', style: 'PASSIVE', limitPrice: null, durationMs, endAtMs }));
    const untilMs = rig.nowMs + 10_000;
    const placedAtMs: number[] = [];
    while (rig.nowMs < untilMs) {
      const { childCount } = rig.state(1)!.legs[0];
      if (childCount > placedAtMs.length) {
        placedAtMs.push(rig.nowMs);
        rig.report(1, childCount, { kind: 'Rejected', rejection });
        rig.rest();
        continue;
      }
      rig.nowMs = Math.min(untilMs, rig.shard.nextWakeMs()) as EpochMs;
      rig.quote({});
      rig.rest();
    }
    expect(placedAtMs).toHaveLength(3);
  },
);
