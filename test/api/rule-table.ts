import { describe, expect, it } from 'vitest';
import { NOW_MS } from '../http/orders.js';
import { verdictOn } from './order-requests.js';

/*
 * Tables of rules: fields that replace those of a valid request (BUY 0.5 BTC/USDT on BINANCE by TWAP in 60 s), and the
 * result of the create.
 */

export type Fields = Record<string, unknown>;
export type Row = readonly [fields: Fields, verdict: string];

/** The result of a request that keeps the contract. */
export const TAKEN = 'taken';

/** Tests one sentence of the contract with requests that keep it and requests that break it. */
export function rule(sentence: string, rows: readonly Row[]): void {
  describe(sentence, () => {
    it.each(rows)('%j is answered: %s', (fields, expected) => {
      const verdict = verdictOn(fields);
      if (expected === TAKEN) expect(verdict).toBe('placed');
      else expect(verdict).toContain(expected);
    });
  });
}

export const DAY_MS = 86_400_000;

/** An instant this many milliseconds after the request; before it when negative. */
export function at(offsetMs: number): string {
  return new Date(NOW_MS + offsetMs).toISOString();
}

export function params(fields: Fields): Fields {
  return { params: { duration_seconds: '60', ...fields } };
}

export function would(fields: Fields, others: Fields = {}): Fields {
  return { ...params({ would: fields }), ...others };
}

export function clip(sizeType: string, size?: unknown): Fields {
  return { clip_size_type: sizeType, clip_size_val: size };
}

/** SCALE from 59000 to 60000. */
export function ladder(fields: Fields, others: Fields = {}): Fields {
  const prices = { start_ladder_price: '59000', end_ladder_price: '60000' };
  return { strategy: 'SCALE', params: { ...prices, ...fields }, ...others };
}
