import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { operate } from '../../src/admin/admin-client.js';
import type { SluiceClient } from '../../src/client/index.js';
import { eventually } from '../system/eventually.js';
import { ownPort } from '../system/own-port.js';
import { MortalThreads } from '../system/mortal-threads.js';
import { marketOrder, twapOrder } from '../system/sample-orders.js';
import type { ServiceRun } from '../system/service-run.js';
import { ShiftedClock } from '../system/shifted-clock.js';
import { type Key, Site } from '../system/site.js';
import { mustRun, PROMETHEUS } from './packages.js';
import { type FiringAlert, PrometheusRun } from './prometheus-run.js';
import { type Fault, ReplayedMetrics, set } from './replayed-metrics.js';
import { alertNames, rulesInSeconds } from './rule-file.js';

/*
 * A Prometheus with the rules in windows of seconds scrapes three services. Each alert fires for its own instance: for
 * a service in the state of the alert, or for a replay of the metrics of a service with that state in it.
 */

/** States that a test cannot cause within seconds. The instance has the name of the alert. */
const REPLAYED: Readonly<Record<string, Fault>> = {
  SluiceAccountHalted: (text) => `${text}\nsluice_account_halted{account="desk"} 1\n`,
  SluiceAccountOrders: (text) =>
    `${set('sluice_account_open_orders_limit', 2_000)(text, 0)}\nsluice_account_open_orders{account="desk"} 1900\n`,
  SluiceAccountWrites: (text) => `${text}\nsluice_account_journal_bytes_per_second{account="desk"} 5e6\n`,
  SluiceDescriptorsLow: set('process_open_fds', 1e9),
  SluiceRestoreWaiting: set('sluice_reconciliation_waiting_orders', 3),
  SluiceOrderOverfilled: (text, scrapes) =>
    set('sluice_contradictory_reports_total{kind="ORDER_OVERFILL"}', scrapes)(text, scrapes),
  SluiceRestoreOrphans: set('sluice_restore_open_orphans', 1),
  SluiceLiveAccountDown: (text) => `${text}\nsluice_live_accounts_down{venue="OKX"} 1\n`,
  SluiceVenueBanned: (text) => `${text}\nsluice_venue_ban_seconds{venue="BINANCE"} 120\n`,
  SluiceVenueThrottled: (text, scrapes) =>
    `${text}\nsluice_venue_requests_refused_total{venue="OKX",class="RESTING"} ${scrapes}\n`,
  SluiceJournalSilent: set('sluice_thread_silence_seconds{thread="journal"}', 4),
  SluiceJournalLag: set('sluice_journal_lag_events', 50_000),
  SluiceDiskLow: set('sluice_disk_free_bytes', 1.5e9),
  SluiceDiskFilling: (text, scrapes) => set('sluice_disk_free_bytes', 80e9 - scrapes * 1e7)(text, scrapes),
  SluiceQueueFilling: set('sluice_ring_used_ratio{ring="commands",thread="shard-0"}', 0.75),
  SluiceOrderEntrySlow: (text, scrapes) =>
    [0.25, 0.5, '+Inf'].reduce<string>((all, le) => {
      const labels = `route="/api/v2/ws/trade order.create",le="${le}"`;
      return `${all}\nsluice_http_request_duration_seconds_bucket{${labels}} ${le === 0.25 ? 0 : scrapes}\n`;
    }, text),
  SluiceOrdersFailing: (text, scrapes) =>
    `${text}\nsluice_orders_ended_total{status="EXPIRED",code="EXPIRY_REACHED"} ${scrapes}\n`,
  SluiceChildrenRefused: (text, scrapes) =>
    `${text}\nsluice_child_refusals_total{venue="OKX",code="INVALID_PARAM"} ${scrapes}\n` +
    `sluice_child_acknowledge_seconds_count{venue="OKX"} ${scrapes}\n`,
  SluiceScheduleLag: allAbove('sluice_schedule_lag_ratio', 'strategy="TWAP"', 0.2),
  SluiceChildrenUnknownLong: set('sluice_unknown_children{venue="OKX",age="120"}', 2),
  SluiceAcknowledgeSlow: allAbove('sluice_child_acknowledge_seconds', 'venue="OKX"', 30),
  SluiceKeyExpiring: (text) => `${text}\nsluice_key_expiry_timestamp_seconds{kind="exchange"} ${Date.now() / 1000}\n`,
  SluiceBackupOld: (text, scrapes) =>
    set('process_start_time_seconds', 1)(set('sluice_last_backup_timestamp_seconds', 1)(text, scrapes), scrapes),
};
/** Counts of a histogram whose values are all above `end`, the upper bound of its second last bucket. */
function allAbove(name: string, labels: string, end: number): Fault {
  return (text, scrapes) => {
    const bucket = (le: string, count: number): string => `${name}_bucket{${labels},le="${le}"} ${count}`;
    const counts = [bucket(String(end), 0), bucket('+Inf', scrapes), `${name}_count{${labels}} ${scrapes}`];
    return `${text}\n${counts.join('\n')}\n`;
  };
}

