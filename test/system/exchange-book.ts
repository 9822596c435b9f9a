import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { AccountId, CorrelationId } from '../../src/domain/ids.js';
import { VENUES } from '../../src/domain/exchange.js';
import type { EpochMs } from '../../src/domain/time.js';
import type { ListedOrder, OrdersReport, VenueReport } from '../../src/domain/venue-report.js';
import { SimulatedVenues } from '../../src/sim/simulated-venues.js';
import { LmdbVenueStore } from '../../src/sim/store/lmdb-store.js';
import { buildCatalogue } from '../../src/venue/listing/catalogue.js';

/** Every order that the exchanges of a data directory have of an account, read from their own store on the side. */
export function ordersAtExchanges(dataDir: string, account: string): ListedOrder[] {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-exchange-'));
  cpSync(join(dataDir, 'venue'), folder, { recursive: true });
  const nowMs = Date.now() as EpochMs;
  const reports: VenueReport[] = [];
  const sink = {
    report: (report: VenueReport) => reports.push(report),
    market: () => undefined,
    trade: () => undefined,
  };
  const venues = new SimulatedVenues({
    catalogue: buildCatalogue(),
    seed: 1,
    store: new LmdbVenueStore(folder),
    startMs: nowMs,
    isWatched: () => false,
    balanceHome: () => 0,
    onRepeated: () => undefined,
  });
  const orders: ListedOrder[] = [];
  for (const venue of VENUES) {
    let after = '';
    do {
      const about = { correlationId: 1 as CorrelationId, account: account as AccountId, venue, sinceMs: 0 as EpochMs };
      venues.handle({ kind: 'QueryOrders', ...about, after, instruments: [] }, 0, nowMs);
      venues.advance(nowMs, sink);
      const page = reports.findLast((report): report is OrdersReport => report.kind === 'Orders')!;
      orders.push(...page.orders);
      after = page.next;
    } while (after !== '');
  }
  venues.close();
  rmSync(folder, { recursive: true, force: true });
  return orders;
}

/** Lots that the exchanges have filled of each parent order, by leg: a pair's other leg has even child numbers. */
export function filledByParent(orders: readonly ListedOrder[]): Map<string, number> {
  const filled = new Map<string, number>();
  for (const { orderId, instrument, filled: lots } of orders) {
    const key = `${orderId}/${instrument}`;
    filled.set(key, (filled.get(key) ?? 0) + lots);
  }
  return filled;
}
