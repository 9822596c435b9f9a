import { createHmac } from 'node:crypto';
import { decodeSecret } from '../../src/client/index.js';
import type { KeyOf } from './account-session.js';

/**
 * A decimal as a count of 10^-18. The checks use their own decimals, so that a fault of the service's cannot hide in
 * both.
 */
export type Exact = bigint;

const DIGITS = 18;
const UNIT = 10n ** BigInt(DIGITS);
const DECIMAL = /^(-?)(\d+)(?:\.(\d+))?$/;

/** Parses a decimal without an exponent. Throws for more than 18 digits after the point. */
export function exact(text: string): Exact {
  const match = DECIMAL.exec(text);
  const [, sign = '', whole = '', fraction = ''] = match ?? [];
  if (match === null || fraction.length > DIGITS) throw new Error(`${text} is not a decimal of ${DIGITS} digits`);
  const count = BigInt(whole + fraction.padEnd(DIGITS, '0'));
  return sign === '-' ? -count : count;
}

/** Returns a whole number of steps of 10^-digits. */
export function exactSteps(steps: number, digits: number): Exact {
  if (!Number.isSafeInteger(steps)) throw new Error(`${steps} is not a whole number`);
  return BigInt(steps) * 10n ** BigInt(DIGITS - digits);
}

/** Returns the product. Throws when it has more than 18 digits after the point. */
export function exactProduct(left: Exact, right: Exact): Exact {
  const product = left * right;
  if (product % UNIT !== 0n)
    throw new Error(`the product of ${textOf(left)} and ${textOf(right)} has more than 18 digits after the point`);
  return product / UNIT;
}

export function textOf(value: Exact): string {
  const digits = (value < 0n ? -value : value).toString().padStart(DIGITS + 1, '0');
  const fraction = digits.slice(-DIGITS).replace(/0+$/, '');
  return `${value < 0n ? '-' : ''}${digits.slice(0, -DIGITS)}${fraction === '' ? '' : `.${fraction}`}`;
}

/** An order as the service shows it, with the compared numbers as text. */
export interface ExactOrder {
  readonly order_id: string;
  readonly client_order_id?: string;
  readonly status: string;
  readonly error_code?: string;
  readonly filled_quantity: string;
  readonly leaves_quantity: string;
  readonly end_time?: string;
  readonly message?: string;
  /** Absent for an order with legs. */
  readonly symbol?: string;
  readonly asset_class: string;
  readonly legs?: readonly Pick<ExactOrder, 'symbol' | 'asset_class' | 'filled_quantity'>[];
  readonly quarantine?: { readonly detail: string };
}

/** One event of an order. */
export interface ExactEvent {
  readonly seq: string;
  readonly event: string;
  readonly status: string;
  readonly child_order_id?: string;
  readonly child_status?: string;
  readonly reason?: string;
  readonly message?: string;
}

export interface ExactTrade {
  readonly trade_id: string;
  readonly exchangeOrderId: string;
  readonly makerOrTaker: string;
  readonly clientOrderId?: string;
  readonly symbol: string;
  readonly direction: string;
  readonly quantity: string;
  readonly price: string;
  readonly fee: string;
  readonly feeCurrency: string;
}

export interface ExactBalance {
  readonly symbol: string;
  readonly balance: string;
  readonly free: string;
}

const IDS_PER_QUERY = 200;
const EVENTS_PER_QUERY = 1_000;
const BUSY = 503;
const TRIES_MAX = 30;
const AGAIN_MS = 1_000;

/** Reads the REST API of one account with all numbers as text, because a float could hide a lost digit. */
export class ExactReader {
  readonly #port: number;
  readonly #key: KeyOf;
  readonly #nowMs: () => number;

  constructor(port: number, key: KeyOf, nowMs: () => number = Date.now) {
    this.#port = port;
    this.#key = key;
    this.#nowMs = nowMs;
  }

  async open(): Promise<readonly ExactOrder[]> {
    return ((await this.#get('/api/v2/trading/order/open')) as { orders: ExactOrder[] }).orders;
  }

  byId(orderIds: readonly number[]): Promise<readonly ExactOrder[]> {
    return inParts(orderIds, async (ids) => {
      const answer = await this.#get('/api/v2/trading/order/byId', `orderIds=${ids.join()}`);
      return (answer as { orders: ExactOrder[] }).orders;
    });
  }

  trades(exchange: string, orderIds: readonly number[]): Promise<readonly ExactTrade[]> {
    return inParts(orderIds, async (ids) => {
      const query = `exchange=${exchange}&orderIds=${ids.join()}`;
      return ((await this.#get('/api/v2/trading/userTrades', query)) as { trades: ExactTrade[] }).trades;
    });
  }

  async balances(exchange: string): Promise<readonly ExactBalance[]> {
    return (await this.#get('/api/v2/trading/balance', `exchange=${exchange}`)) as ExactBalance[];
  }

  /** All events of an order, the oldest first. */
  async timeline(orderId: number): Promise<readonly ExactEvent[]> {
    const events: ExactEvent[] = [];
    for (let after: string | undefined = '0'; after !== undefined;) {
      const query = `after=${after}&limit=${EVENTS_PER_QUERY}&orderId=${orderId}`;
      const page = (await this.#get('/api/v2/trading/order/timeline', query)) as {
        readonly events: readonly ExactEvent[];
        readonly next_after?: string;
      };
      events.push(...page.events);
      after = page.next_after;
    }
    return events;
  }

  /** Repeats the request while the service is busy. */
  async #get(path: string, query = ''): Promise<unknown> {
    for (let tries = 1; ; tries += 1) {
      const { status, text } = await this.#ask(path, query);
      if (status === 200) {
        return JSON.parse(text.replaceAll(/(?<!\\)":(-?\d+(?:\.\d+)?)(?=[,}\]])/g, '":"$1"')) as unknown;
      }
      if (status !== BUSY || tries === TRIES_MAX) throw new Error(`${path} answered ${status}: ${text}`);
      await new Promise((resolve) => setTimeout(resolve, AGAIN_MS));
    }
  }

  async #ask(path: string, query: string): Promise<{ readonly status: number; readonly text: string }> {
    const timestamp = this.#nowMs();
    const { apiKey, apiSecret } = this.#key;
    const signed = `${timestamp}${apiKey}60000${query}`;
    const signature = createHmac('sha256', decodeSecret(apiSecret)).update(signed).digest('base64');
    const response = await fetch(`http://127.0.0.1:${this.#port}${path}${query === '' ? '' : `?${query}`}`, {
      headers: {
        'X-API-KEY': apiKey,
        'X-TIMESTAMP': String(timestamp),
        'X-RECV-WINDOW': '60000',
        'X-SIGN': signature,
      },
    });
    return { status: response.status, text: await response.text() };
  }
}

async function inParts<Item>(
  ids: readonly number[],
  read: (part: readonly number[]) => Promise<readonly Item[]>,
): Promise<readonly Item[]> {
  const items: Item[] = [];
  for (let from = 0; from < ids.length; from += IDS_PER_QUERY) {
    items.push(...(await read(ids.slice(from, from + IDS_PER_QUERY))));
  }
  return items;
}
