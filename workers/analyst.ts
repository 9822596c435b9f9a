import { Piscina } from 'piscina';
import { openJournalReader } from '../src/journal/open-journal.js';
import type { CostRequest } from '../src/domain/query.js';
import type { AnalystWorkerData } from '../src/wire/worker-data.js';
import { measureOrder } from '../src/tca/order-reading.js';
import { orderCostText } from '../src/tca/order-report.js';
import { windowCostText } from '../src/tca/window-report.js';

const { dataDir, journal } = Piscina.workerData as AnalystWorkerData;
const { reader, release } = openJournalReader({ dataDir, shared: journal });

/** Answers one cost request. Returns null for an unknown order. */
export default function answer(query: CostRequest): string | null {
  const snapshot = reader.latest();
  try {
    if (query.kind === 'window') return windowCostText(snapshot, query);
    const measured = measureOrder(snapshot, query.orderId, query.asOfMs);
    return measured === null ? null : orderCostText(measured, query.asOfMs);
  } finally {
    release();
  }
}
