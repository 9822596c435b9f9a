import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, type TestContext } from 'vitest';
import type { SluiceClient } from '../../src/client/index.js';
import { eventually } from './eventually.js';
import { marketOrder } from './sample-orders.js';
import { statusOf, type ServiceRun } from './service-run.js';
import { ShiftedClock } from './shifted-clock.js';
import { newSite, type Key, type Site } from './site.js';
import { expectSound } from './soundness.js';

const HOUR_MS = 3_600_000;
const FOUR_DAYS_MS = 96 * HOUR_MS;
const NAME = 'once';
/** Time between two readings on a busy machine. */
const SLACK_MS = 30_000;

/** A service and its client under a wall clock that the test shifts. */
class ShiftedService {
  readonly site: Site;
  readonly wall: ShiftedClock;
  #key: Key | null = null;

  constructor(test: Pick<TestContext, 'onTestFinished'>) {
    this.site = newSite(test);
    this.wall = new ShiftedClock(this.site);
  }

  start(env: Readonly<Record<string, string>> = {}): ServiceRun {
    return this.site.start(this.wall.options(env));
  }

  async client(run: ServiceRun): Promise<SluiceClient> {
    const port = await run.ready();
    this.#key ??= await this.site.issueKey();
    return this.site.client(port, this.#key, 4, () => this.wall.nowMs());
  }

  /** The environment that confirms the time of the wall clock. */
  confirmation(): Record<string, string> {
    return { SLUICE_CLOCK_CONFIRM: new Date(this.wall.nowMs()).toISOString() };
  }
}

/** Creates the order of one client_order_id, or gets the existing one. Resolves when it is filled. */
async function filledOrder(client: SluiceClient): Promise<number> {
  const { order_id: orderId } = await client.create(marketOrder(NAME));
  await eventually(
    () => client.byId({ orderIds: [orderId as number] }),
    ([order]) => order?.status === 'FILLED',
  );
  return orderId as number;
}

// These wait for starts and ends of the service most of the time.
describe.concurrent('a wall clock that is four days off at the start', () => {
  it('refuses the start, and one name still names one order; a confirmed start leaves service time where it was', async (test) => {
    const service = new ShiftedService(test);
    const first = service.start();
    const orderId = await filledOrder(await service.client(first));
    await first.stop();

    for (const [shiftMs, word] of [
      [FOUR_DAYS_MS, 'later'],
      [-FOUR_DAYS_MS, 'earlier'],
    ] as const) {
      service.wall.shift(shiftMs);
      const refused = service.start();
      expect(await refused.ended, refused.output).toEqual({ status: 2, signal: null });
      const shown = new Date(service.wall.nowMs()).toISOString().slice(0, 13);
      expect(refused.output).toContain(`the wall clock shows ${shown}`);
      expect(refused.output).toContain(`4 days ${word} than ${new Date().toISOString().slice(0, 10)}`);
      expect(refused.output).toContain('the bound is 5 minutes');
      expect(refused.output).toContain('SLUICE_CLOCK_CONFIRM=');

      const mistaken = service.start({ SLUICE_CLOCK_CONFIRM: new Date().toISOString() });
      expect((await mistaken.ended).status, mistaken.output).toBe(2);
    }

    service.wall.shift(0);
    const second = service.start();
    const client = await service.client(second);
    expect(await filledOrder(client)).toBe(orderId);
    const { timestamp, service_time: serviceTime } = await client.ping();
    expect(Math.abs(serviceTime - timestamp)).toBeLessThan(1_100);
    await second.stop();
    await expectSound(service.site.dataDir);

    // A start that is confirmed leaves service time where it was, and slews it.
    service.wall.shift(FOUR_DAYS_MS);
    const third = service.start(service.confirmation());
    const confirmed = await service.client(third);
    expect(await filledOrder(confirmed)).toBe(orderId);
    const { service_time: slewedTime, clock } = await confirmed.health();
    expect(Math.abs(slewedTime - Date.now())).toBeLessThan(SLACK_MS);
    expect(Math.abs(clock.error_ms + FOUR_DAYS_MS)).toBeLessThan(SLACK_MS);
    expect(clock.pace).toBe(1.25);
    await third.stop();

    // The next start needs no confirmation, and one order still has the name.
    const fourth = service.start();
    expect(await filledOrder(await service.client(fourth))).toBe(orderId);
    await fourth.stop();
    await expectSound(service.site.dataDir);
  });

  it('runs service time slower after the clock was corrected, and never back', async (test) => {
    const service = new ShiftedService(test);
    service.wall.shift(FOUR_DAYS_MS);
    const wrong = service.start();
    const wrongClient = await service.client(wrong);
    const orderId = await filledOrder(wrongClient);
    const { service_time: wrongTime } = await wrongClient.ping();
    await wrong.kill();

    service.wall.shift(0);
    const refused = service.start();
    expect((await refused.ended).status, refused.output).toBe(2);

    let lastMs = wrongTime;
    for (const env of [service.confirmation(), {}]) {
      const run = service.start(env);
      const client = await service.client(run);
      expect(await filledOrder(client)).toBe(orderId);
      const { service_time: serviceTime, clock } = await client.health();
      expect(serviceTime).toBeGreaterThanOrEqual(lastMs);
      expect(serviceTime - lastMs).toBeLessThan(SLACK_MS);
      expect(clock.pace).toBe(0.5);
      expect(Math.abs(clock.error_ms - FOUR_DAYS_MS)).toBeLessThan(SLACK_MS);
      lastMs = serviceTime;
      await run.stop();
    }
    await expectSound(service.site.dataDir);
  });
});

describe.concurrent('a step of the wall clock while the service runs', () => {
  it('moves no service time, follows signatures, is shown, and keeps names', async (test) => {
    const service = new ShiftedService(test);
    let run = service.start();
    let client = await service.client(run);
    const orderId = await filledOrder(client);
    let lastMs = (await client.ping()).service_time;
    let lastRealMs = performance.now();
    for (const shiftMs of [HOUR_MS, -HOUR_MS, FOUR_DAYS_MS, 0]) {
      service.wall.shift(shiftMs);
      const steps = async (): Promise<number> => (await client.health()).clock.wall_steps;
      const before = await steps();
      await eventually(steps, (count) => count > before);
      expect(await filledOrder(client)).toBe(orderId);
      const { timestamp, service_time: serviceTime } = await client.ping();
      const realMs = performance.now();
      expect(Math.abs(timestamp - service.wall.nowMs())).toBeLessThan(SLACK_MS);
      expect(serviceTime).toBeGreaterThanOrEqual(lastMs);
      expect(serviceTime - lastMs).toBeLessThan(1.25 * (realMs - lastRealMs) + 100);
      [lastMs, lastRealMs] = [serviceTime, realMs];
    }
    const metrics = await (await fetch(`http://127.0.0.1:${await run.listening()}/metrics`)).text();
    expect(metrics).toMatch(/\nsluice_clock_steps_total 4\n/);
    expect(metrics).toMatch(/\nsluice_clock_error_seconds -?[\d.]+\n/);
    expect(run.output).toContain('the wall clock was put forward by 60 minutes');
    expect(run.output).toContain('the wall clock was put back by 2 hours');
    await run.stop();

    run = service.start();
    client = await service.client(run);
    expect(await filledOrder(client)).toBe(orderId);
    await run.stop();
    await expectSound(service.site.dataDir);
  });
});

describe.concurrent('a change of SLUICE_SIM_SPEED between starts', () => {
  it('is no fault of the clock, after a clean end and after SIGKILL', async (test) => {
    const service = new ShiftedService(test);
    let lastMs = 0;
    for (const [index, speed] of ['300', '300', '1', '0.5', '1'].entries()) {
      const run = service.start({ SLUICE_SIM_SPEED: speed });
      const client = await service.client(run);
      await client.create(marketOrder());
      // A slow start leaves service time a little behind: it catches up first.
      const { service_time: serviceTime, clock } = await eventually(
        () => client.health(),
        (health) => health.clock.pace === Number(speed),
      );
      expect(serviceTime, run.output).toBeGreaterThanOrEqual(lastMs);
      expect(Math.abs(clock.error_ms)).toBeLessThan(1_000);
      lastMs = serviceTime;
      if (index % 2 === 0) await run.kill();
      else await run.stop();
    }
    expect(lastMs - Date.now()).toBeGreaterThan(60_000);
  });
});

describe.concurrent('a data directory of another release', () => {
  it('is judged by its journal when it has no stored clocks', async (test) => {
    const service = new ShiftedService(test);
    const first = service.start();
    const orderId = await filledOrder(await service.client(first));
    await first.stop();
    rmSync(join(service.site.dataDir, 'clock'));
    service.wall.shift(FOUR_DAYS_MS);
    const refused = service.start();
    expect((await refused.ended).status, refused.output).toBe(2);
    expect(refused.output).not.toContain('listening');
    service.wall.shift(0);
    const second = service.start();
    expect(await filledOrder(await service.client(second))).toBe(orderId);
    expect(await statusOf(await second.listening(), '/status/ready')).toBe(200);
    await second.stop();
  });
});
