import { Piscina } from 'piscina';
import { openJournalReader } from '../src/journal/index.js';
import type { CostQuestion } from '../src/route/cost-question.js';
import type { AnalystWorkerData } from '../src/route/worker-data.js';
import { measureOrder } from '../src/tca/order-reading.js';
import { orderCostText } from '../src/tca/order-report.js';
import { windowCostText } from '../src/tca/window-report.js';

const { dataDir, journal } = Piscina.workerData as AnalystWorkerData;
const { reader, release } = openJournalReader({ dataDir, shared: journal });

/** One question to the pool; null when there is no such order. */
export default function answer(question: CostQuestion): string | null {
  reader.refresh();
  try {
    if (question.kind === 'window') return windowCostText(reader, question);
    const measured = measureOrder(reader, question.orderId, question.asOfMs);
    return measured === null ? null : orderCostText(measured, question.asOfMs);
  } finally {
    release();
  }
}
