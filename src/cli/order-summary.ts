import type { OrderSummary } from '../client/index.js';
import type { CommandContext } from './context.js';
import { SUMMARY_COLUMNS } from './order-table.js';

export function showSummary(context: CommandContext, summary: OrderSummary, json: boolean | undefined): void {
  context.output.show({ columns: SUMMARY_COLUMNS, rows: [summary], empty: '', json: summary }, json);
}

/** Why the service refused, in one line. */
export function refusal(summary: OrderSummary): string {
  return [summary.error_code, summary.message].filter((part) => part !== undefined).join(': ');
}
