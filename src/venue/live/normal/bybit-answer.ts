import type { Side } from '../../../domain/order.js';
import { asObject, type JsonFields, type JsonObject, memberOf, shown } from '../json/json-fields.js';
import { type ListRead, readList, type ReportFinding, type Source, unreadable } from './message.js';

/* What all messages of Bybit have in common. */

export const BYBIT_SIDES: ReadonlyMap<string, Side> = new Map([
  ['Buy', 'BUY'],
  ['Sell', 'SELL'],
]);

/** The topic of a frame; null: an answer to an operation, or an unreadable frame. */
export function topicOf(message: JsonObject | null, report: ReportFinding): string | null {
  const topic = memberOf(message, 'topic');
  if (typeof topic === 'string') return topic;
  if (memberOf(message, 'op') === undefined) unreadable(sourceOf('frame', report), 'the frame has no topic');
  return null;
}

/** The list in the result of an answer. */
export function readAnswer<Result>(
  type: string,
  answer: unknown,
  report: ReportFinding,
  build: (fields: JsonFields) => Result,
): ListRead<Result> {
  const source = sourceOf(type, report);
  return readList(source, memberOf(resultOf(source, answer), 'list'), build);
}

/** The result of an answer; null and a finding for an error of the exchange. */
export function resultOf(source: Source, answer: unknown): JsonObject | null {
  const code = memberOf(asObject(answer), 'retCode');
  if (code === 0) return asObject(memberOf(asObject(answer), 'result'));
  unreadable(source, `retCode is ${shown(code)}`);
  return null;
}

export function sourceOf(type: string, report: ReportFinding): Source {
  return { venue: 'BYBIT', type, report };
}
