import type { BudgetAnswer } from './rate-limit.js';

/** Header lines that tell a client the state of its budget, each with its line break before it. */
export function budgetHeaders({ limit, remaining, resetS }: BudgetAnswer): string {
  return `\r\nRateLimit-Limit: ${limit}\r\nRateLimit-Remaining: ${remaining}\r\nRateLimit-Reset: ${resetS}`;
}

/** The header line of a refusal. */
export function retryAfterHeader({ retryAfterS }: BudgetAnswer): string {
  return `\r\nRetry-After: ${retryAfterS}`;
}
