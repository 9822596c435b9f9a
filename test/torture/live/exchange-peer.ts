import { once } from 'node:events';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { openSite } from '../../loopback/proxied-site.js';
import type { FaultRule } from '../../loopback/faults.js';
import { openExchange } from './exchanges.js';
import type { Order } from './exchange-process.js';

/**
 * An exchange in a process of its own: it survives the service. It gets orders from its parent and answers each one;
 * the arguments are the exchange and the seed.
 */
const WANDER_MS = 120;
const DIAL_CHECK_MS = 20;
const NS_PER_MS = 1_000_000;
/**
 * Late orders before a cut, and the time in which they come: shorter than their delay, so that the service asks before
 * they arrive.
 */
const LATE_ORDERS_COUNT = 3;
const LATE_ORDERS_MS_MAX = 900;

const [name = '', seed = ''] = process.argv.slice(2);
const exchange = await openExchange(name, seed);
const site = await openSite(exchange.ports);
let storm: (() => void)[] = [];

/** Connections to private streams so far, and when their number last grew. */
const dials = { count: 0, atMs: 0 };

/** The exchange answers nothing while its loop is blocked. */
const loopDelay = monitorEventLoopDelay();
loopDelay.enable();

setInterval(() => exchange.wander(), WANDER_MS);
setInterval(() => {
  const count = exchange.privateHosts.reduce((sum, host) => sum + (site.proxy.dialled.get(host) ?? 0), 0);
  if (count !== dials.count) Object.assign(dials, { count, atMs: Date.now() });
}, DIAL_CHECK_MS);

function addAll(rules: readonly FaultRule[]): (() => void)[] {
  return rules.map((rule) => exchange.faults.add(rule));
}

/** Applies rules to all requests for a time. */
function forAWhile(fault: FaultRule['fault'], ms: number): void {
  const { place, cancel, read, session } = exchange.names;
  const removals = addAll([...place, ...cancel, ...read, ...session].map((on) => ({ on, fault })));
  setTimeout(() => {
    for (const remove of removals) remove();
  }, ms);
}

/** Orders sent from now on arrive late, and their connections are cut before. */
function makeOrdersLate(ms: number): void {
  const removals = addAll(exchange.names.place.map((on) => ({ on, fault: { kind: 'hold', ms } })));
  const beganMs = Date.now();
  const timer = setInterval(() => {
    const late = exchange.faults.applied.filter(({ fault, atMs }) => fault.kind === 'hold' && atMs >= beganMs);
    if (late.length < LATE_ORDERS_COUNT && Date.now() < beganMs + LATE_ORDERS_MS_MAX) return;
    clearInterval(timer);
    for (const remove of removals) remove();
    exchange.cut();
  }, DIAL_CHECK_MS);
}

/** The hardest refusal for the rate that ends after its time. */
function hardest(): 429 | 418 {
  return exchange.names.limitStatuses.at(-1) ?? 429;
}

function answer(order: Order): unknown {
  switch (order.kind) {
    case 'describe': {
      const { markets, names } = exchange;
      return { markets, names, proxy: site.proxy.url, certificateFile: site.certificateFile };
    }
    case 'openAccount':
      return exchange.openAccount();
    case 'storm':
      storm.push(...addAll(order.rules));
      return null;
    case 'endFaults':
      for (const remove of storm) remove();
      storm = [];
      return null;
    case 'cut':
      if (order.way === 'proxy') site.proxy.cutAll();
      else exchange.cut(order.way === 'all' ? undefined : order.way);
      return null;
    case 'acceptKey':
      exchange.setKeyAccepted(order.apiKey, order.isAccepted);
      return null;
    case 'expireStreams':
      exchange.expireStreams(order.account);
      return null;
    case 'maintenance':
      forAWhile({ kind: 'maintenance', status: 503 }, order.ms);
      exchange.cut();
      return null;
    case 'ban':
      forAWhile({ kind: 'limit', status: hardest(), retryAfterSeconds: Math.ceil(order.ms / 1000) }, order.ms);
      return null;
    case 'late orders':
      makeOrdersLate(order.ms);
      return null;
    case 'countRequests':
      exchange.setCounting(order.isCounting);
      return null;
    case 'stepClock':
      exchange.clock.offsetMs += order.byMs;
      return null;
    case 'privateDials':
      return { ...dials };
    case 'copy':
      return exchange.copy(order.latest);
    case 'takeFaults': {
      const counts: Record<string, number> = {};
      for (const { fault } of exchange.faults.applied.splice(0)) {
        const kind =
          'executed' in fault ? `${fault.kind} ${fault.executed ? 'after' : 'before'} execution` : fault.kind;
        counts[kind] = (counts[kind] ?? 0) + 1;
      }
      const stallMs = Math.round(loopDelay.max / NS_PER_MS);
      loopDelay.reset();
      return { counts, refusedDials: site.proxy.refused.map(({ authority }) => authority), stallMs };
    }
  }
}

process.on('message', ({ id, order }: { id: number; order: Order }) => {
  process.send?.({ id, value: answer(order) });
});
await once(process, 'disconnect');
await site.close();
await exchange.close();
process.exit(0);
