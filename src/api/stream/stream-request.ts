import { quote } from '../field/json-text.js';
import { ACCOUNT_TOPICS, type AccountTopic } from '../../domain/event.js';
import { parseVenue, type Venue } from '../../domain/exchange.js';
import type { Instrument, InstrumentCatalogue } from '../../domain/instrument.js';
import { asciiLower, asciiUpper } from '../../domain/letter-case.js';
import { CANDLE_INTERVALS, type CandleInterval, type MarketFeed } from '../../domain/market-feed.js';

const MARKET_TOPICS = ['ticker', 'ohlcv', 'open_interest'] as const;
type MarketTopic = (typeof MARKET_TOPICS)[number];
type Topic = AccountTopic | MarketTopic;
const TOPICS: readonly string[] = [...ACCOUNT_TOPICS, ...MARKET_TOPICS];

type Method = 'subscribe' | 'unsubscribe';

/** A parsed client message. `echo` is the text of its acknowledgement. */
export type StreamRequest =
  | { readonly kind: 'ping' }
  | { readonly kind: 'pong' }
  | {
      readonly kind: 'account';
      readonly method: Method;
      readonly topic: AccountTopic;
      readonly venue: Venue;
      /** First replay the frames after this one; null: only later frames. */
      readonly resumeFrom: number | null;
      /** First send the open orders. Only with topic `order`: other topics with a state send it in any case. */
      readonly withOpenOrders: boolean;
      readonly echo: string;
    }
  | { readonly kind: 'ticker'; readonly method: Method; readonly instrument: Instrument; readonly echo: string }
  | { readonly kind: 'market feed'; readonly method: Method; readonly feed: MarketFeed; readonly echo: string }
  | { readonly kind: 'refused'; readonly code: AnswerCode; readonly message: string };

type Fields = Readonly<Record<string, unknown>>;

/** Parses one client message. Answers the first error in this order: text, method, topic, exchange, the rest. */
export function parseStreamRequest(text: string, catalogue: InstrumentCatalogue): StreamRequest {
  const fields = parseObject(text);
  if (fields === null) return invalid('the message is not a JSON object');
  const { topic, method } = fields;
  if (method === undefined && topic === 'ping') return { kind: 'ping' };
  if (method === undefined && topic === 'pong') return { kind: 'pong' };
  return parseSubscription(fields, catalogue);
}

function parseSubscription(fields: Fields, catalogue: InstrumentCatalogue): StreamRequest {
  const method = parseMethod(fields['method']);
  if (method === null) return invalid(`method ${shown(fields['method'])} must be subscribe or unsubscribe`);
  const topic = parseTopic(fields['topic']);
  if (topic === null) return invalid(`topic ${shown(fields['topic'])} must be one of ${TOPICS.join(', ')}`);
  const { exchange } = fields;
  const venue = typeof exchange === 'string' ? parseVenue(exchange) : null;
  if (venue === null) {
    return refused(UNKNOWN_EXCHANGE, `exchange ${shown(exchange)} is missing or no trading exchange`);
  }
  const echo = echoOf(fields, venue);
  if (echo === null) return invalid('the message is nested too deeply');
  if (isAccountTopic(topic)) return parseAccount({ kind: 'account', method, topic, venue, echo }, fields);
  return parseMarket({ method, topic, venue, echo }, fields, catalogue);
}

function parseAccount(
  request: Omit<Extract<StreamRequest, { kind: 'account' }>, 'resumeFrom' | 'withOpenOrders'>,
  { resume_from: from, snapshot: asked }: Fields,
): StreamRequest {
  const resumeFrom = from ?? null;
  if (resumeFrom !== null && !isFrameNumber(resumeFrom)) {
    return invalid(`resume_from ${shown(resumeFrom)} must be the seq of a frame, or 0 for all stored frames`);
  }
  const snapshot = asked ?? false;
  if (typeof snapshot !== 'boolean') return invalid(`snapshot ${shown(snapshot)} must be true or false`);
  if (!snapshot) return { ...request, resumeFrom, withOpenOrders: false };
  const { topic } = request;
  if (topic === 'child_order' || topic === 'trade') return invalid(`topic ${topic} has no snapshot`);
  if (resumeFrom !== null) {
    return invalid('snapshot and resume_from exclude each other: a stream that resumes has the state already');
  }
  return { ...request, resumeFrom, withOpenOrders: topic === 'order' };
}

function isFrameNumber(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;
}

interface MarketWish {
  readonly method: Method;
  readonly topic: MarketTopic;
  readonly venue: Venue;
  readonly echo: string;
}

