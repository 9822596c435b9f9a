import { describe, expect, it } from 'vitest';
import { HealthProbe } from '../../src/console/health-probe.js';
import { ServiceClock } from '../../src/console/service-clock.js';
import { STARTED_MS } from './orders.js';

const HALT = { reason: 'KILL_SWITCH', since: STARTED_MS, message: 'an operator halted trading', exempt_count: 0 };

/** A probe of a service with these halts, which can change. */
function probeOf(halts: object[]): HealthProbe {
  const answers: Readonly<Record<string, () => object>> = {
    '/status/ping': () => ({ time: STARTED_MS }),
    '/status/health': () => ({ status: 'ok', detail: 'fine', trading: { state: 'OPEN', halts } }),
    '/status/ready': () => ({}),
  };
  const ask = (path: string) => Promise.resolve({ status: 200, text: JSON.stringify(answers[path]?.()) });
  return new HealthProbe(ask, new ServiceClock(), () => STARTED_MS);
}

describe('the banner of a trading halt', () => {
  it('names every halt while trading is halted, and goes when trading resumes', async () => {
    const halts: object[] = [HALT, { ...HALT, message: 'the data are restored' }];
    const probe = probeOf(halts);
    expect(probe.halt).toBeNull();
    await probe.look();
    expect(probe.halt).toBe('TRADING HALTED: an operator halted trading; the data are restored');
    halts.length = 0;
    await probe.look();
    expect(probe.halt).toBeNull();
  });
});
