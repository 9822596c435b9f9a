import { describe, expect, it } from 'vitest';
import type { OrderRequest, SluiceClient } from '../../src/client/index.js';
import { type Units, units } from '../loopback/decimal.js';
import { eventually } from './eventually.js';
import { type LivePlace, type LivePlaces, openLivePlaces } from './live-places.js';
import { addKey } from './live-site.js';
import type { ServiceRun } from './service-run.js';
import { newSite } from './site.js';
import { isFilledInPart, isTerminal, refused, resting, twap, watched, type WatchedOrders } from './watched-orders.js';

/* Markets of Bybit and OKX change while orders of one running service work in them, spot and perpetuals at once. */

const HALTED = 'instruments do not trade now';
const GONE = 'instruments are not listed any more, or with another grid';
const OPEN_AGAIN = 'instruments trade again';

interface Rig extends WatchedOrders, LivePlaces {
  readonly run: ServiceRun;
  readonly client: SluiceClient;
  /** Resolves when the thread of the exchange has logged the symbol with the message. */
  readonly said: (place: LivePlace, message: string, base: 'BTC' | 'ETH') => Promise<void>;
  readonly close: () => Promise<void>;
}

/** A service with an account at each exchange. At the end no secret is in its log, and nothing was sent twice. */
async function openRig(): Promise<Rig> {
  const live = await openLivePlaces('system');
  const site = newSite();
  const key = await site.issueKey();
  const run = site.start({ env: { ...live.environment, SLUICE_SHARDS: '1' } });
  const client = site.client(await run.ready(), key);
  const accounts = new Map(live.places.map(({ venue, account }) => [venue, account]));
  for (const [exchange, account] of accounts) await addKey(site.dataDir, account, { exchange });
  const connected = (): number => run.lines.filter(({ msg }) => msg === 'the account is connected').length;
  await run.until(() => connected() >= accounts.size, 'its accounts are connected');
  return {
    ...live,
    ...watched(client),
    run,
    client,
    said: (place, message, base) =>
      run.until(
        () =>
          run.lines.some(({ msg, thread, symbols }) => {
            const isHere = msg === message && thread === `live-${place.venue}`;
            return isHere && (symbols as readonly string[]).includes(symbolOf(place, base).symbol);
          }),
        `${place.name}: ${message}`,
      ),
    close: async () => {
      expect(live.refused()).toEqual([]);
      for (const { exchange, account } of live.places)
        expect(exchange.ledger.repeatedClientIds(account.id)).toEqual([]);
      for (const { keys } of accounts.values()) {
        for (const secret of [keys[0]!.secret, keys[0]!.passphrase]) {
          if (secret !== null) expect(run.output).not.toContain(secret);
        }
      }
      expect(await run.stop()).toMatchObject({ status: 0 });
    },
  };
}

function symbolOf({ venue, category }: LivePlace, base: 'BTC' | 'ETH') {
  const symbol = category === 'SPOT' ? `${base}/USDT` : `${base}/USDT:USDT`;
  return { exchange: venue, symbol, asset_category: category } as const;
}

function restingBtc(place: LivePlace): OrderRequest {
  return resting(symbolOf(place, 'BTC'), '0.01', '30000');
}

/** Quantities of the children of an order that the exchange has accepted. */
function acceptedOf({ exchange, account, separator }: LivePlace, id: number): readonly Units[] {
  const own = exchange.ledger
    .ordersOf(account.id)
    .filter(({ terms }) => terms.clientId.startsWith(`${id}${separator}`));
  return own.map(({ terms }) => terms.quantity);
}

function filledOf({ exchange, account, separator }: LivePlace, id: number): Units {
  const own = exchange.ledger.fillsOf(account.id).filter(({ clientId }) => clientId.startsWith(`${id}${separator}`));
  return own.reduce((sum, { quantity }) => sum + quantity, 0n);
}

/** Runs the same for all places at once. */
function each<Item, Result>(items: readonly Item[], run: (item: Item) => Promise<Result>): Promise<Result[]> {
  return Promise.all(items.map(run));
}