function parseMarket(
  { method, topic, venue, echo }: MarketWish,
  { symbol, interval }: Fields,
  catalogue: InstrumentCatalogue,
): StreamRequest {
  if (typeof symbol !== 'string') return invalid(`topic ${topic} needs a symbol such as BTC/USDT`);
  const instrument = catalogue.findCanonical(venue, symbol);
  if (instrument === null) return invalid(unlistedMessage(venue, symbol, catalogue));
  switch (topic) {
    case 'ticker':
      return { kind: 'ticker', method, instrument, echo };
    case 'ohlcv': {
      const length = parseInterval(interval);
      if (length === null) {
        return invalid(`interval ${shown(interval)} must be one of ${CANDLE_INTERVALS.join(', ')}`);
      }
      const feed: MarketFeed = { kind: 'candles', instrument: instrument.index, interval: length };
      return { kind: 'market feed', method, feed, echo };
    }
    case 'open_interest': {
      if (instrument.assetCategory !== 'FUTURE') {
        return invalid(`symbol ${shown(symbol)} is SPOT: topic open_interest is for FUTURE only`);
      }
      return { kind: 'market feed', method, feed: { kind: 'openInterest', instrument: instrument.index }, echo };
    }
  }
}

function unlistedMessage(venue: Venue, symbol: string, catalogue: InstrumentCatalogue): string {
  const named = catalogue.namedWithoutSlash(venue, symbol.includes(':') ? 'FUTURE' : 'SPOT', symbol);
  if (named.length === 0) return `symbol ${shown(symbol)} is not listed on ${venue}`;
  return `symbol ${shown(symbol)} names more than one instrument on ${venue}: ${named.map((one) => one.symbol).join(', ')}`;
}

/** null: the interval is invalid. */
function parseInterval(interval: unknown): CandleInterval | null {
  if (interval === undefined || interval === null) return 'ONE_MINUTE';
  const name = typeof interval === 'string' ? asciiUpper(interval) : '';
  return CANDLE_INTERVALS.find((one) => one === name) ?? null;
}

function parseObject(text: string): Fields | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : null;
  } catch {
    return null;
  }
}

/** The request as JSON with the exchange in upper case; null when it is nested too deeply for the serialiser. */
function echoOf(fields: Fields, venue: Venue): string | null {
  try {
    return JSON.stringify({ ...fields, exchange: venue });
  } catch {
    return null;
  }
}

function parseMethod(method: unknown): Method | null {
  const name = typeof method === 'string' ? asciiLower(method) : null;
  return name === 'subscribe' || name === 'unsubscribe' ? name : null;
}

function parseTopic(topic: unknown): Topic | null {
  const name = typeof topic === 'string' ? asciiLower(topic) : '';
  return TOPICS.includes(name) ? (name as Topic) : null;
}

function isAccountTopic(topic: Topic): topic is AccountTopic {
  return (ACCOUNT_TOPICS as readonly string[]).includes(topic);
}

const SHOWN_CHARACTERS_MAX = 64;

/** A short form of the client's value for a message. */
function shown(value: unknown): string {
  if (value === undefined) return '(missing)';
  if (typeof value === 'string') return value.slice(0, SHOWN_CHARACTERS_MAX);
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  return value === null ? 'null' : '(an object)';
}

function refused(code: AnswerCode, message: string): StreamRequest {
  return { kind: 'refused', code, message };
}

function invalid(message: string): StreamRequest {
  return refused(INVALID_STREAM_REQUEST, message);
}

/** Codes of the answers to subscribe and unsubscribe. */
export const ACKNOWLEDGED = 0;
export const STREAM_ENDED = 7001;
export const INVALID_STREAM_REQUEST = 7002;
const UNKNOWN_EXCHANGE = 8054;
export type AnswerCode =
  | typeof ACKNOWLEDGED
  | typeof STREAM_ENDED
  | typeof INVALID_STREAM_REQUEST
  | typeof UNKNOWN_EXCHANGE;

export const PING_FRAME = '{"topic":"ping"}';
export const PONG_FRAME = '{"topic":"pong"}';
export const SHUTDOWN_FRAME = '{"topic":"server","message":"shutting down"}';

export function answerFrame(code: AnswerCode, message: string): string {
  return `{"code":${code},"message":${quote(message)}}`;
}

/** The notice that an acknowledged stream has ended. Its member `ended` tells it from the refusal of a request. */
export function streamEndedFrame(topic: AccountTopic, venue: Venue, why: string): string {
  const message = `stream ${topic} of ${venue} has ended: ${why}; subscribe again`;
  return `{"code":${STREAM_ENDED},"message":${quote(message)},"ended":{"topic":"${topic}","exchange":"${venue}"}}`;
}
