import type { MessageFinding, ReportFinding } from '../../../../src/venue/live/normal/message.js';

/** The result of a reader and what it reported. */
export interface Reading<Result> {
  readonly result: Result;
  readonly findings: readonly string[];
}

export function reading<Result>(reader: (report: ReportFinding) => Result): Reading<Result> {
  const found: MessageFinding[] = [];
  const result = reader((finding) => found.push(finding));
  return { result, findings: found.map(({ kind, type, message }) => `${kind} ${type}: ${message}`) };
}
