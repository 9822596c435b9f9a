import { afterEach, describe, expect, it } from 'vitest';
import { WS_CLOSED_CANDLES_WAITING_MAX } from '../../src/domain/limits/clients.js';
import type { StreamDeps } from '../../src/stream/port.js';
import { type StreamClient, StreamRig } from './stream-rig.js';

const rigs: StreamRig[] = [];
afterEach(() => {
  for (const rig of rigs.splice(0)) rig.close();
});

async function started(settings: Partial<StreamDeps['settings']> = {}): Promise<[StreamRig, StreamClient]> {
  const rig = await new StreamRig(settings).listen();
  rigs.push(rig);
  return [rig, await rig.connect()];
}

const SPOT = { symbol: 'BTC/USDT' };
const FUTURE = { symbol: 'BTC/USDT:USDT' };

describe('ohlcv and open_interest', () => {
  it('acknowledge a subscription before they send frames', async () => {
    const [rig, client] = await started();
    client.subscribe('ohlcv', SPOT);
    client.subscribe('open_interest', FUTURE);
    await client.take(2);
    rig.feeds.candle({ close: 101 });
    rig.feeds.openInterest(250_000);
    expect(await client.take(2)).toMatchObject([
      { topic: 'ohlcv', interval: 'ONE_MINUTE', close: 1.01, closed: false },
      { topic: 'open_interest', open_interest: 2.5, open_interest_value: 160_000 },
    ]);
  });

  it('acknowledge a duplicate subscription without doubling its frames', async () => {
    const [rig, client] = await started();
    client.subscribe('ohlcv', SPOT);
    client.subscribe('ohlcv', { ...SPOT, interval: 'ONE_MINUTE' });
    expect(await client.take(2)).toMatchObject([{ code: 0 }, { code: 0 }]);
    rig.feeds.candle({ isClosed: true });
    expect(await client.settle()).toHaveLength(1);
  });

  it('replace the interval of an earlier subscription', async () => {
    const [rig, client] = await started({ marketDataCap: 1 });
    client.subscribe('ohlcv', SPOT);
    client.subscribe('ohlcv', { ...SPOT, interval: 'ONE_HOUR' });
    expect(await client.take(2)).toMatchObject([{ code: 0 }, { code: 0 }]);
    expect(rig.feeds.followed).toEqual(['candles/0/ONE_HOUR']);
  });

  it('end by unsubscribe and with the connection', async () => {
    const [rig, client] = await started();
    client.subscribe('ohlcv', { ...SPOT, interval: 'ONE_DAY' });
    client.subscribe('open_interest', FUTURE);
    client.send({ topic: 'ohlcv', exchange: 'BINANCE', method: 'unsubscribe', ...SPOT });
    client.send({ topic: 'ohlcv', exchange: 'BINANCE', method: 'unsubscribe', ...SPOT });
    expect(await client.take(4)).toMatchObject([{ code: 0 }, { code: 0 }, { code: 0 }, { code: 0 }]);
    expect(rig.feeds.followed).toEqual(['openInterest/2/']);
    client.socket.close();
    await client.closed;
    expect(rig.feeds.followed).toEqual([]);
  });

  it('count together with ticker towards the maximum of subscriptions', async () => {
    const [rig, client] = await started({ marketDataCap: 2 });
    client.subscribe('ohlcv', SPOT);
    client.subscribe('open_interest', FUTURE);
    client.subscribe('ticker', SPOT);
    client.subscribe('ohlcv', FUTURE);
    expect((await client.take(4)).map(({ code }) => code)).toEqual([0, 0, 7002, 7002]);
    expect(rig.refusals.stream_subscriptions).toBe(2);
    client.send({ topic: 'open_interest', exchange: 'BINANCE', method: 'unsubscribe', ...FUTURE });
    client.subscribe('ticker', SPOT);
    expect((await client.take(3)).map(({ code, topic }) => code ?? topic)).toEqual([0, 0, 'ticker']);
  });

  it('are refused when market data is disabled', async () => {
    const [, client] = await started({ marketDataCap: 0 });
    client.subscribe('ohlcv', SPOT);
    client.subscribe('open_interest', FUTURE);
    const refusal = { code: 7002, message: 'market data topics are not enabled' };
    expect(await client.take(2)).toEqual([refusal, refusal]);
  });

  it('have no gap for a client that stops reading for a while', async () => {
    const [rig, client] = await started();
    client.subscribe('ohlcv', SPOT);
    await client.next();
    client.stall();
    for (let minute = 0; minute < WS_CLOSED_CANDLES_WAITING_MAX; minute += 1)
      rig.feeds.candle({ minute, isClosed: true });
    client.resume();
    const frames = await client.take(WS_CLOSED_CANDLES_WAITING_MAX);
    expect(frames.map((frame) => frame['open_time'])).toEqual(frames.map((_, minute) => minute * 60_000));
  });

  it('end with 1013 for a client that never reads', async () => {
    const [rig, client] = await started();
    client.subscribe('ohlcv', SPOT);
    await client.next();
    client.stall();
    let minute = 0;
    while (rig.feeds.followed.length > 0 && minute < 1_000_000) {
      for (let k = 0; k < 100; k += 1) rig.feeds.candle({ minute: (minute += 1), isClosed: true });
      await new Promise(setImmediate);
    }
    client.resume();
    expect(await client.closed).toMatchObject({ code: 1013 });
    expect(client.frames.map((frame) => frame['open_time'])).toEqual(client.frames.map((_, k) => (k + 1) * 60_000));
  });
});
