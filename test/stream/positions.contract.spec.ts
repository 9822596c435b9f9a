import { Rejected } from '../../src/domain/rejection.js';
import { afterEach, describe, expect, it } from 'vitest';
import { POSITION_RISK_MS } from '../../src/domain/limits/clients.js';
import type { PositionState } from '../../src/domain/position.js';
import { SYSTEM_TIMERS } from '../../src/stream/port.js';
import { CLOSED, markedAt, openPositions, POSITION, positionChanged } from './sample-positions.js';
import { StreamRig, type Frame, type StreamClient } from './stream-rig.js';

const rigs: StreamRig[] = [];
afterEach(() => {
  for (const rig of rigs.splice(0)) rig.close();
});

/** Streams whose request for the risk of positions the test triggers. */
class RiskRig extends StreamRig {
  readonly look: () => void;

  constructor() {
    const looks: (() => void)[] = [];
    super(
      {},
      {
        timers: {
          ...SYSTEM_TIMERS,
          every: (intervalMs, run) => {
            if (intervalMs === POSITION_RISK_MS) looks.push(run);
            return () => undefined;
          },
        },
      },
    );
    this.look = () => looks.at(-1)?.();
    rigs.push(this);
  }

  async follow(topic: string, fields: Frame = {}): Promise<StreamClient> {
    const client = await this.connect();
    client.subscribe(topic, fields);
    expect(await client.next()).toMatchObject({ code: 0 });
    return client;
  }

  /** The exchange answers its first question. */
  answer(...positions: PositionState[]): void {
    this.positionQueries.shift()?.(openPositions(positions));
  }
}

/** The members of a frame that these tests compare. */
function gist(frame: Frame): unknown[] {
  const figures = (frame['position_risk'] ?? frame) as { contracts: number; mark_price: number };
  return [frame['snapshot'] ?? false, frame['seq'], figures.contracts, figures.mark_price];
}

describe.each(['position', 'position_risk'] as const)('%s', (topic) => {
  it('starts with a snapshot of the open positions, then sends the changes since', async () => {
    const rig = await new RiskRig().listen();
    rig.publish(topic, positionChanged());
    const client = await rig.follow(topic);
    rig.publish(topic, positionChanged(CLOSED));
    expect(await client.settle()).toEqual([]);
    rig.answer(POSITION, CLOSED);
    rig.publish(topic, positionChanged());
    expect((await client.take(3)).map(gist)).toEqual([
      [true, 1, 0.003, 6_100.05],
      [false, 2, 0, 6_100.05],
      [false, 3, 0.003, 6_100.05],
    ]);
  });

  it('resumes without a snapshot', async () => {
    const rig = await new RiskRig().listen();
    rig.publish(topic, positionChanged());
    const client = await rig.follow(topic, { resume_from: 0 });
    expect(gist(await client.next())).toEqual([false, 1, 0.003, 6_100.05]);
    expect(rig.positionQueries).toEqual([]);
  });

  it('ends with 7001 when the exchange does not answer', async () => {
    const rig = await new RiskRig().listen();
    const client = await rig.follow(topic);
    rig.positionQueries[0]?.(new Rejected({ code: 'EXCHANGE_NOT_AVAILABLE', message: 'BINANCE is down' }));
    expect(await client.next()).toMatchObject({ code: 7001 });
  });
});

describe('position_risk while mark prices move', () => {
  it('sends each open position again when its value changes, without a new number', async () => {
    const rig = await new RiskRig().listen();
    const client = await rig.follow('position_risk');
    rig.answer(POSITION);
    expect((await client.settle()).map(gist)).toEqual([[true, 0, 0.003, 6_100.05]]);
    for (const price of [610_100, 610_100, 610_200]) {
      rig.look();
      rig.answer(markedAt(price));
    }
    rig.publish('position_risk', positionChanged());
    expect((await client.settle()).map(gist)).toEqual([
      [true, 0, 0.003, 6_101],
      [true, 0, 0.003, 6_102],
      [false, 1, 0.003, 6_100.05],
    ]);
  });

  it('drops an answer that a numbered frame has overtaken', async () => {
    const rig = await new RiskRig().listen();
    const client = await rig.follow('position_risk', { resume_from: 0 });
    rig.look();
    rig.publish('position_risk', positionChanged(CLOSED));
    rig.answer(POSITION);
    expect((await client.settle()).map(gist)).toEqual([[false, 1, 0, 6_100.05]]);
  });

  it('sends no request without subscribers or positions, or while a request is open', async () => {
    const rig = await new RiskRig().listen();
    rig.look();
    const client = await rig.follow('position_risk', { resume_from: 0 });
    rig.look();
    rig.look();
    expect(rig.positionQueries).toHaveLength(1);
    rig.answer();
    rig.look();
    expect(rig.positionQueries).toHaveLength(0);
    rig.publish('position_risk', positionChanged());
    rig.look();
    expect(rig.positionQueries).toHaveLength(1);
    rig.answer(POSITION);
    client.send({ topic: 'position_risk', exchange: 'BINANCE', method: 'unsubscribe' });
    await client.settle();
    rig.look();
    expect(rig.positionQueries).toHaveLength(0);
  });

  it('sends the request again a second later when the exchange did not answer', async () => {
    const rig = await new RiskRig().listen();
    const client = await rig.follow('position_risk', { resume_from: 0 });
    rig.look();
    rig.positionQueries.shift()?.(new Rejected({ code: 'EXCHANGE_NOT_AVAILABLE', message: 'BINANCE is down' }));
    rig.look();
    rig.answer(POSITION);
    expect((await client.settle()).map(gist)).toEqual([[true, 0, 0.003, 6_100.05]]);
  });

  it('sends no snapshot on topic position', async () => {
    const rig = await new RiskRig().listen();
    const client = await rig.follow('position');
    rig.answer(POSITION);
    await client.settle();
    rig.look();
    expect([rig.positionQueries.length, await client.settle()]).toEqual([0, []]);
  });
});
