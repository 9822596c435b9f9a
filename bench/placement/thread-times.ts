import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Processor time of one thread since its start. */
export interface ThreadTime {
  readonly tid: number;
  readonly name: string;
  readonly totalUs: number;
  readonly userTicks: number;
  readonly systemTicks: number;
  /** Times that it went to sleep. */
  readonly sleeps: number;
}

/** Processor time that all threads of one name used in a period. */
export interface ThreadCost {
  readonly thread: string;
  readonly userUs: number;
  readonly systemUs: number;
  /** Times that they went to sleep. */
  readonly sleeps: number;
}

/** Name of threads that no one named: V8 and Node start them before the first script. */
const UNNAMED = 'node';
export const V8_WORKERS = 'V8 workers';
/** Field numbers in /proc/PID/task/TID/stat after the name. */
const USER_TICKS_FIELD = 11;
const SYSTEM_TICKS_FIELD = 12;
const NS_PER_US = 1000;

/** Options of a Node process whose threads have names. */
export const NAMED_THREADS = `--require=${join(import.meta.dirname, 'thread-names.cjs')}`;

/** Parses a line of /proc/PID/task/TID/stat. The name may contain blanks and parentheses. */
export function threadStatOf(stat: string): Pick<ThreadTime, 'name' | 'userTicks' | 'systemTicks'> {
  const nameEnd = stat.lastIndexOf(')');
  const fields = stat.slice(nameEnd + 2).split(' ');
  return {
    name: stat.slice(stat.indexOf('(') + 1, nameEnd),
    userTicks: Number(fields[USER_TICKS_FIELD]),
    systemTicks: Number(fields[SYSTEM_TICKS_FIELD]),
  };
}

/** Parses /proc/PID/task/TID/status. */
export function sleepsIn(status: string): number {
  return Number(/^voluntary_ctxt_switches:\s+(\d+)$/m.exec(status)?.[1]);
}

/** Processor times of all living threads of a process. */
export function threadTimesOf(pid: number): ThreadTime[] {
  const folder = `/proc/${pid}/task`;
  return readdirSync(folder).flatMap((tid) => {
    try {
      const stat = readFileSync(join(folder, tid, 'stat'), 'utf8');
      const [totalNs] = readFileSync(join(folder, tid, 'schedstat'), 'utf8').split(' ');
      const sleeps = sleepsIn(readFileSync(join(folder, tid, 'status'), 'utf8'));
      return [{ tid: Number(tid), totalUs: Number(totalNs) / NS_PER_US, sleeps, ...threadStatOf(stat) }];
    } catch {
      // The thread has ended.
      return [];
    }
  });
}

/**
 * Costs between two readings, by name, the dearest first. The total is exact; the kernel counts user and system time in
 * ticks, so these are shares of the total. A thread that is absent from the first reading started in the period.
 */
export function threadCosts(before: readonly ThreadTime[], after: readonly ThreadTime[]): ThreadCost[] {
  const earlier = new Map(before.map((one) => [one.tid, one]));
  return summed(
    after.map((now) => {
      const then = earlier.get(now.tid);
      const totalUs = now.totalUs - (then?.totalUs ?? 0);
      const user = now.userTicks - (then?.userTicks ?? 0);
      const system = now.systemTicks - (then?.systemTicks ?? 0);
      const systemUs = user + system === 0 ? 0 : (totalUs * system) / (user + system);
      const sleeps = now.sleeps - (then?.sleeps ?? 0);
      return { thread: now.name === UNNAMED ? V8_WORKERS : now.name, userUs: totalUs - systemUs, systemUs, sleeps };
    }),
  );
}

/** Adds up the costs of each name, the dearest first. */
export function summed(costs: readonly ThreadCost[]): ThreadCost[] {
  const all = new Map<string, ThreadCost>();
  for (const { thread, userUs, systemUs, sleeps } of costs) {
    const sum = all.get(thread) ?? { userUs: 0, systemUs: 0, sleeps: 0 };
    all.set(thread, {
      thread,
      userUs: userUs + sum.userUs,
      systemUs: systemUs + sum.systemUs,
      sleeps: sleeps + sum.sleeps,
    });
  }
  return [...all.values()].sort((left, right) => totalOf([right]) - totalOf([left]));
}

export function totalOf(costs: readonly ThreadCost[]): number {
  return costs.reduce((sum, { userUs, systemUs }) => sum + userUs + systemUs, 0);
}

/** Costs divided by a number of creates. */
export function perCreate(costs: readonly ThreadCost[], creates: number): ThreadCost[] {
  return costs.map(({ thread, userUs, systemUs, sleeps }) => ({
    thread,
    userUs: userUs / creates,
    systemUs: systemUs / creates,
    sleeps: sleeps / creates,
  }));
}

const NEGLIGIBLE_US = 0.05;

function line(name: string, ...numbers: readonly string[]): string {
  return `  ${name.padEnd(16)} ${numbers.map((each) => each.padStart(8)).join(' ')}`;
}

/**
 * Lines of a table of costs and sleeps per create. Threads below the last shown digit have no line and count in the
 * sum.
 */
export function threadTable(costs: readonly ThreadCost[]): string[] {
  const numbers = (name: string, each: readonly ThreadCost[]): string => {
    const user = each.reduce((sum, { userUs }) => sum + userUs, 0);
    const total = totalOf(each);
    const sleeps = each.reduce((sum, cost) => sum + cost.sleeps, 0);
    return line(name, user.toFixed(1), (total - user).toFixed(1), total.toFixed(1), sleeps.toFixed(2));
  };
  const shown = costs.filter((cost) => totalOf([cost]) >= NEGLIGIBLE_US);
  return [
    line('CPU µs a create', 'user', 'system', 'total', 'sleeps'),
    ...shown.map((cost) => numbers(cost.thread, [cost])),
    numbers('all threads', costs),
  ];
}