describe('an order at Bybit and at OKX', () => {
  it('waits while its market is halted, goes on when it opens, also over a cut, and waits or ends when it is delisted', async () => {
    const rig = await openRig();
    const { places, client } = rig;
    const works = await each(places, async (place) => {
      const [btc, eth] = [symbolOf(place, 'BTC'), symbolOf(place, 'ETH')];
      const halted = await rig.place(twap(btc, '0.05'));
      const delisted = await rig.place(twap(eth, '0.5'));
      const rests = await rig.place(restingBtc(place));
      const ends = await rig.place(resting(eth, '0.1', '1500'));
      for (const id of [rests, ends]) {
        await eventually(
          () => acceptedOf(place, id).length,
          (count) => count === 1,
        );
      }
      for (const id of [halted, delisted]) await eventually(() => rig.order(id), isFilledInPart);
      return { place, halted, delisted, rests, ends };
    });

    // The exchanges themselves refuse what comes before the service has read their lists.
    const release = rig.withholdLists();
    for (const { exchange, raw } of places) {
      exchange.halt(raw.BTC);
      exchange.delist(raw.ETH);
    }
    const counts = works.map(({ place, halted, delisted, rests, ends }) =>
      [halted, delisted, rests, ends].map((id) => acceptedOf(place, id)),
    );
    await each(works, async ({ place, halted, delisted, ends }) => {
      if (place.goneCode === 'INVALID_SYMBOL') {
        expect(await rig.ended(ends), place.name).toMatchObject({ error_code: place.goneCode, filled_quantity: 0 });
      }
      for (const id of [halted, delisted, ends]) {
        await eventually(
          () => rig.refusals(id),
          (codes) => codes.length > 0,
        );
      }
      const first = await each([halted, delisted, ends], async (id) => (await rig.refusals(id))[0]);
      expect(first, place.name).toEqual(['EXCHANGE_NOT_AVAILABLE', place.goneCode, place.goneCode]);
    });
    release();
    await each(works, async ({ place, halted, rests }) => {
      await rig.said(place, place.listsHalts ? HALTED : GONE, 'BTC');
      await rig.said(place, GONE, 'ETH');
      for (const base of ['BTC', 'ETH'] as const) {
        const order = resting(symbolOf(place, base), '0.1', '1500');
        expect(await client.create(order), place.name).toMatchObject(refused('INVALID_SYMBOL'));
      }
      const listed = await client.instruments({ exchange: place.venue });
      for (const base of ['BTC', 'ETH'] as const) {
        const { symbol } = symbolOf(place, base);
        expect(listed.find((one) => one.symbol === symbol)).toMatchObject({ enabled: false });
      }
      await eventually(
        () => rig.reasons(halted),
        (reasons) => reasons.some((reason) => reason.includes(`does not trade at ${place.venue} now`)),
      );
      expect(isTerminal(await rig.order(halted)), place.name).toBe(false);
      expect(await rig.order(rests), place.name).toMatchObject({ status: 'ACCEPTED' });
    });
    const later = works.map(({ place, halted, delisted, rests, ends }) =>
      [halted, delisted, rests, ends].map((id) => acceptedOf(place, id)),
    );
    expect(later).toEqual(counts);

    for (const { exchange, raw } of places) exchange.reopen(raw.BTC);
    await each(places, (place) => rig.said(place, OPEN_AGAIN, 'BTC'));
    const connected = (): number => rig.run.lines.filter(({ msg }) => msg === 'the account is connected').length;
    const before = connected();
    rig.cutSockets();
    await rig.run.until(() => connected() >= before + 2, 'it connects both accounts again');
    await each(works, async ({ place, halted, delisted, rests, ends }) => {
      expect(await rig.ended(halted), place.name).toMatchObject({ status: 'FILLED', filled_quantity: 0.05 });
      expect(filledOf(place, halted), place.name).toBe(units('0.05'));
      expect(new Set(await rig.refusals(halted)), place.name).toEqual(new Set(['EXCHANGE_NOT_AVAILABLE']));
      const expired = { status: 'EXPIRED', error_code: 'EXPIRY_REACHED' };
      expect(await rig.ended(delisted), place.name).toMatchObject(expired);
      expect(acceptedOf(place, rests), place.name).toHaveLength(1);
      expect(await rig.order(rests), place.name).toMatchObject({ status: 'ACCEPTED' });
      const cancelled = place.goneCode === 'INVALID_SYMBOL' ? [rests] : [rests, ends];
      for (const id of cancelled) {
        await client.cancel({ order_id: id });
        expect(await rig.ended(id), place.name).toMatchObject({ status: 'CANCELLED', filled_quantity: 0 });
      }
      expect(place.exchange.openOrders(place.account.id), place.name).toEqual([]);
    });
    await rig.close();
  });

  it('obeys a minimum that changes, and ends when its lots and ticks do not exist any more', async () => {
    const rig = await openRig();
    const { places, client } = rig;
    const works = await each(places, async (place) => {
      const [btc, eth] = [symbolOf(place, 'BTC'), symbolOf(place, 'ETH')];
      const least = await rig.place(twap(btc, '0.1'));
      const old = await rig.place(twap(eth, '0.5'));
      const rests = await rig.place(resting(eth, place.lots.odd, '1500'));
      await eventually(
        () => acceptedOf(place, rests).length,
        (count) => count === 1,
      );
      for (const id of [least, old]) await eventually(() => rig.order(id), isFilledInPart);
      return { place, least, old, rests };
    });

    const release = rig.withholdLists();
    for (const { exchange, raw, minimum, lots } of places) {
      exchange.changeRules(raw.BTC, minimum);
      const [lot, tick] = [lots.lot, units('0.1')];
      exchange.changeRules(raw.ETH, { lot, tick, quantityMin: lot, priceMin: tick });
    }
    const counts = new Map(works.map(({ least, place }) => [least, acceptedOf(place, least).length]));
    // A child that was sent before the list is read again.
    await each(works, ({ least }) =>
      eventually(
        () => rig.refusals(least),
        (codes) => codes.length > 0,
      ),
    );
    release();
    await each(works, async ({ place, least, old, rests }) => {
      expect(await rig.ended(old), place.name).toMatchObject({ error_code: 'INVALID_SYMBOL' });
      expect(filledOf(place, old), place.name).toBe(units(String((await rig.order(old)).filled_quantity)));
      await rig.said(place, GONE, 'ETH');
      const eth = symbolOf(place, 'ETH');
      const { odd, even } = place.lots;
      expect(await client.create(resting(eth, odd, '1500')), place.name).toMatchObject(refused('INVALID_QUANTITY'));
      const fresh = await rig.place({ ...eth, side: 'BUY', strategy: 'MARKET', quantity: even });
      const filled = { status: 'FILLED', filled_quantity: Number(even) };
      expect(await rig.ended(fresh), place.name).toMatchObject(filled);

      expect(await rig.ended(least), place.name).toMatchObject({ status: 'FILLED', filled_quantity: 0.1 });
      expect(filledOf(place, least), place.name).toBe(units('0.1'));
      const after = acceptedOf(place, least).slice(counts.get(least));
      expect(new Set(await rig.refusals(least)), place.name).toEqual(new Set(['INVALID_QUANTITY']));
      expect(after.length, place.name).toBeGreaterThan(0);
      for (const quantity of after) expect(quantity, place.name).toBeGreaterThanOrEqual(units('0.018'));
      const codes = await rig.refusals(old);
      expect(codes.at(-1), place.name).toBe('INVALID_SYMBOL');
      const allowed = new Set(['INVALID_SYMBOL', 'INVALID_QUANTITY', 'INVALID_LIMIT_PRICE']);
      expect(
        codes.filter((code) => !allowed.has(code)),
        place.name,
      ).toEqual([]);
      // The child that rests keeps the lots that it was placed with.
      expect(await rig.order(rests), place.name).toMatchObject({ status: 'ACCEPTED' });
      expect(acceptedOf(place, rests), place.name).toEqual([units(odd)]);
      place.background.quote(place.raw.ETH, units('1490'));
      expect(await rig.ended(rests), place.name).toMatchObject({ status: 'FILLED', filled_quantity: Number(odd) });
      expect(filledOf(place, rests), place.name).toBe(units(odd));
    });
    await rig.close();
  });
});