/** Alerts that each real service causes. */
const OF_EXCHANGES = [
  'SluiceKillSwitchEngaged',
  'SluiceOrdersQuarantined',
  'SluiceContradictoryReports',
  'SluiceChildrenUnknown',
  'SluiceVenueLinkDown',
  'SluiceClockStep',
  'SluiceClockWrong',
];
const OF_THREADS = [
  'SluiceTradingHalted',
  'SluiceBusy',
  'SluiceNotReady',
  'SluiceShardDown',
  'SluiceWorkerRestarted',
  'SluiceVenueThreadDown',
  'SluiceThreadSilent',
];
const OF_WELL = ['SluiceOrdersRefused', 'SluiceDown', 'SluiceRestarted'];

/** Alerts that other work on the machine may cause: a late scrape, or a disk that other tests fill. */
const OF_MACHINE = new Set(['SluiceDown', 'SluiceDiskLow', 'SluiceDiskFilling']);

const EXCHANGE_FAULTS = [
  { fault: 'unsent', account: 'unknown' },
  { fault: 'overfill', account: 'sick' },
  { fault: 'disconnect', venue: 'OKX', fromMs: 0, untilMs: 86_400_000 },
];
const SPEED = 20;
const CLOCK_STEP_MS = 20_000;

it('has each alert of the rule file', () => {
  const tested = [...Object.keys(REPLAYED), ...OF_EXCHANGES, ...OF_THREADS, ...OF_WELL];
  expect(tested.toSorted()).toEqual(alertNames().toSorted());
});

