import { availableParallelism } from 'node:os';
import { describe, expect, it } from 'vitest';
import { metricsOf, quickRun } from './quick-run.js';

describe('benchmarks at their smallest size', () => {
  it('placement', async () => {
    const lines = await quickRun('placement');
    const ratios = ['cpu_over_bare', 'cpu_over_rival', 'throughput_over_bare', 'throughput_over_rival'];
    const medians = ['cpu_per_create', 'throughput', 'p50', 'p90', 'p99', 'p99.9', 'max'];
    expect(metricsOf(lines, 'connections=1')).toEqual([...ratios, 'p50_over_floor', ...medians]);
    expect(metricsOf(lines, 'connections=16')).toEqual([...ratios, ...medians]);
    for (const thread of ['main', 'shard-0', 'V8 workers']) {
      expect(metricsOf(lines, `connections=16 thread=${thread}`)).toEqual(['cpu_user', 'cpu_system']);
    }
    const tail = metricsOf(lines, 'open loop at 50 % of maximum');
    expect(tail).toEqual(
      expect.arrayContaining(['p99.9_over_bare', 'p99.9_over_rival', 'throughput_of_rival', 'gc_scavenge_sum']),
    );
  });

  it('session', async () => {
    const lines = await quickRun('session');
    const ratios = ['cpu_over_bare_http', 'throughput_over_bare_http'];
    const medians = ['cpu_per_create', 'throughput', 'p50', 'p90', 'p99', 'p99.9', 'max'];
    expect(metricsOf(lines, 'sessions=1, depth=1')).toEqual([...ratios, 'p50_over_floor', ...medians]);
    expect(metricsOf(lines, 'floor')).toEqual(['p50_of_sync', 'p50_of_echo']);
    expect(metricsOf(lines, 'sessions=8, depth=64')).toEqual([...ratios, ...medians]);
    expect(metricsOf(lines, 'sessions=8, depth=64 thread=main')).toEqual(['cpu_user', 'cpu_system']);
  });

  it('scale', async () => {
    const lines = await quickRun('scale');
    expect(metricsOf(lines, 'shards=1, connections=64')).toEqual(['cpu_per_create', 'throughput', 'p50', 'p99', 'cpu']);
    const counts = lines.filter(({ metric }) => metric === 'throughput_over_one_shard').length;
    expect(counts).toBe([2, 4].filter((count) => count <= availableParallelism()).length);
  });

  it('fanout', async () => {
    const lines = await quickRun('fanout');
    expect(metricsOf(lines, 'subscribers=10')).toEqual(['p50', 'p50_over_bare', 'p99']);
    // More than one account may have.
    expect(metricsOf(lines, 'subscribers=200')).toContain('throughput');
    for (const line of lines.filter(({ metric }) => metric === 'frame')) {
      expect(line['ratio'], 'both sides send frames of one length').toBeCloseTo(1, 1);
    }
  });

  it('micro', async () => {
    const lines = await quickRun('micro');
    expect(metricsOf(lines, 'verify HMAC')).toEqual(['p50', 'p99']);
    // Case names are unique.
    expect(new Set(lines.map((line) => `${String(line['case'])}: ${String(line['metric'])}`)).size).toBe(lines.length);
  });

  it('matching', async () => {
    const lines = await quickRun('matching');
    expect(lines.map((line) => line['case'])).toEqual(['levels=100', 'levels=1000']);
    for (const line of lines) expect(line['reference']).toBe('nodejs-order-book');
  });

  it('simulation', async () => {
    const lines = await quickRun('simulation');
    expect(lines.slice(0, 3).map((line) => line['metric'])).toEqual(['time', 'cpu', 'trades']);
    expect(Number(lines[2]?.['value'])).toBeGreaterThan(0);
    const depths = lines.filter((line) => line['metric'] === 'depth_5bps');
    expect(depths.map((line) => line['case'])).toEqual([
      'simulated BTC/USDT',
      'simulated BTC/USDT:USDT',
      'simulated ETH/USDT',
      'simulated ETH/USDT:USDT',
    ]);
    for (const { value } of depths) expect(value).toBeGreaterThan(0);
  });

  it('order history', async () => {
    const lines = await quickRun('order-history');
    expect(lines.map((line) => line['metric'])).toEqual(['file', 'ended_orders', 'p50', 'p99']);
    expect(Number(lines[1]?.['value'])).toBeGreaterThan(700);
  });

  it('open orders', async () => {
    const lines = await quickRun('open-orders');
    const perOrder = ['memory', 'memory_second_half', 'memory_own', 'memory_mapped', 'heap', 'cpu'];
    expect(metricsOf(lines, 'orders=2000')).toEqual([...perOrder, 'start_after_shutdown', 'start_after_kill']);
    expect(Number(lines.find(({ metric }) => metric === 'heap')?.['value'])).toBeGreaterThan(500);
  });

  it('first child', async () => {
    const lines = await quickRun('first-child');
    const times = ['after_answer', 'after_request'].flatMap((from) =>
      ['p50', 'p90', 'p99'].map((to) => `${from}_${to}`),
    );
    expect(metricsOf(lines, 'market order, awake market')).toEqual(times);
    expect(metricsOf(lines, 'market order, sleeping market')).toEqual(times);
    expect(metricsOf(lines, 'report to next child')).toEqual(['p50', 'p99']);
    // Each clip but the first follows a report.
    expect(lines.at(-1)?.['rounds']).toBe(49);
  });

  it('mixed', async () => {
    const lines = await quickRun('mixed');
    for (const action of ['create', 'amend', 'cancel', 'timeline', 'preview']) {
      expect(metricsOf(lines, action)).toEqual(['p50', 'p99']);
    }
    expect(metricsOf(lines, '4 clients, 200 open orders')).toEqual(['p50', 'p99', 'p99.9', 'throughput']);
  });
});
