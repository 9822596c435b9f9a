import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { childOrderFrame } from '../../src/api/order/order-frame.js';
import { ReasonCode, ReasonDetail } from '../../src/api/order/reason.js';
import { ORDER_TIMELINE, timelineEntryText } from '../../src/api/order/timeline.js';
import type { TimelineEntry } from '../../src/client/wire.js';
import { type EventEnvelope, isOrderEvent, type OrderEvent } from '../../src/domain/event.js';
import type { ParentOrder, Reason } from '../../src/domain/order.js';
import { STRATEGY_NAMES } from '../../src/domain/order.js';
import { formatLots, formatTicks, type Lots, type Ticks } from '../../src/domain/quantity.js';
import { CONTRADICTIONS, QUARANTINE_REASONS } from '../../src/domain/quarantine.js';
import { FIGURES, REASONS } from '../../src/domain/reason.js';
import { REJECTION_CODES } from '../../src/domain/rejection.js';
import { decodeEvent, encodeEvent } from '../../src/wire/codec/envelope.js';
import { pairOf } from '../domain/sample-pair.js';
import { trialInstruments, trialPair } from '../pair/pair-orders.js';
import { PairWorld } from '../pair/pair-world.js';
import { runs } from '../runs.js';
import { Chance } from '../simulation/chance.js';
import { tryOrder } from '../strategy/trial.js';
import { ACCEPTED_PAIR, CHILD_SNAPSHOT, envelopeOf, PARENT } from '../stream/sample-events.js';
import { closed, complaintsOf } from './compiled.js';

const DOCUMENTED: ReadonlySet<string> = new Set([
  ...Object.keys(REASONS),
  ...REJECTION_CODES,
  ...QUARANTINE_REASONS,
  ...CONTRADICTIONS,
]);
const SEEDS = Array.from({ length: runs(3, 200) }, (_, index) => index + 1);
const matches = closed(ORDER_TIMELINE.success.schema);

/** The entry of an event, as the timeline shows it. The event passes through the journal. */
function entryOf(order: ParentOrder, envelope: EventEnvelope): TimelineEntry {
  return JSON.parse(timelineEntryText(order, decodeEvent(encodeEvent(envelope)))) as TimelineEntry;
}

/** The entry of an event of a single-leg order. */
function ownEntryOf(order: ParentOrder, event: OrderEvent): TimelineEntry {
  return entryOf(order, envelopeOf(event, { child: event.kind.startsWith('Child') ? CHILD_SNAPSHOT : null }));
}

const QUANTITIES = ['target', 'filled', 'working', 'wanted', 'other_filled', 'due', 'unhedged'] as const;

/** Returns what is wrong: a code that is not documented, or figures that are not in the units of the order. */
function faultsOf(entry: TimelineEntry, order: ParentOrder): string[] {
  const { reason, detail = {}, price } = entry;
  if (reason === undefined) return [];
  const faults: string[] = [];
  const complaint = complaintsOf(matches, { order_id: 7, events: [entry] });
  if (complaint !== '') faults.push(complaint);
  if (!DOCUMENTED.has(reason)) faults.push(`${reason} is not documented`);
  if (/\w=\d/.test(detail.message ?? '')) faults.push(`${reason} has figures in its words: ${detail.message}`);
  const whole = Math.max(...order.legs.map((leg) => Number(formatLots(leg.quantity, leg))));
  for (const name of QUANTITIES) {
    // Lots are far more than the quantity of the order.
    const value = detail[name] ?? 0;
    if (value < 0 || value > whole * 1.000_001) faults.push(`${reason} ${name} ${value} of ${whole}`);
  }
  const { bid = price } = detail;
  if (price !== undefined && Math.abs(Math.log(price / bid!)) > Math.LN2)
    faults.push(`${reason}: bid ${bid} of ${price}`);
  return faults;
}

/** All known values of the figures of a reason, in their stored units. */
const VALUES: Readonly<Record<keyof typeof FIGURES, number>> = {
  target: 150_000,
  filled: 2_500,
  working: 1_000,
  bid: 6_399_999,
  ask: 6_400_001,
  bid_share: 512_000,
  taking_is_cheaper: 1,
  wanted: 12_345,
  price: 6_400_100,
  other_share: 812_345,
  threshold: 750_000,
  since: 1_800_000_000_123,
  refusals: 3,
  until: 1_800_000_001_000,
  quantity: 10_000,
  leg: 0,
  other_filled: 2_400,
  due: 2_450,
  deficit: -50,
  try: 2,
  tolerance_bps: 1_250,
  unhedged: 100,
  unhedged_max: 5_000,
  unhedged_value: 6_400_123_456,
};

function reasonOf(code: keyof typeof REASONS): Reason {
  return { code, detail: '', figures: REASONS[code].figures.map((name) => VALUES[name]) };
}

function noted(reason: Reason): TimelineEntry {
  return ownEntryOf(PARENT, { kind: 'StrategyNoted', reason, memory: null, leg: 0 });
}

