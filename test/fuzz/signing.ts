import type { Random } from '../torture/random.js';
import type { Operation } from './api-document.js';
import {
  bytesOf,
  type Header,
  plainHeaders,
  type Request,
  secondSignature,
  signatureHeaders,
  type SignedParts,
} from './request-head.js';
import { contentOf, type RequestPlan, type Sources } from './request-plan.js';
import { ValueSource } from './value-source.js';

/** Longer than a plan takes on a loaded machine, so that no signature expires. */
const WINDOW_MS = 60_000;

/** Makes and signs requests, all with one timestamp and one nonce. */
export class Signing {
  readonly #sources: Sources;
  readonly #random: Random;
  readonly #nowMs: number;
  readonly #nonce: string;

  constructor(sources: Sources, random: Random, nowMs: number) {
    this.#sources = sources;
    this.#random = random;
    this.#nowMs = nowMs;
    this.#nonce = Array.from({ length: 4 }, () =>
      random
        .below(2 ** 32)
        .toString(16)
        .padStart(8, '0'),
    ).join('');
  }

  operation(id: string): Operation {
    const found = this.#sources.document.operations.find((operation) => operation.id === id);
    if (found === undefined) throw new Error(`the service has no operation ${id}`);
    return found;
  }

  /** Returns a valid body of an operation with the wanted members. */
  body(operation: Operation, isWanted: (name: string) => boolean): Buffer {
    const value: unknown = JSON.parse(this.#content(operation).body.toString());
    const text = JSON.stringify(value, (name, member: unknown) => (isWanted(name) ? member : undefined));
    return Buffer.from(text);
  }

  /** Returns a request with a version 1 signature over this content, or over the decoded query. */
  first(operation: Operation, body: Buffer, { query, body: signed }: { query: string; body: Buffer }): RequestPlan {
    const signature = signatureHeaders(this.#sources.key, signed, this.#nowMs, WINDOW_MS);
    return this.#request(operation, { query, body }, signature);
  }

  /** Returns a request with a version 2 signature over changed parts, with replaced headers. */
  second(operation: Operation, change: (parts: SignedParts) => SignedParts, others: readonly Header[]): RequestPlan {
    const { apiKey, apiSecret } = this.#sources.key;
    const { query, body } = this.#content(operation);
    const { method, path } = operation;
    const [timestamp, window, nonce] = [String(this.#nowMs), String(WINDOW_MS), this.#nonce];
    const sign = secondSignature(apiSecret, change({ method, path, query, body, timestamp, apiKey, window, nonce }));
    const headers: Header[] = [
      ['X-API-KEY', apiKey],
      ['X-TIMESTAMP', timestamp],
      ['X-RECV-WINDOW', window],
      ['X-SIGN-VERSION', '2'],
      ['X-NONCE', nonce],
      ['X-SIGN', sign],
    ];
    const replaced = headers.map(([name, value]): Header => [
      name,
      others.find(([other]) => other === name)?.[1] ?? value,
    ]);
    return this.#request(
      operation,
      { query, body },
      replaced.filter(([, value]) => value !== ''),
    );
  }

  #content(operation: Operation): { readonly query: string; readonly body: Buffer } {
    const { document, world } = this.#sources;
    const source = new ValueSource(document.schemas, world, this.#random, this.#nowMs);
    return contentOf(operation, 'nothing', { document, source, random: this.#random });
  }

  #request(operation: Operation, content: { query: string; body: Buffer }, signature: readonly Header[]): RequestPlan {
    const { method, path } = operation;
    const { query, body } = content;
    const target = query === '' ? path : `${path}?${query}`;
    const request: Request = {
      method,
      target,
      headers: [...plainHeaders(body, method === 'POST'), ...signature],
      body,
    };
    return { kind: 'request', flaw: 'signature', operation, method, bytes: bytesOf(request) };
  }
}
