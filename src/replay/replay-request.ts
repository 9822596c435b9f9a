import { readFileSync } from 'node:fs';
import { draftOf } from '../http/parse/order-draft.js';
import { parseJsonBody } from '../http/parse/json-body.js';
import { parseOrderRequest } from '../http/parse/order-request.js';
import type { AccountId, OrderId } from '../model/ids.js';
import { isRejected, reject, type OrRejection } from '../model/rejection.js';
import { parseVenueRates, VenueRatesError, type VenueRates } from '../venue/budget/index.js';
import { buildCatalogue } from '../venue/listing/index.js';
import type { QueueModelName } from '../venue/replay/index.js';
import { replayOrder } from './order-replay.js';
import type { OrderRun } from './order-run.js';
import { chooseRecording, recordingsIn, type Recording } from './recording.js';

/** A replay as it is asked for on the command line. */
export interface ReplayRequest {
  /** Folder with the recordings. */
  readonly dataDir: string;
  /** Part of the name of the recording; null when only one fits the order. */
  readonly symbol: string | null;
  /** File with the body of a create request. */
  readonly orderFile: string;
  readonly queueModel: QueueModelName;
  readonly latencyMs: number;
  /** What exchanges take of an account, in the words of SLUICE_VENUE_RATES. */
  readonly venueRates: string;
}

export interface RequestedReplay {
  readonly recording: Recording;
  readonly replay: OrderRun;
}

const ACCOUNT = 'replay' as AccountId;
const ORDER_ID = 1 as OrderId;

/** Reads, chooses and replays what was asked for; a rejection says what is wrong with the order or the choice. */
export async function runReplay(request: ReplayRequest): Promise<OrRejection<RequestedReplay>> {
  const body = parseJsonBody(readFileSync(request.orderFile));
  if (isRejected(body)) return body;
  const rates = ratesOf(request.venueRates);
  if (isRejected(rates)) return rates;
  const catalogue = buildCatalogue();
  const order = parseOrderRequest(body.value, catalogue);
  if (isRejected(order)) return order;
  const { instrument } = order.subject;
  const recording = chooseRecording(recordingsIn(request.dataDir), instrument, request.symbol);
  if (isRejected(recording)) return recording;
  const { queueModel, latencyMs } = request;
  const replay = await replayOrder({
    recording,
    instrument,
    catalogue,
    orderAt: (nowMs) => ({ ...draftOf(order, '', ACCOUNT, nowMs), orderId: ORDER_ID }),
    queueModel,
    latencyMs,
    rates: rates.value,
  });
  return isRejected(replay) ? replay : { recording, replay };
}

function ratesOf(text: string): OrRejection<{ readonly value: VenueRates }> {
  try {
    return { value: parseVenueRates(text) };
  } catch (error) {
    if (error instanceof VenueRatesError) return reject('INVALID_PARAM', `rates: ${error.message}`);
    throw error;
  }
}
