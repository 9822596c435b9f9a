import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ACCOUNT_TOPICS, type EventEnvelope, topicsOf } from '../../src/domain/event.js';
import type { Amount } from '../../src/domain/quantity.js';
import { VENUES } from '../../src/domain/exchange.js';
import { type StreamDeps, SYSTEM_TIMERS } from '../../src/stream/port.js';
import { ACCEPTED, ACCOUNT, FILLED, OTHER_ACCOUNT, balanceChanged } from '../stream/sample-events.js';
import { openPositions, POSITION, positionChanged } from '../stream/sample-positions.js';
import { StreamRig, type Frame } from '../stream/stream-rig.js';
import { runs } from '../runs.js';

type Step =
  | { readonly kind: 'event'; readonly envelope: EventEnvelope }
  | { readonly kind: 'ask'; readonly message: Frame };

const exchange = fc.constantFrom(...VENUES.slice(0, 2));
const event = fc
  .record({
    account: fc.constantFrom(ACCOUNT, OTHER_ACCOUNT),
    venue: exchange,
    sample: fc.constantFrom(FILLED, ACCEPTED, balanceChanged(7n), positionChanged()),
  })
  .map(({ account, venue, sample }): Step => ({ kind: 'event', envelope: { ...sample, account, venue } }));
const ask = fc
  .record(
    {
      topic: fc.constantFrom(...ACCOUNT_TOPICS),
      exchange,
      method: fc.constantFrom('subscribe', 'subscribe', 'unsubscribe'),
      // Numbers of the own feed, and numbers that only the feed of the other account has reached.
      resume_from: fc.nat(12),
      account: fc.constantFrom(ACCOUNT, OTHER_ACCOUNT),
      subaccount: fc.constantFrom(ACCOUNT, OTHER_ACCOUNT),
    },
    { requiredKeys: ['topic', 'exchange', 'method'] },
  )
  .map((message): Step => ({ kind: 'ask', message }));
const steps = fc.array(fc.oneof({ arbitrary: event, weight: 3 }, { arbitrary: ask, weight: 2 }), { maxLength: 25 });

/** All frames to `demo`, in a world with or without the events of the other account. */
async function framesOf(list: readonly Step[], hasOther: boolean): Promise<Frame[]> {
  const rig = await new StreamRig({}, { balances: snapshot, positions, timers: TIMERS }).listen();
  try {
    const clients = [await rig.connect('demo'), ...(hasOther ? [await rig.connect('other')] : [])];
    const [demo] = clients;
    const frames: Frame[] = [];
    for (const step of list) {
      if (step.kind === 'ask') for (const client of clients) client.send(step.message);
      else if (hasOther || step.envelope.account === ACCOUNT) publish(rig, step.envelope);
      frames.push(...((await demo?.settle()) ?? []));
    }
    return frames;
  } finally {
    rig.close();
  }
}

/** A different balance for each account. */
const snapshot: StreamDeps['balances'] = (account, _venue, answer) => {
  const total = (account === ACCOUNT ? 5n : 7n) as Amount;
  answer([{ asset: 'USDT', total, free: total }]);
};

/** Timers without intervals: frames that depend on the time would differ between the worlds. */
const TIMERS = { ...SYSTEM_TIMERS, every: () => () => undefined };

/** A different position for each account. */
const positions: StreamDeps['positions'] = (account, _venue, answer) => {
  const leverage = account === ACCOUNT ? 5 : 7;
  answer(openPositions([{ ...POSITION, leverage }], account));
};

function publish(rig: StreamRig, envelope: EventEnvelope): void {
  for (const topic of topicsOf(envelope.event)) rig.publish(topic, envelope);
}

describe('an account over the WebSocket', () => {
  it('gets the same frames, numbers and refusals with and without another account', async () => {
    await fc.assert(
      fc.asyncProperty(steps, async (list) => {
        expect(await framesOf(list, true)).toEqual(await framesOf(list, false));
      }),
      { numRuns: runs(30, 80) },
    );
  });

  it('gets the frames of its own events', async () => {
    const list: Step[] = [
      { kind: 'ask', message: { topic: 'trade', exchange: 'BINANCE', method: 'subscribe' } },
      { kind: 'event', envelope: { ...FILLED, account: OTHER_ACCOUNT } },
      { kind: 'event', envelope: FILLED },
    ];
    expect(await framesOf(list, true)).toMatchObject([{ code: 0 }, { topic: 'trade', seq: 1 }]);
  });
});
