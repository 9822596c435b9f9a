import { describe, expect, it } from 'vitest';
import type { Transport } from '../../src/client/transport.js';
import { HealthProbe, livenessNotice, ServerClock, skewNotice } from '../../src/console/network/service-health.js';
import { STARTED_MS } from './orders.js';

const HALT = { reason: 'KILL_SWITCH', since: STARTED_MS, message: 'an operator halted trading', exempt_count: 0 };

const RELEASED = { service: { engaged: false }, account_count: 0 };

/** A probe of a service with this state of trading, which the test may change. */
function probeOf(trading: { state: string; halts: object[]; kill_switches: object }): HealthProbe {
  const answers: Readonly<Record<string, () => object>> = {
    '/status/ping': () => ({ time: STARTED_MS }),
    '/status/health': () => ({ status: 'ok', version: '1.2.3', detail: 'fine', trading }),
    '/status/ready': () => ({}),
  };
  const transport: Transport = {
    ask: ({ target }) => {
      const body = JSON.stringify(answers[target]?.());
      return Promise.resolve({ status: 200, body, requestId: null, retryAfterMs: null });
    },
    close: () => undefined,
  };
  return new HealthProbe(transport, new ServerClock(), () => STARTED_MS);
}

it('knows the release of the service', async () => {
  const probe = probeOf({ state: 'OPEN', halts: [], kill_switches: RELEASED });
  expect(probe.version).toBeNull();
  await probe.probe();
  expect(probe.version).toBe('1.2.3');
});

describe('the banner of a trading halt', () => {
  it('names every halt while trading is halted and disappears when trading resumes', async () => {
    const halts: object[] = [HALT, { ...HALT, message: 'the data are restored' }];
    const trading = { state: 'HALTED', halts, kill_switches: RELEASED };
    const probe = probeOf(trading);
    expect(probe.halt).toBeNull();
    await probe.probe();
    expect(probe.halt).toBe('TRADING HALTED: an operator halted trading; the data are restored');
    expect(probe.notice).toEqual({ text: 'Trading halted', tone: 'bad', hint: 'fine' });
    halts.length = 0;
    trading.state = 'OPEN';
    await probe.probe();
    expect(probe.halt).toBeNull();
    expect(probe.notice).toMatchObject({ text: 'Ready', tone: 'good' });
  });

  it('appears with the kill switch of the whole service', async () => {
    const switches = { service: { engaged: true, scope: 'SERVICE' }, account_count: 1 };
    const probe = probeOf({ state: 'HALTED', halts: [], kill_switches: switches });
    await probe.probe();
    expect(probe.halt).toBe('TRADING HALTED: the kill switch of the whole service is engaged');
    expect(probe.notice).toMatchObject({ text: 'Trading halted', tone: 'bad' });
  });

  it('is absent with the kill switch of another account, and the state of the service warns', async () => {
    const switches = { service: { engaged: false }, account_count: 1 };
    const probe = probeOf({ state: 'PARTLY_HALTED', halts: [], kill_switches: switches });
    await probe.probe();
    expect(probe.halt).toBeNull();
    expect(probe.notice).toEqual({ text: 'Some accounts halted', tone: 'warning', hint: 'fine' });
  });
});

describe('the clock of the service', () => {
  it('gives its skew, real time, and service time at its speed', () => {
    const clock = new ServerClock();
    expect([clock.skewMs, clock.serviceMs(5)]).toEqual([null, 5]);
    expect(skewNotice(clock.skewMs).text).toBe('–');
    clock.update({ status: 'ok', timestamp: 1_500, service_time: 10_000 }, 990, 1_010);
    expect([clock.skewMs, clock.realMs(2_000), clock.serviceMs(1_100)]).toEqual([500, 2_500, 10_100]);
    clock.update({ status: 'ok', timestamp: 2_500, service_time: 70_000 }, 1_990, 2_010);
    expect(clock.serviceMs(2_100)).toBe(76_000);
  });
});

describe('the liveness of the page', () => {
  it('names the time since when the page is stale', () => {
    const stale = { state: 'STALE', sinceMs: STARTED_MS, why: 'lost' } as const;
    expect(livenessNotice(stale, STARTED_MS + 75_000)).toEqual({
      text: 'Stale since 08:00:00 UTC (1m 15s)',
      tone: 'bad',
      hint: 'lost',
    });
    expect(livenessNotice({ state: 'LIVE' }, 0).tone).toBe('good');
  });
});