describe('a service with a new data directory', () => {
  it('refuses creates at Bybit and OKX as not available until it has read their market lists', async () => {
    const live = await openLivePlaces('system');
    const release = live.withholdLists();
    const site = newSite();
    const key = await site.issueKey();
    const run = site.start({ env: { ...live.environment, SLUICE_SHARDS: '1' } });
    const client = site.client(await run.ready(), key);
    const accounts = new Map(live.places.map(({ venue, account }) => [venue, account]));
    for (const [exchange, account] of accounts) await addKey(site.dataDir, account, { exchange });
    await run.line('the market list was not read');
    for (const place of live.places) {
      expect(await client.create(restingBtc(place)), place.name).toMatchObject(refused('EXCHANGE_NOT_AVAILABLE'));
    }
    release();
    await each(live.places, async (place) => {
      await eventually(
        () => client.instruments({ exchange: place.venue }),
        (listed) => listed.some(({ symbol }) => symbol === symbolOf(place, 'BTC').symbol),
      );
      expect(await client.create(restingBtc(place)), place.name).toMatchObject({ status: 'PENDING_NEW' });
      const unknown = { ...restingBtc(place), symbol: 'NOSUCH/USDT' };
      expect(await client.create(unknown), place.name).toMatchObject(refused('INVALID_SYMBOL'));
    });
    expect(await run.stop()).toMatchObject({ status: 0 });
  });
});
