import { asObject, type JsonFields, memberOf, namesIn, shown } from '../json/json-fields.js';
import {
  readAccountPosition,
  readAccountUpdate,
  readExecutionReport,
  readOrderTradeUpdate,
} from './binance-account.js';
import {
  readAggregateTrade,
  readBookTicker,
  readDepthUpdate,
  readKline,
  readMarkPriceUpdate,
  readTrade,
  snapshotOf,
} from './binance-market.js';
import { readObject, type ReportFinding, unknown, unreadable } from './message.js';
import type { VenueRecord } from './records.js';

type FrameReader = (fields: JsonFields) => readonly VenueRecord[];

const READERS: ReadonlyMap<string, FrameReader> = new Map<string, FrameReader>([
  ['bookTicker', readBookTicker],
  ['depthUpdate', readDepthUpdate],
  ['trade', readTrade],
  ['aggTrade', readAggregateTrade],
  ['kline', readKline],
  ['markPriceUpdate', readMarkPriceUpdate],
  ['executionReport', readExecutionReport],
  ['outboundAccountPosition', readAccountPosition],
  ['ORDER_TRADE_UPDATE', readOrderTradeUpdate],
  ['ACCOUNT_UPDATE', readAccountUpdate],
  ['listenKeyExpired', streamEnded],
  ['eventStreamTerminated', streamEnded],
]);

/** Known frames without a record: another frame says the same, or Sluice does not use what they say. */
const IGNORED = namesIn(`
  TRADE_LITE forceOrder balanceUpdate listStatus externalLockUpdate ACCOUNT_CONFIG_UPDATE MARGIN_CALL STRATEGY_UPDATE
  GRID_UPDATE CONDITIONAL_ORDER_TRIGGER_REJECT ALGO_UPDATE 24hrTicker 24hrMiniTicker avgPrice serverShutdown`);

/**
 * Reads one frame of Binance's spot or USD-M streams: bare, as `data` of a combined stream, or as `event` of a
 * subscription. A fill comes before the order that it changes. Answers to requests (`id` with `result`) give no record.
 */
export function readBinanceFrame(frame: unknown, report: ReportFinding): readonly VenueRecord[] {
  const outer = asObject(frame);
  const inner = memberOf(outer, 'data') ?? memberOf(outer, 'event');
  const message = asObject(inner) ?? outer;
  const type = memberOf(message, 'e') ?? untypedName(memberOf(message, 'u'), memberOf(message, 'lastUpdateId'));
  const source = { venue: 'BINANCE', type: typeof type === 'string' ? type : 'frame', report } as const;
  if (type === 'partialDepth') {
    // The name of the stream has the symbol in lower case: `btcusdt@depth20`.
    const stream = memberOf(outer, 'stream');
    const symbol = typeof stream === 'string' ? stream.slice(0, stream.indexOf('@')).toUpperCase() : '';
    if (symbol !== '') return listOf(readObject(source, message, (fields) => [snapshotOf(fields, symbol)]));
    unreadable(source, 'a book without the name of its stream');
    return [];
  }
  if (typeof type !== 'string') {
    if (message === null || memberOf(message, 'id') === undefined) unreadable(source, 'the frame has no type');
    return [];
  }
  const reader = READERS.get(type);
  if (reader !== undefined) return listOf(readObject(source, message, reader));
  if (!IGNORED.has(type)) unknown(source, `unknown frame ${shown(type)}`);
  return [];
}

/** Two kinds of spot frames have no type. */
function untypedName(updateId: unknown, lastUpdateId: unknown): string | undefined {
  if (lastUpdateId !== undefined) return 'partialDepth';
  return updateId === undefined ? undefined : 'bookTicker';
}

function listOf(records: readonly VenueRecord[] | null): readonly VenueRecord[] {
  return records ?? [];
}

function streamEnded(fields: JsonFields): readonly VenueRecord[] {
  return [{ kind: 'StreamEnded', reason: fields.text('e') }];
}
