import { describe, expect, it } from 'vitest';
import { silenceBounds } from '../../src/runtime/silence-bounds.js';
import { eventually } from './eventually.js';
import { MortalThreads } from './mortal-threads.js';
import { marketOrder } from './sample-orders.js';
import { statusOf, type LogLine, type ServiceRun } from './service-run.js';
import { newSite } from './site.js';
import { expectSound } from './soundness.js';

const FATAL = 60;
/**
 * SLUICE_HANG_S of each test. Between the report of a silent thread and its end the test looks at the service: the
 * thread hangs again after each start, and the process would end after four of its ends in a minute.
 */
const HANG_S = 5;
const WATCHED_HANG_S = 8;
/** Longer than the bound of each thread, except the keeper. */
const STOPPED_MS = silenceBounds(HANG_S * 1000).main.maxMs + 1_500;

function linesOf(run: ServiceRun, message: string, thread: string): LogLine[] {
  return run.lines.filter((line) => line['msg'] === message && line['thread'] === thread);
}

/** What the metrics say of each thread: seconds since its last heartbeat. */
async function silencesS(port: number): Promise<ReadonlyMap<string, number>> {
  const metrics = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
  const found = metrics.matchAll(/\nsluice_thread_silence_seconds\{thread="(.+)"\} (.+)/g);
  return new Map([...found].map(([, thread, seconds]) => [thread!, Number(seconds)]));
}

// These tests wait for the bounds of the watchdog most of the time, so they run concurrently.
describe.concurrent('a thread that hangs', () => {
  // The keeper has three times the bound of most threads.
  it.for([
    ['venue', WATCHED_HANG_S],
    ['keeper', HANG_S],
    ['watchdog', WATCHED_HANG_S],
    ['shard-0', WATCHED_HANG_S],
  ] as const)(
    'makes the service not ready, is logged and shown, and %s is started again',
    async ([thread, hangS], test) => {
      const bounds = silenceBounds(hangS * 1000);
      const { warningMs } = thread === 'keeper' ? bounds.keeper : bounds.thread;
      const site = newSite(test);
      const key = await site.issueKey();
      const threads = new MortalThreads(site);
      const run = site.start(threads.options({ SLUICE_HANG_S: String(hangS) }));
      const port = await run.ready();
      const client = site.client(port, key);

      threads.doom(thread, 'hang');
      await run.until(() => linesOf(run, 'a thread does not move', thread).length > 0, `it reports ${thread}`);
      // The next thread hangs as well, so a test that was slow to look sees the same again.
      await eventually(
        () => statusOf(port, '/status/ready'),
        (status) => status === 503,
      );
      await eventually(
        async () => (await client.health()).detail,
        (detail) => detail === `${thread} does not move`,
      );
      await eventually(
        async () => (await silencesS(port)).get(thread) ?? 0,
        (seconds) => seconds >= warningMs / 1000,
      );

      await run.until(() => linesOf(run, 'thread died', thread).length > 0, `it terminates ${thread}`);
      threads.spare(thread, 'hang');
      expect(linesOf(run, 'thread died', thread)[0]?.['reason']).toMatch(/has made no turn for \d+ s/);
      await eventually(
        () => statusOf(port, '/status/ready'),
        (status) => status === 200,
      );
      const { order_id: orderId } = await client.create(marketOrder());
      await eventually(
        () => client.byId({ orderIds: [orderId as number] }),
        ([order]) => order?.status === 'FILLED',
      );
      expect((await run.stop()).status).toBe(0);
      await expectSound(site.dataDir);
    },
  );

  it('ends the process when it is the main thread, and the watchdog logs the reason', async (test) => {
    const site = newSite(test);
    const threads = new MortalThreads(site);
    const run = site.start(threads.options({ SLUICE_HANG_S: String(HANG_S) }));
    await run.ready();
    threads.doom('main', 'hang');
    expect(await run.ended, run.output).toEqual({ status: null, signal: 'SIGKILL' });
    expect(linesOf(run, 'the main thread does not move', 'watchdog')).toHaveLength(1);
    const last = run.lines.find(({ level }) => level === FATAL);
    expect(last?.['reason']).toMatch(/^the main thread has made no turn for \d+ s$/);
  });
});

describe.concurrent('a thread of the journal that hangs', () => {
  it.for(['journal', 'projector'])(
    'ends the process when it is %s: only a new start can continue its work',
    async (thread, test) => {
      const site = newSite(test);
      const threads = new MortalThreads(site);
      const run = site.start(threads.options({ SLUICE_HANG_S: String(HANG_S) }));
      await run.ready();
      threads.doom(thread, 'hang');
      expect(await run.ended, run.output).toEqual({ status: null, signal: 'SIGKILL' });
      const last = run.lines.findLast(({ level }) => level === FATAL);
      expect(last?.['reason']).toMatch(new RegExp(`^${thread} has made no turn for \\d+ s`));
    },
  );
});

describe.concurrent('a process that is stopped for longer than any bound', () => {
  it('continues after SIGCONT, and no thread is reported', async (test) => {
    const site = newSite(test);
    const run = site.start({ env: { SLUICE_HANG_S: String(HANG_S) } });
    const port = await run.ready();
    run.signal('SIGSTOP');
    await new Promise((resolve) => setTimeout(resolve, STOPPED_MS));
    run.signal('SIGCONT');
    // The check of the threads was due before. So it comes between these two answers.
    await eventually(
      () => statusOf(port, '/status/ready'),
      (status) => status === 200,
    );
    await eventually(
      async () => [...(await silencesS(port)).values()],
      (seconds) => seconds.length > 0 && Math.max(...seconds) < 2,
    );
    expect((await run.stop()).status).toBe(0);
    expect(run.lines.filter(({ level }) => Number(level) >= 50)).toEqual([]);
  });
});
