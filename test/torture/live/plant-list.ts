import type { Mutation } from '../../simulation/mutations/list.js';

/** Faults of the gateway that the torture must find. Each is one small change of its code. */
export const PLANTS: readonly Mutation[] = [
  {
    name: 'an order without an answer is sent again',
    file: 'src/venue/live/order-session.ts',
    before: "    record.isAwaited = false;\n    if (answer.kind === 'placed')",
    after:
      "    record.isAwaited = false;\n    if (answer.kind === 'unknown') return this.#parts.client.place(record.target, nowMs + 2_000, (later, atMs) => " +
      "this.#onPlaced(record, later, atMs));\n    if (answer.kind === 'placed')",
  },
  {
    name: 'an absence counts before the fence',
    file: 'src/venue/live/status-judge.ts',
    before: '    if (request.lookedAtMs < fenceMs) return Math.max(fenceMs, nowMs) as EpochMs;\n',
    after: '',
  },
  {
    name: 'a failure of the exchange counts as a refusal',
    file: 'src/venue/live/dialect/binance-errors.ts',
    before: '  if (status >= 500 || code === null) return null;\n',
    after: "  if (status >= 500) return { code: 'EXCHANGE_ERROR', message };\n  if (code === null) return null;\n",
  },
  {
    name: 'a cancel without an answer counts as the end',
    file: 'src/venue/live/order-session.ts',
    before: "    if (answer.kind === 'cancelled' && answer.order !== null) {\n",
    after:
      "    if (answer.kind === 'unknown') return this.#report({ account: target.account, venue: target.venue, " +
      "orderId: target.orderId, child: target.child, atMs: nowMs, kind: 'Cancelled', " +
      "venueOrderId: target.venueOrderId ?? '', cause: null, filled: this.#records.find(target)?.filled ?? 0 });\n" +
      "    if (answer.kind === 'cancelled' && answer.order !== null) {\n",
  },
  {
    name: 'some fills are reported by no way',
    file: 'src/venue/live/child-reports.ts',
    before: '{ fill, atMs }: ReportedFill): void {\n',
    after: '{ fill, atMs }: ReportedFill): void {\n    if (fill.tradeId % 5 === 0) return;\n',
  },
  {
    name: 'a fill of a look-up counts as another trade',
    file: 'src/venue/live/binance/binance-client.ts',
    before: '      this.#fillOf(target, fill),\n',
    after: "      this.#fillOf(target, { ...fill, tradeId: fill.tradeId + '0' }),\n",
  },
  {
    name: 'a fee is dropped',
    file: 'src/venue/live/reported-records.ts',
    before: '    fee,\n',
    after: '    fee: 0n,\n',
  },
  {
    name: 'a change of a balance is dropped',
    file: 'src/venue/live/funds-reader.ts',
    before: '    const changed = funds.take(place, balances, readAfter);\n',
    after: '    const changed = [];\n',
  },
];
