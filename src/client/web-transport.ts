import { type HttpAnswer, type HttpCall, retryDelayMs, type Transport, unanswered } from './transport.js';

const TIMEOUT_MS = 15_000;
/** The browser stores no answer, and sends nothing besides the request. */
const PRIVATE = { cache: 'no-store', credentials: 'omit', redirect: 'error', referrerPolicy: 'no-referrer' } as const;

/** HTTP requests of a page. */
export class WebTransport implements Transport {
  readonly #base: URL;

  /** `base` ends with a slash: a proxy may serve the page under a path prefix. */
  constructor(base: URL) {
    this.#base = base;
  }

  async ask(call: HttpCall): Promise<HttpAnswer> {
    const { target, ...request } = call;
    try {
      const answer = await fetch(new URL(`.${target}`, this.#base), {
        ...PRIVATE,
        ...request,
        signal: AbortSignal.timeout(TIMEOUT_MS),
      });
      return {
        status: answer.status,
        requestId: answer.headers.get('X-Request-Id'),
        retryAfterMs: retryDelayMs(answer.headers.get('Retry-After')),
        body: await answer.text(),
      };
    } catch (cause) {
      throw unanswered(call, cause);
    }
  }

  /** The browser owns the connections. */
  close(): void {}
}
