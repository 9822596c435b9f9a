import type { Report } from '../report.js';
import type { Sample } from './contest.js';
import { type Heading, meanThreads } from './figures.js';
import { threadTable } from './thread-times.js';

/** Costs by thread: a table for a person, figures in JSON, one line of the history. */
export function reportThreads(report: Report, heading: Heading, samples: readonly Sample[]): void {
  const threads = meanThreads(samples);
  for (const line of threadTable(threads)) report.text(line);
  for (const { thread, userUs, systemUs, sleeps } of threads) {
    const each = { ...heading, case: `${heading.case} thread=${thread}`, unit: 'us' };
    report.detail({ ...each, metric: 'cpu_user', value: userUs });
    report.detail({ ...each, metric: 'cpu_system', value: systemUs });
    report.detail({ ...each, metric: 'sleeps', value: sleeps, unit: 'count' });
  }
  const rounded = threads.map(({ thread, userUs, systemUs, sleeps }) => ({
    thread,
    user: Number(userUs.toFixed(2)),
    system: Number(systemUs.toFixed(2)),
    sleeps: Number(sleeps.toFixed(3)),
  }));
  report.record({ ...heading, metric: 'cpu_by_thread', unit: 'us', threads: rounded });
}
