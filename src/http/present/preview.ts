import type { Preview } from '../../analytics/preview.js';
import type { OrderId } from '../../model/ids.js';
import type { Instrument } from '../../model/instrument.js';
import { formatLots } from '../../model/quantity.js';
import type { Rejection } from '../../model/rejection.js';
import { arrayText, quote } from './json-text.js';

/** What there is to tell of an order that was not placed. */
export interface PreviewParts {
  readonly instrument: Instrument | null;
  readonly existingOrderId: OrderId | null;
  readonly rejections: readonly Rejection[];
  readonly preview: Preview | null;
}

/** Figures of a forecast: more digits would say nothing. */
const BPS_DIGITS = 4;
const SHARE_DIGITS = 6;

export function previewText({ instrument, existingOrderId, rejections, preview }: PreviewParts): string {
  const told = rejections.map(({ code, message }) => `{"error_code":"${code}","message":${quote(message)}}`);
  return (
    `{"accepted":${rejections.length === 0},"rejections":${arrayText(told)}` +
    (existingOrderId === null ? '' : `,"existing_order_id":${existingOrderId}`) +
    (preview === null || instrument === null ? '' : planMembers(preview, instrument)) +
    '}'
  );
}

function planMembers({ schedule, children, cost, participation }: Preview, instrument: Instrument): string {
  const slices = schedule.map(
    ({ atMs, quantity }) => `{"time":${atMs},"quantity":${formatLots(quantity, instrument)}}`,
  );
  const { spreadBps, impactBps, feeBps, totalBps, stdevBps } = cost;
  return (
    `,"schedule":${arrayText(slices)}` +
    `,"children":{"count":${children.count},"quantity":${formatLots(children.quantity, instrument)}}` +
    `,"expected_cost":{"spread_bps":${bpsText(spreadBps)},"impact_bps":${bpsText(impactBps)}` +
    `,"fee_bps":${bpsText(feeBps)},"total_bps":${bpsText(totalBps)},"stdev_bps":${bpsText(stdevBps)}}` +
    (participation === null ? '' : `,"participation":${Number(participation.toPrecision(SHARE_DIGITS))}`)
  );
}

/** Adding 0 leaves no minus before a zero. */
function bpsText(bps: number): string {
  return String(Number(bps.toFixed(BPS_DIGITS)) + 0);
}
