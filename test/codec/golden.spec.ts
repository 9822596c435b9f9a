import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import {
  decodeCommand,
  decodeEvent,
  decodeMarket,
  decodeShardMessage,
  decodeState,
  decodeTradePrint,
  decodeVenueReport,
  decodeVenueRequest,
  encodeCommand,
  encodeEvent,
  encodeMarket,
  encodeShardMessage,
  encodeState,
  encodeTradePrint,
  encodeVenueReport,
  encodeVenueRequest,
} from '../../src/wire/codec/index.js';
import type { InstrumentMarket } from '../../src/wire/codec/index.js';
import {
  GOLDEN_ACCOUNT_REPORTS,
  GOLDEN_COMMANDS,
  GOLDEN_EVENTS,
  GOLDEN_MARKETS,
  GOLDEN_PRINTS,
  GOLDEN_SHARD_MESSAGES,
  GOLDEN_STATES,
  GOLDEN_VENUE_REPORTS,
  GOLDEN_VENUE_REQUESTS,
} from './golden-models.js';

/**
 * Bytes that the first version wrote, in hexadecimal. Journals and states out there hold such bytes: no entry is ever
 * changed or removed. A message that gains a field gets a new entry beside the old one.
 */
const golden = JSON.parse(readFileSync(new URL('golden.json', import.meta.url), 'utf8')) as Record<string, string>;

function means<Model>(
  models: Readonly<Record<string, Model>>,
  encode: (model: Model) => Uint8Array,
  decode: (bytes: Uint8Array) => Model,
): void {
  it.each(Object.entries(models))('%s', (name, model) => {
    expect(decode(Buffer.from(golden[name] ?? '', 'hex'))).toStrictEqual(model);
    expect(Buffer.from(encode(model)).toString('hex')).toBe(golden[name]);
  });
}

const encodeMarketOf = ({ instrument, market }: InstrumentMarket) => encodeMarket(instrument, market);

describe('bytes of version 1 mean what they meant', () => {
  means(GOLDEN_COMMANDS, encodeCommand, decodeCommand);
  means(GOLDEN_EVENTS, encodeEvent, decodeEvent);
  means(GOLDEN_SHARD_MESSAGES, encodeShardMessage, decodeShardMessage);
  means(GOLDEN_VENUE_REQUESTS, encodeVenueRequest, decodeVenueRequest);
  means(GOLDEN_VENUE_REPORTS, encodeVenueReport, decodeVenueReport);
  means(GOLDEN_ACCOUNT_REPORTS, encodeVenueReport, decodeVenueReport);
  means(GOLDEN_STATES, encodeState, decodeState);
  means(GOLDEN_PRINTS, encodeTradePrint, decodeTradePrint);
  means(GOLDEN_MARKETS, encodeMarketOf, decodeMarket);

  it('no entry is left unread', () => {
    const models = [
      GOLDEN_COMMANDS,
      GOLDEN_EVENTS,
      GOLDEN_SHARD_MESSAGES,
      GOLDEN_VENUE_REQUESTS,
      GOLDEN_VENUE_REPORTS,
      GOLDEN_ACCOUNT_REPORTS,
      GOLDEN_STATES,
      GOLDEN_PRINTS,
      GOLDEN_MARKETS,
    ].flatMap((group) => Object.keys(group));
    expect(Object.keys(golden).toSorted()).toEqual(models.toSorted());
  });
});
