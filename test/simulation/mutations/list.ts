import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** A planted fault: a small code change that a careless edit could make. */
export interface Mutation {
  readonly name: string;
  /** Path from the root of the repository. */
  readonly file: string;
  /** Must occur exactly once in the file. */
  readonly before: string;
  readonly after: string;
}

/** Faults that the simulation must find. Each is one small change of the service's code. */
export const MUTATIONS: readonly Mutation[] = [
  {
    name: 'an unanswered create forgets its unresolved id',
    file: 'src/intake/idempotency.ts',
    before: '    this.#unresolved.set(key, orderId);\n',
    after: '',
  },
  {
    name: 'the main thread drops the notice of lost events',
    file: 'src/runtime/main-thread.ts',
    before: "if (message.kind === 'Missed') {",
    after: "if (message.kind === 'Missed' && shard < 0) {",
  },
  {
    name: 'a fill that is in the journal counts again',
    file: 'src/shard/report-intake.ts',
    before: ' ||\n      this.#parts.journal.hasTrade(orderId, child, fill.tradeId)',
    after: '',
  },
  {
    name: 'a fill that arrives twice in one turn counts twice',
    file: 'src/shard/turn-batch.ts',
    before: '    if (this.#trades.has(key)) return true;\n',
    after: '',
  },
  {
    name: 'requests leave before the turn is synced',
    file: 'src/shard/shard.ts',
    before: '    this.#batch.commit(journal, ',
    after:
      '    for (const request of this.#batch.requests.splice(0)) this.#parts.venue.send(request);\n    this.#batch.commit(journal, ',
  },
  {
    name: 'a child ends although fills of it are missing',
    file: 'src/order/report.ts',
    before: '      if (isMissingFills(child, report)) return askBlindly(draft, child, nowMs);\n',
    after: '',
  },
  {
    name: 'the open quantity of an unknown child counts as free',
    file: 'src/order/children.ts',
    before: 'working += restOf(child);',
    after: "working += child.state === 'UNKNOWN' ? 0 : restOf(child);",
  },
  {
    name: 'a cancel of a partially filled order is acknowledged but not executed',
    file: 'src/order/decide.ts',
    before: "if (state.status === 'PENDING_CANCEL' && state.quarantine === null) return NOTHING;",
    after:
      "if (state.status !== 'PENDING_NEW' && state.status !== 'ACCEPTED' && state.quarantine === null) return NOTHING;",
  },
  {
    name: 'the successor of a dead shard executes commands that the shard had not read',
    file: 'src/intake/shard-client.ts',
    before: '      commands: createRingLike(this.#memory.commands),\n',
    after: '',
  },
  {
    name: 'a feed continues after a missing frame',
    file: 'src/stream/feed.ts',
    before: 'if (n === this.#last + 1) {',
    after: 'if (n > this.#last) {',
  },
  {
    name: 'another request by the same client_order_id is answered with the first order',
    file: 'src/intake/idempotency.ts',
    before: 'if (entry.requestDigest === digest) return',
    after: 'if (entry.requestDigest.length === digest.length) return',
  },
  {
    name: 'another request joins a create that is in progress',
    file: 'src/intake/idempotency.ts',
    before: "    if (first.digest !== digest) return 'conflict';\n",
    after: '',
  },
  {
    name: 'a repeated create is looked up in an old snapshot of the store',
    file: 'src/intake/idempotency.ts',
    before: '    if (this.#settled.has(key) || this.#earlier.has(key)) return true;\n',
    after: '',
  },
  {
    name: 'a shard recovers its orders with another number of shards',
    file: 'src/shard/order-loading.ts',
    before: '(slot: number): boolean => ownerOf(slot, shardCount) === shard',
    after: '(slot: number): boolean => ownerOf(slot, Math.max(2, shardCount)) === shard',
  },
  {
    name: 'new terms apply before the children that violate them have ended',
    file: 'src/order/control.ts',
    before: 'const isFree = ruledOutBy(terms, state).length === 0;',
    after: 'const isFree = ruledOutBy(terms, state).length <= 1;',
  },
  {
    name: 'an order is paused while a child rests',
    file: 'src/order/settlement.ts',
    before: "if (isAtRest(draft.state, hedged)) draft.add({ kind: 'ParentPaused' });",
    after: "draft.add({ kind: 'ParentPaused' });",
  },
  {
    name: 'an order that ends keeps a child that is being cancelled',
    file: 'src/order/settlement.ts',
    before: 'return hasNoChild(state) && (',
    after:
      "return state.legs.every(({ children }) => children.every(({ state }) => state === 'CANCEL_IN_FLIGHT')) && (",
  },
  {
    name: 'commands of a dead shard are rejected before a recovery has read its last turn',
    file: 'src/runtime/main-thread.ts',
    before: 'this.orders.recount(link);\n    this.orders.settleShown(link.shard);',
    after: 'this.orders.recount(link);\n    this.orders.settleAll(link.shard, this.#parts.reader.latest());',
  },
  {
    name: 'creates of a dead shard are rejected although they are stored',
    file: 'src/intake/order-gateway.ts',
    before:
      'if (isCarriedOut(pending, stored.order(pending.orderId))) this.#settle(correlationId, null);\n' +
      '      else if (isComplete)',
    after: 'if (isComplete)',
  },
  {
    name: 'cancelAll reads an old snapshot of the store',
    file: 'src/intake/cancel-all.ts',
    before: 'const { pendingOrders, whenComplete } = this.#parts;\n',
    after:
      'const { pendingOrders, reader } = this.#parts;\n' +
      'const whenComplete = (read: (snapshot: StateSnapshot) => void) => read(reader.recent());\n',
  },
  {
    name: 'cancelAll looks for orders that are not durable after it has waited for the store',
    file: 'src/intake/cancel-all.ts',
    before:
      "    for (const { kind, order } of pendingOrders(run.account)) {\n      if (kind === 'CreateParent' && isSelected(run.union, order)) run.pending.add(order.orderId);\n    }\n    whenComplete(\n      (snapshot) => {\n",
    after:
      "    whenComplete(\n      (snapshot) => {\n      for (const { kind, order } of pendingOrders(run.account)) {\n        if (kind === 'CreateParent' && isSelected(run.union, order)) run.pending.add(order.orderId);\n      }\n",
  },
  {
    name: 'reads do not wait for the turns that a shard has released',
    file: 'src/shard/ring-ports.ts',
    before: 'this.#latestEvents.note(this.#numbers.of(account), seq);',
    after: 'void [account, seq];',
  },
  {
    name: 'reads do not wait for creates that are answered',
    file: 'src/runtime/main-thread.ts',
    before: 'onDurable: ({ envelope: { account, seq } }) => this.#latestEvents.note(account, seq),',
    after: 'onDurable: () => undefined,',
  },
  {
    name: 'a cancelAll does not wait for a create whose signature is being stored',
    file: 'src/http/gate.ts',
    before: 'const place = this.#parts.earlier.defer(account);',
    after: 'const place = (make: () => void): void => make();',
  },
  {
    name: 'a cancelAllAfter timer is lost in a restart',
    file: 'src/intake/cancel-all-after.ts',
    before: 'this.#set = new Map(parts.store.load());',
    after: 'this.#set = new Map();',
  },
  {
    name: 'streams do not publish events that a dead shard left unpublished',
    file: 'src/runtime/main-thread.ts',
    before: '    link.setUp(true);\n    this.#exposures.forget();\n    this.stream?.onMissed();',
    after: '    link.setUp(true);\n    this.#exposures.forget();',
  },
  {
    name: 'frames show the latest terms of an order instead of those at their time',
    file: 'src/stream/feeds.ts',
    before: 'if (latest?.revision === revision) return latest;',
    after: 'if (latest !== undefined) return latest;',
  },
  {
    name: 'a status answer of FILLED is accepted although fills are missing',
    file: 'src/order/report.ts',
    before: "const isMissing = answer.state === 'FILLED' ? !isWhole(asked, report) : isMissingFills(asked, report);",
    after: "const isMissing = answer.state !== 'FILLED' && isMissingFills(asked, report);",
  },
  {
    name: 'an impossible fill does not quarantine its order',
    file: 'src/order/quarantine.ts',
    before: '  if (isGrave) quarantine(',
    after: "  if (isGrave && report.kind !== 'Filled') quarantine(",
  },
  {
    name: 'a released order ends before its exchange has answered for its children',
    file: 'src/order/quarantine.ts',
    before: 'if (hasNoChild(draft.state)) draft.add(',
    after: 'if (liveChildren(draft.state).length <= 1) draft.add(',
  },
  {
    name: 'an order of a restored directory is not reconciled with its exchanges',
    file: 'src/shard/shard.ts',
    before: 'if (restore !== null) this.#passes.sweep',
    after: 'if (restore !== null && this.#isStopped) this.#passes.sweep',
  },
  {
    name: 'a restored order reuses the child numbers of the lost future',
    file: 'src/order/evolve.ts',
    before: 'childCount: leg.childCount + childRoom',
    after: 'childCount: leg.childCount',
  },
  {
    name: 'children of a lost future are not adopted',
    file: 'src/restore/reconciled-order.ts',
    before: "parts.children.filter(({ state, filled }) => state === 'OPEN' || filled > 0)",
    after: "parts.children.filter(({ state, filled }) => state !== 'OPEN' && filled < 0)",
  },
  {
    name: 'orders of lost parents go on trading after a restore',
    file: 'src/restore/reconciliation.ts',
    before: "    if (parent !== null && (!isTerminal(parent.status) || listed.state !== 'OPEN')) return false;\n",
    after: "    if (parent === null || !isTerminal(parent.status) || listed.state !== 'OPEN') return false;\n",
  },
];

/** Returns the source with the fault. Throws when its text does not occur exactly once. */
export function faultySource(root: string, { name, file, before, after }: Mutation): string {
  const source = readFileSync(join(root, file), 'utf8');
  const count = source.split(before).length - 1;
  if (count !== 1) throw new Error(`mutation "${name}": its text occurs ${count} times in ${file}, not once`);
  return source.replace(before, () => after);
}