describe.runIf(mustRun('the test of alerts in Prometheus', PROMETHEUS))('alerts in a running Prometheus', () => {
  // Made in the hook: a skipped suite has no hook that removes their folders.
  const sites: Site[] = [];
  let wellSite: Site;
  let exchangeSite: Site;
  let threadSite: Site;
  let clock: ShiftedClock;
  let threads: MortalThreads;
  const keys = new Map<string, Key>();
  /** Alerts that have fired, as INSTANCE NAME. They stay here after their end. */
  const fired = new Map<string, FiringAlert>();
  let well: ServiceRun;
  let wellPort: number;
  let exchangePort: number;
  let threadPort: number;
  let replay: ReplayedMetrics;
  let prometheus: PrometheusRun;

  beforeAll(async () => {
    [wellSite, exchangeSite, threadSite] = [new Site(), new Site(), new Site()];
    sites.push(wellSite, exchangeSite, threadSite);
    clock = new ShiftedClock(exchangeSite);
    threads = new MortalThreads(threadSite);
    for (const account of ['unknown', 'sick', 'stopped']) keys.set(account, await exchangeSite.issueKey(account));
    keys.set('well', await wellSite.issueKey());
    keys.set('busy', await threadSite.issueKey());
    const script = join(exchangeSite.folder, 'faults');
    writeFileSync(script, EXCHANGE_FAULTS.map((rule) => JSON.stringify(rule)).join('\n'));
    const env = { SLUICE_SHARDS: '1' };
    wellPort = await ownPort();
    well = startWell();
    const exchanges = exchangeSite.start(
      clock.options({ ...env, SLUICE_SIM_FAULTS: script, SLUICE_SIM_SPEED: String(SPEED) }),
    );
    // The bound is larger than every disk: trading is halted.
    const dying = threadSite.start(threads.options({ ...env, SLUICE_DISK_HALT_MB: '1000000000' }));
    [, exchangePort, threadPort] = await Promise.all([well.ready(), exchanges.ready(), dying.ready()]);
    replay = new ReplayedMetrics(wellPort, REPLAYED);
    const replayPort = await replay.listen();
    const targets = [
      { port: wellPort, instance: 'well' },
      { port: exchangePort, instance: 'exchanges' },
      { port: threadPort, instance: 'threads' },
      ...Object.keys(REPLAYED).map((name) => ({ port: replayPort, path: `/${name}`, instance: name })),
    ];
    prometheus = new PrometheusRun(join(wellSite.folder, 'prometheus'), targets, rulesInSeconds());
    await prometheus.ready();
  });
  afterAll(async () => {
    // Services end also when Prometheus did not start, or does not end. Its folder is in that of a service.
    const endings = await Promise.allSettled([prometheus?.stop()]);
    replay?.close();
    endings.push(...(await Promise.allSettled(sites.map((site) => site.close()))));
    expect(endings.filter(({ status }) => status === 'rejected')).toEqual([]);
  });

  const startWell = (): ServiceRun => wellSite.start({ env: { SLUICE_SHARDS: '1', SLUICE_PORT: String(wellPort) } });
  const client = (site: Site, port: number, account: string): SluiceClient => site.client(port, keys.get(account)!);

  /** Resolves when each named alert has fired for the instance. Calls `meanwhile` before each look. */
  async function firedFor(
    names: readonly string[],
    instance: string | null,
    meanwhile: () => Promise<void> = () => Promise.resolve(),
  ): Promise<void> {
    const left = await eventually(
      async () => {
        await meanwhile();
        for (const alert of await prometheus.firing()) fired.set(`${alert.instance} ${alert.name}`, alert);
        return names.filter((name) => !fired.has(`${instance ?? name} ${name}`));
      },
      (missing) => missing.length === 0,
    );
    expect(left).toEqual([]);
  }

  it.concurrent('fire for replayed metrics with a fault, and for no healthy service', async () => {
    await firedFor(Object.keys(REPLAYED), null);
    const ofWell = [...fired.values()].filter(({ instance, name }) => instance === 'well' && !OF_MACHINE.has(name));
    expect(ofWell).toEqual([]);
    // No template of a summary failed.
    for (const { summary } of fired.values()) expect(summary).toMatch(/^[^{<]+$/);
  });

  it.concurrent('fire when an exchange is lost, silent or wrong, a kill switch is engaged, and the clock is set', async () => {
    await client(exchangeSite, exchangePort, 'unknown').create(twapOrder(36_000));
    const sick = client(exchangeSite, exchangePort, 'sick');
    // On a starved machine an order may end before its child is filled.
    const traded = async (): Promise<void> => {
      if ((await sick.open()).length === 0) await sick.create(marketOrder());
    };
    await firedFor(['SluiceOrdersQuarantined', 'SluiceContradictoryReports'], 'exchanges', traded);
    await operate({ path: exchangeSite.dataDir, masterKey: undefined }, 'kill-switch.engage', { account: 'stopped' });
    clock.shift(CLOCK_STEP_MS);
    await firedFor(OF_EXCHANGES, 'exchanges');
    expect(fired.get('exchanges SluiceVenueLinkDown')?.summary).toContain('OKX');
  });

  it.concurrent('fire when trading is halted, and when threads die or hang', async () => {
    const busy = client(threadSite, threadPort, 'busy');
    const refused = async (): Promise<void> => {
      const refusal: unknown = await busy.create(marketOrder()).catch((error: unknown) => error);
      expect(refusal).toMatchObject({ status: 503 });
    };
    await firedFor(['SluiceTradingHalted', 'SluiceBusy'], 'threads', refused);
    threads.doom('watchdog', 'hang');
    for (const thread of ['shard-0', 'venue']) {
      threads.hold(thread);
      threads.doom(thread, 'exit');
    }
    await firedFor(OF_THREADS, 'threads');
  });

  it('fire when creates are refused, the service is down, and has started again', async () => {
    const stranger = wellSite.client(wellPort, { ...keys.get('well')!, apiSecret: keys.get('busy')!.apiSecret });
    const wrong = async (): Promise<void> => {
      await expect(stranger.create(marketOrder())).rejects.toMatchObject({ status: 401 });
    };
    await firedFor(['SluiceOrdersRefused'], 'well', wrong);
    await well.stop();
    fired.delete('well SluiceDown');
    await firedFor(['SluiceDown'], 'well');
    await startWell().ready();
    await firedFor(['SluiceRestarted'], 'well');
  });
});
