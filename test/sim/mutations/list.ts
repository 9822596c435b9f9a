/** One planted fault: what a careless change could do to a file of the service. */
export interface Mutation {
  readonly name: string;
  /** From the root of the repository. */
  readonly file: string;
  /** Occurs in the file exactly once. */
  readonly before: string;
  readonly after: string;
}

/** Faults that the simulation must find; each is one small change of the service's own code. */
export const MUTATIONS: readonly Mutation[] = [
  {
    name: 'an unanswered create forgets its unresolved id',
    file: 'src/http/creates-in-flight.ts',
    before: '    this.#unresolved.set(key, orderId);\n',
    after: '',
  },
  {
    name: 'the notice of lost events is dropped on the main thread',
    file: 'src/service-main-thread.ts',
    before: "if (message.kind === 'Missed') {",
    after: "if (message.kind === 'Missed' && shard < 0) {",
  },
  {
    name: 'a fill that the journal has already counts again',
    file: 'src/shard/shard.ts',
    before: ' || this.#parts.journal.hasTrade(orderId, child, fill.tradeId)',
    after: '',
  },
  {
    name: 'a fill that comes twice in one turn counts twice',
    file: 'src/shard/turn-batch.ts',
    before: '    if (this.#trades.has(key)) return true;\n',
    after: '',
  },
  {
    name: 'requests leave before the turn is synced',
    file: 'src/shard/shard.ts',
    before: '    this.#batch.commit(this.#parts.journal, ',
    after:
      '    for (const request of this.#batch.requests.splice(0)) this.#parts.venue.send(request);\n    this.#batch.commit(this.#parts.journal, ',
  },
  {
    name: 'the end of a child is believed although fills of it are missing',
    file: 'src/order/report.ts',
    before: '      if (isMissingFills(child, report)) return askBlindly(draft, child, nowMs);\n',
    after: '',
  },
  {
    name: 'what an unknown child may still trade counts as free',
    file: 'src/order/working.ts',
    before: 'working += restOf(child);',
    after: "working += child.state === 'UNKNOWN' ? 0 : restOf(child);",
  },
  {
    name: 'a cancel of a partially filled order is answered and not made',
    file: 'src/order/decide.ts',
    before: "if (state.status === 'PENDING_CANCEL' && state.quarantine === null) return NOTHING;",
    after:
      "if (state.status !== 'PENDING_NEW' && state.status !== 'ACCEPTED' && state.quarantine === null) return NOTHING;",
  },
  {
    name: 'commands that a dead shard had not taken are carried out by its successor',
    file: 'src/route/shard-link.ts',
    before: '      commands: createRingLike(this.#memory.commands),\n',
    after: '',
  },
  {
    name: 'a feed goes on over a missing frame',
    file: 'src/stream/sequencer.ts',
    before: 'if (n === this.#last + 1) {',
    after: 'if (n > this.#last) {',
  },
  {
    name: 'another request by the same client_order_id is answered with the first order',
    file: 'src/http/earlier-order.ts',
    before: 'if (entry.requestDigest === digest) return',
    after: 'if (entry.requestDigest.length === digest.length) return',
  },
  {
    name: 'another request joins the create that is on its way',
    file: 'src/http/creates-in-flight.ts',
    before: "    if (claim.digest !== digest) return 'conflict';\n",
    after: '',
  },
  {
    name: 'a repeated create is looked for in an old snapshot of the store',
    file: 'src/http/creates-in-flight.ts',
    before: 'return this.#settled.has(key) || ',
    after: 'return ',
  },
  {
    name: 'a shard recovers its orders by another number of shards',
    file: 'src/shard/shard.ts',
    before: '(slot: number): boolean => ownerOf(slot, shardCount) === shard',
    after: '(slot: number): boolean => ownerOf(slot, Math.max(2, shardCount)) === shard',
  },
  {
    name: 'new terms hold before the children that they rule out are gone',
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
    before: 'return state.children.length === 0 && (',
    after: "return state.children.every((child) => child.state === 'CANCEL_IN_FLIGHT') && (",
  },
  {
    name: 'commands of a dead shard are refused before a recovery has read its last turn',
    file: 'src/service-main-thread.ts',
    before: 'link.renewMemory();\n    this.orders.settleFromStore(link.shard, false);',
    after: 'link.renewMemory();\n    this.orders.settleFromStore(link.shard, true);',
  },
  {
    name: 'creates of a dead shard are refused although they are stored',
    file: 'src/route/order-desk.ts',
    before: 'if (isCarriedOut(pending, stored)) this.#settle(correlationId, null);\n      else if (isComplete)',
    after: 'if (isComplete)',
  },
  {
    name: 'cancelAll reads an old snapshot of the store',
    file: 'src/http/cancel-all.ts',
    before: '    if (!reader.refresh()) return this.#soon(() => this.#open(run));\n',
    after: '',
  },
  {
    name: 'a cancelAllAfter timer is forgotten by a restart',
    file: 'src/http/cancel-switches.ts',
    before: 'this.#triggerAtMs = new Map(parts.store.load());',
    after: 'this.#triggerAtMs = new Map();',
  },
  {
    name: 'streams do not look for what a dead shard has left unpublished',
    file: 'src/service-main-thread.ts',
    before: '    this.#guarded.books.forget();\n    this.stream?.onMissed();\n  }\n\n  /**\n   * The shard has died',
    after: '    this.#guarded.books.forget();\n  }\n\n  /**\n   * The shard has died',
  },
  {
    name: 'frames show the latest terms of an order and not those of their time',
    file: 'src/stream/parent-orders.ts',
    before: 'if (latest?.revision === revision) return latest;',
    after: 'if (latest !== undefined) return latest;',
  },
  {
    name: 'an answer that the venue has all fills is believed although some are missing',
    file: 'src/order/report.ts',
    before: "const isMissing = answer.state === 'FILLED' || isMissingFills(asked, report);",
    after: "const isMissing = answer.state === 'FILLED';",
  },
  {
    name: 'a fill that cannot be sets no order apart',
    file: 'src/order/quarantine.ts',
    before: '  if (isGrave) quarantine(',
    after: "  if (isGrave && report.kind !== 'Filled') quarantine(",
  },
  {
    name: 'a released order ends before its exchange has answered for its children',
    file: 'src/order/quarantine.ts',
    before: 'if (draft.state.children.length === 0) draft.add(',
    after: 'if (draft.state.children.length <= 1) draft.add(',
  },
  {
    name: 'an order of a restored directory is not compared with its exchanges',
    file: 'src/shard/shard.ts',
    before: '    this.#startRestore(this.#parts.restore ?? null);\n',
    after: '',
  },
  {
    name: 'a restored order numbers its children as a lost future did',
    file: 'src/order/evolve.ts',
    before: 'childCount: state.childCount + childRoom,',
    after: 'childCount: state.childCount,',
  },
  {
    name: 'children of a lost future are not adopted',
    file: 'src/route/reconciled-order.ts',
    before: "parts.children.filter(({ state, filled }) => state === 'OPEN' || filled > 0)",
    after: "parts.children.filter(({ state, filled }) => state !== 'OPEN' && filled < 0)",
  },
  {
    name: 'orders of lost parents go on trading after a restore',
    file: 'src/route/reconciliation.ts',
    before: "    if (parent !== null && (!isTerminal(parent.status) || listed.state !== 'OPEN')) return false;\n",
    after: "    if (parent === null || !isTerminal(parent.status) || listed.state !== 'OPEN') return false;\n",
  },
];
