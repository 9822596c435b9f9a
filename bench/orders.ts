import { createHmac } from 'node:crypto';

export interface BenchKey {
  readonly apiKey: string;
  readonly apiSecret: string;
}

/** Time from placement to the start of an order: the benchmark measures the durable placement, not the execution. */
export const START_AHEAD_MS = 600_000;
export const RECV_WINDOW_MS = 60_000;
const PATH = '/api/v2/trading/order/create';

/** Returns complete HTTP requests, each signed and with its own order. They are valid for a minute. */
export function signedCreates(key: BenchKey, count: number, prefix: string): Buffer[] {
  const creates = new SignedCreates(key, count, prefix);
  return Array.from({ length: count }, (_, index) => creates.at(index) as Buffer);
}

/** Signs each create request when it is read, for a longer run. */
export class SignedCreates {
  readonly length: number;
  readonly #key: BenchKey;
  readonly #secret: Buffer;
  readonly #prefix: string;

  constructor(key: BenchKey, count: number, prefix: string) {
    this.length = count;
    this.#key = key;
    this.#secret = Buffer.from(key.apiSecret, 'base64url');
    this.#prefix = prefix;
  }

  at(index: number): Buffer | undefined {
    return index < this.length ? this.#sign(index) : undefined;
  }

  #sign(index: number): Buffer {
    const { apiKey } = this.#key;
    const timestamp = Date.now();
    const startTime = new Date(timestamp + START_AHEAD_MS).toISOString();
    const body = orderBody(`${this.#prefix}-${index}`, startTime, index);
    const signature = createHmac('sha256', this.#secret)
      .update(`${timestamp}${apiKey}${RECV_WINDOW_MS}${body}`)
      .digest('base64');
    return Buffer.from(
      `POST ${PATH} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nX-API-KEY: ${apiKey}\r\n` +
        `X-TIMESTAMP: ${timestamp}\r\nX-RECV-WINDOW: ${RECV_WINDOW_MS}\r\nX-SIGN: ${signature}\r\n` +
        `Content-Length: ${body.length}\r\n\r\n${body}`,
    );
  }
}

/** The body of a create. */
export function orderBody(clientOrderId: string, startTime: string, index: number): string {
  return JSON.stringify({
    client_order_id: clientOrderId,
    exchange: 'BINANCE',
    symbol: 'BTC/USDT',
    asset_category: 'SPOT',
    side: 'BUY',
    quantity: `0.${String(1000 + (index % 9000)).padStart(5, '0')}`,
    strategy: 'TWAP',
    start_time: startTime,
    params: { duration_seconds: '3600', trading_style: 'HYBRID' },
  });
}
