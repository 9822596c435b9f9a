import type { AccountId, ChildNumber, OrderId, VenueOrderId } from '../../../src/domain/ids.js';
import type { Instrument, InstrumentCatalogue } from '../../../src/domain/instrument.js';
import type { EpochMs } from '../../../src/domain/time.js';
import type { VenueRequest } from '../../../src/domain/venue-message.js';
import type { VenueReport } from '../../../src/domain/venue-report.js';
import type { VenueGateway, VenueSink } from '../../../src/venue/port.js';
import { buildCatalogue } from '../../../src/venue/listing/catalogue.js';

const whole = buildCatalogue();
export const CATALOGUE: InstrumentCatalogue = whole;
export const BTC: Instrument = instrumentAt('BINANCE');
export const OKX_BTC: Instrument = instrumentAt('OKX');
export const START_MS = 1_800_000_000_000 as EpochMs;

function instrumentAt(venue: Instrument['venue']): Instrument {
  const instrument = whole.findCanonical(venue, 'BTC/USDT');
  if (instrument === null) throw new Error(`${venue} lists BTC/USDT`);
  return instrument;
}

/** A gateway that accepts every order at once and publishes the reports that the test scripts. */
export class ScriptedGateway implements VenueGateway {
  /** Requests received, as `kind order@ms after the start`. */
  readonly seen: string[] = [];
  readonly requests: VenueRequest[] = [];
  /** Runs at the next advance. */
  readonly sayings: ((sink: VenueSink, nowMs: EpochMs) => void)[] = [];
  readonly advancedAtMs: number[] = [];
  wakeAtMs = Infinity;
  isClosed = false;

  handle(request: VenueRequest, origin: number, nowMs: EpochMs): void {
    this.requests.push(request);
    const orderId = 'orderId' in request ? request.orderId : 0;
    this.seen.push(`${request.kind} ${orderId}@${nowMs - START_MS}`);
    if (request.kind !== 'Submit') return;
    this.sayings.push((sink) => sink.report(acceptedOf(request.orderId, nowMs, request), origin));
  }

  advance(nowMs: EpochMs, sink: VenueSink): void {
    this.advancedAtMs.push(nowMs - START_MS);
    if (this.wakeAtMs <= nowMs) this.wakeAtMs = Infinity;
    for (const say of this.sayings.splice(0)) say(sink, nowMs);
  }

  nextWakeMs(): EpochMs {
    return this.wakeAtMs as EpochMs;
  }

  close(): void {
    this.isClosed = true;
  }
}

export function submitOf(
  orderId: number,
  account = 'alice',
  instrument = BTC,
): Extract<VenueRequest, { kind: 'Submit' }> {
  return {
    kind: 'Submit',
    account: account as AccountId,
    venue: instrument.venue,
    orderId: orderId as OrderId,
    child: 1 as ChildNumber,
    instrument: instrument.index,
    side: 'BUY',
    quantity: 100 as never,
    type: 'LIMIT',
    timeInForce: 'GTC',
    limitPrice: 6_400_000 as never,
    postOnly: false,
    reduceOnly: false,
    selfTradePrevention: 'NONE',
  };
}

export function acceptedOf(orderId: number, atMs: EpochMs, { account, venue } = submitOf(orderId)): VenueReport {
  return {
    kind: 'Accepted',
    account,
    venue,
    orderId: orderId as OrderId,
    child: 1 as ChildNumber,
    atMs,
    venueOrderId: `v${orderId}` as VenueOrderId,
  };
}
