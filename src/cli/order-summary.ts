import type { OrderSummary } from '../client/index.js';
import { CommandFailure } from './context.js';
import type { CommandContext } from './context.js';
import { SUMMARY_COLUMNS } from './order-table.js';

/** What was answered: one summary, or one for each order of a list. */
type Answered = OrderSummary | readonly OrderSummary[];

export function showSummaries(context: CommandContext, answer: Answered, json: boolean | undefined): void {
  context.output.show({ columns: SUMMARY_COLUMNS, rows: listOf(answer), empty: 'No orders.', json: answer }, json);
}

/** Throws CommandFailure, which says in one line why the service refused; of several orders, why the first one. */
export function failIfRefused(answer: Answered): void {
  const summaries = listOf(answer);
  const refused = summaries.filter(({ status }) => status === 'REJECTED' || status === 'CANCEL_REJECTED');
  const [first] = refused;
  if (first === undefined) return;
  if (summaries.length === 1) throw new CommandFailure(refusal(first));
  throw new CommandFailure(`${refused.length} of ${summaries.length} were refused, the first: ${refusal(first)}`);
}

/** Why the service refused, in one line. */
export function refusal(summary: OrderSummary): string {
  return [summary.error_code, summary.message].filter((part) => part !== undefined).join(': ');
}

function listOf(answer: Answered): readonly OrderSummary[] {
  return 'status' in answer ? [answer] : answer;
}
