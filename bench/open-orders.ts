import { placeOpenOrders } from './open-orders-placement.js';
import { cpuSecondsOf, memoryOf } from './open-orders-usage.js';
import type { Report } from './report.js';
import { startService } from './service.js';

const BENCH = 'open-orders';
const IDLE = 'the same service without orders';

interface Sizes {
  readonly orders: number;
  /** How long the processor time is watched, without and with the orders. */
  readonly windowMs: number;
  /** Between the last first slice and the watching. */
  readonly settleMs: number;
}

const FULL: Sizes = { orders: 100_000, windowMs: 25_000, settleMs: 10_000 };
const QUICK: Sizes = { orders: 2_000, windowMs: 1_000, settleMs: 500 };

/**
 * What it costs to have many parent orders open: memory of the whole process for each of them, and processor time while
 * they wait for their next slice and their markets move.
 */
export async function openOrders(report: Report, isQuick: boolean): Promise<void> {
  const { orders, windowMs, settleMs } = isQuick ? QUICK : FULL;
  const service = await startService();
  try {
    report.progress('the idle service');
    const idle = await coresUsed(service.pid, windowMs);
    const before = memoryOf(service.pid);
    await placeOpenOrders(service, orders, (placed) => report.progress(`${placed} of ${orders} orders placed`));
    await pause(settleMs);
    const after = memoryOf(service.pid);
    report.progress('the service with all of them open');
    const busy = await coresUsed(service.pid, windowMs);
    const name = `orders=${orders}`;
    const figure = { bench: BENCH, case: name, rounds: 1 };
    report.add({ ...figure, metric: 'memory', value: (after.resident - before.resident) / orders, unit: 'B' });
    report.add({ ...figure, metric: 'memory_own', value: (after.own - before.own) / orders, unit: 'B' });
    report.add({ ...figure, metric: 'memory_mapped', value: (after.mapped - before.mapped) / orders, unit: 'B' });
    const cpu = { value: busy - idle, unit: 'core', reference: IDLE, reference_value: idle };
    report.add({ ...figure, metric: 'cpu', ...cpu });
  } finally {
    await service.stop();
  }
}

/** Cores that the process keeps busy, on average over so long. */
async function coresUsed(pid: number, windowMs: number): Promise<number> {
  const [cpuBefore, startMs] = [cpuSecondsOf(pid), performance.now()];
  await pause(windowMs);
  return ((cpuSecondsOf(pid) - cpuBefore) * 1000) / (performance.now() - startMs);
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, ms);
  });
}