describe('the reasons of an order', () => {
  it.each(STRATEGY_NAMES)('%s: each child, cancel and pause has a documented code and decimals', (strategy) => {
    for (const seed of SEEDS) {
      const rig = tryOrder(strategy, seed);
      let { order } = rig.state;
      const faults: string[] = [];
      for (const { event } of rig.events) {
        if (event.kind === 'ParentCreated' || event.kind === 'ParentAmended') order = event.order;
        faults.push(...faultsOf(ownEntryOf(order, event), order));
      }
      expect(faults, `seed ${seed}`).toEqual([]);
    }
  });

  it('of a pair are in the units of their legs, which have different lots', () => {
    const seen = new Set<string>();
    const faults: string[] = [];
    for (const seed of SEEDS) {
      const chance = new Chance(seed);
      const instruments = trialInstruments(chance);
      const order = trialPair(chance, instruments);
      const world = new PairWorld(order, instruments);
      for (let step = 0; step < 40; step += 1) {
        for (const index of [0, 1] as const) world.quote(index, 6_400_000 + step, 10, 1_000_000);
        world.exchange();
        world.pass(1_000);
      }
      for (const { envelope } of world.journal.entries) {
        if (!isOrderEvent(envelope.event)) continue;
        const entry = entryOf(order, envelope);
        faults.push(...faultsOf(entry, order));
        if (entry.detail?.leg !== undefined) seen.add(entry.reason!);
      }
    }
    expect(faults).toEqual([]);
    expect([...seen]).toContain('HEDGE');
  });

  it('have each figure of their row as the exact decimal of the order', () => {
    const leg = PARENT.legs[0];
    const quantity = (lots: number): number => Number(formatLots(lots as Lots, leg));
    const price = (ticks: number): number => Number(formatTicks(ticks as Ticks, leg));
    const shown: Readonly<Record<keyof typeof FIGURES, unknown>> = {
      ...VALUES,
      target: quantity(VALUES.target),
      filled: quantity(VALUES.filled),
      working: quantity(VALUES.working),
      wanted: quantity(VALUES.wanted),
      quantity: quantity(VALUES.quantity),
      due: quantity(VALUES.due),
      deficit: -0.0005,
      bid: price(VALUES.bid),
      ask: price(VALUES.ask),
      price: price(VALUES.price),
      bid_share: 0.512,
      other_share: 0.812345,
      threshold: 0.75,
      taking_is_cheaper: true,
      tolerance_bps: 12.5,
      // The other leg has lots of 0.1 and the leading leg, which is the second one, has lots of 0.00001.
      other_filled: 240,
      unhedged: 0.001,
      unhedged_max: 0.05,
      unhedged_value: 64.00123456,
    };
    const pair = pairOf(PARENT, 'OKX', { quantityPrecision: 5, pricePrecision: 2 });
    const order: ParentOrder = {
      ...pair,
      legs: [pair.legs[1]!, { ...pair.legs[0], quantityPrecision: 1, symbol: 'BTC/USDT' }],
      pair: { ...pair.pair!, leadingIndex: 0 },
    };
    for (const code of Object.keys(REASONS) as (keyof typeof REASONS)[]) {
      const event: OrderEvent = { kind: 'StrategyNoted', reason: reasonOf(code), memory: null, leg: 0 };
      const names = REASONS[code].figures;
      const wanted = Object.fromEntries(names.map((name) => [name, shown[name]]));
      const envelope = envelopeOf(event, { parent: ACCEPTED_PAIR.parent });
      const entry = entryOf(order, envelope);
      expect(complaintsOf(matches, { order_id: 7, events: [entry] }), code).toBe('');
      expect(entry.detail, code).toEqual(names.length === 0 ? undefined : wanted);
    }
  });

  it('omit what is not known, and show the words of an earlier version as they are', () => {
    const figures = [Number.NaN, 0, 0, 0, 6_400_001, Number.NaN];
    expect(noted({ code: 'MARKET_ONE_SIDED', detail: '', figures })).toMatchObject({
      reason: 'MARKET_ONE_SIDED',
      detail: { filled: 0, working: 0, ask: 64_000.01 },
    });
    expect(noted({ code: 'TAKE_TO_LIMIT', detail: 'target=40000 bid=6275815' })).toMatchObject({
      reason: 'TAKE_TO_LIMIT',
      detail: { message: 'target=40000 bid=6275815' },
    });
    expect(noted({ code: 'REMEMBER', detail: '' })).not.toHaveProperty('detail');
  });

  it('are listed in the documents with their members', () => {
    const page = readFileSync('src/docs/reasons.md', 'utf8');
    const rows = new Map(
      page.split('\n').flatMap((line) => {
        const [name, ...cells] = line
          .split('|')
          .map((cell) => cell.trim())
          .slice(1, -1);
        return name?.startsWith('`') === true ? [[name.slice(1, -1), cells] as const] : [];
      }),
    );
    for (const [code, { meaning, figures }] of Object.entries(REASONS)) {
      expect(rows.get(code), code).toEqual([meaning, figures.join(', ')]);
      expect(ReasonCode.description).toContain(`\`${code}\`: ${meaning}`);
    }
    for (const [name, { meaning }] of Object.entries(FIGURES)) {
      expect(rows.get(name)?.[1], name).toBe(meaning);
      expect(ReasonDetail.properties).toHaveProperty(name);
    }
    expect(rows.size).toBe(Object.keys(REASONS).length + Object.keys(FIGURES).length + 1);
  });

  it('of a child are in each of its frames, with the same members', () => {
    const reason = reasonOf('JOIN_TOUCH');
    const child = { ...CHILD_SNAPSHOT, order: { ...CHILD_SNAPSHOT.order, reason } };
    const envelope = envelopeOf(
      { kind: 'ChildAccepted', child: child.order.child, venueOrderId: 'v' as never },
      { child },
    );
    const { order } = JSON.parse(childOrderFrame(1, envelope, PARENT)) as { order: TimelineEntry };
    expect(order.reason).toBe('JOIN_TOUCH');
    expect(order.detail).toEqual({
      target: 1.5,
      filled: 0.025,
      working: 0.01,
      bid: 63_999.99,
      ask: 64_000.01,
      bid_share: 0.512,
      taking_is_cheaper: true,
    });
  });
});
