import { describe, expect, it } from 'vitest';
import { AddressLimit, addressLimitAt } from '../../src/http/address-limit.js';
import { ADDRESS_BUDGETS_MAX } from '../../src/domain/limits/clients.js';
import { noRefusals } from '../../src/domain/rejection.js';
import { RunningServer } from './running-server.js';

const ipv4 = (bits: number): ArrayBuffer => {
  const address = new DataView(new ArrayBuffer(4));
  address.setUint32(0, bits);
  return address.buffer;
};
const TEN = 0x0a000001;

describe('AddressLimit', () => {
  it('has a budget for each address, which refills with time', () => {
    const refusals = noRefusals();
    const limit = new AddressLimit(2, refusals);
    const passes = (address: number, nowMs: number): boolean | undefined => limit.take(ipv4(address), nowMs)?.isWithin;
    for (let count = 0; count < 4; count += 1) expect(passes(TEN, 0)).toBe(true);
    expect(passes(TEN, 0)).toBe(false);
    expect(passes(TEN + 1, 0)).toBe(true);
    expect(passes(TEN, 499)).toBe(false);
    expect(passes(TEN, 500)).toBe(true);
    expect(refusals.address).toBe(2);
  });

  it('does not limit loopback addresses, because a proxy on this machine sends for all its clients', () => {
    const limit = new AddressLimit(1, noRefusals());
    for (let count = 0; count < 100; count += 1) expect(limit.take(ipv4(0x7f000001), 0)).toBeNull();
  });

  it('forgets the oldest address when it holds the maximum of addresses', () => {
    const limit = new AddressLimit(1, noRefusals());
    for (let index = 0; index < ADDRESS_BUDGETS_MAX; index += 1) limit.take(ipv4(TEN + index), 0);
    const remainingOf = (address: number): number | undefined => limit.take(ipv4(address), 0)?.remaining;
    expect(remainingOf(TEN + ADDRESS_BUDGETS_MAX)).toBe(1);
    expect(remainingOf(TEN + 1)).toBe(0);
    expect(remainingOf(TEN)).toBe(1);
  });

  it('is off at a rate of 0 and when the service listens on loopback only', () => {
    for (const host of ['127.0.0.1', '127.1.2.3', '::1', 'localhost']) {
      expect(addressLimitAt(host, 5, noRefusals())).toBeNull();
    }
    expect(addressLimitAt('0.0.0.0', 0, noRefusals())).toBeNull();
    for (const host of ['0.0.0.0', '::', '10.0.0.1', '127.example.org', 'sluice.example.org']) {
      expect(addressLimitAt(host, 5, noRefusals())).not.toBeNull();
    }
  });
});

describe('a server that limits addresses', () => {
  it('answers 429 before it reads key or body, and ignores address headers', async () => {
    const running = new RunningServer();
    const { refusals } = running;
    await running.start({ addressLimit: new AddressLimit(1, refusals, () => false) });
    const ask = (from: number): ReturnType<RunningServer['send']> => {
      const headers = { 'X-Forwarded-For': `10.0.0.${from}`, Forwarded: `for=10.0.0.${from}`, 'X-Real-IP': '10.0.0.9' };
      return running.send('POST', '/api/v2/trading/order/create', 'no JSON', headers);
    };
    expect([(await ask(1)).status, (await ask(2)).status]).toEqual([401, 401]);
    const refused = await ask(3);
    expect(refused.status).toBe(429);
    expect(refused.headers).toMatchObject({
      'retry-after': '1',
      'ratelimit-limit': '1',
      'ratelimit-remaining': '0',
      'ratelimit-reset': '2',
    });
    expect(JSON.parse(refused.text)).toMatchObject({ error_code: 'RATE_LIMIT_EXCEEDED' });
    expect((await running.send('GET', '/status/ping', '', {})).status).toBe(429);
    expect(refusals.address).toBe(2);
    running.monotonicMs = 1000;
    expect((await running.send('GET', '/status/ping', '', {})).status).toBe(200);
    await running.server.close();
  });
});
