import { REPORTS_LOST_LOGGED_MAX } from '../model/limits.js';
import { reportText } from '../model/report-text.js';
import { FaultFigures } from '../wire/fault-figures.js';
import type { ShardWatch } from './port.js';

/** What the watch needs of a logger. */
interface WatchLog {
  error(facts: object, message: string): void;
}

/** Logs what goes wrong with single orders, and counts it in the memory that the main thread reads. */
export function watchOf(
  { memory }: { readonly memory: { readonly faults: SharedArrayBuffer } },
  log: WatchLog,
): ShardWatch {
  const figures = new FaultFigures(memory.faults);
  figures.setAtWork(null);
  let lostCount = 0;
  return {
    atWork: (orderId) => figures.setAtWork(orderId),
    onQuarantined: (orderId, account, { code, detail }) => {
      log.error({ orderId, account, reason: code, detail }, 'an order is quarantined');
    },
    onContradiction: (contradiction) => figures.count(contradiction),
    onSetAside: (orderId, error) => {
      log.error({ orderId, err: error }, 'an order is set aside: it is not worked until a restart');
    },
    onReportLost: (report) => {
      lostCount += 1;
      if (lostCount > REPORTS_LOST_LOGGED_MAX) return;
      log.error({ report: reportText(report), lostCount }, 'a report on an order that is set aside is lost');
    },
    onFault: (error) => log.error({ err: error }, 'a message failed and is passed over'),
    setQuarantinedCount: (count) => figures.setQuarantinedCount(count),
  };
}
