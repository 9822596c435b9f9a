// @ts-check
/**
 * Quotes one bid and one ask around the mid price until it gets SIGINT or SIGTERM.
 *
 *     SLUICE_URL=http://127.0.0.1:8080 SLUICE_API_KEY=… SLUICE_API_SECRET=… node market-maker.mjs
 *
 * Three things protect the quotes when something fails:
 * - The session has cancelOnDisconnect: the service cancels its orders when it ends and is not resumed within 2 s. The
 *   client resumes a lost session by itself.
 * - cancelAllAfter cancels every order of the account when the program hangs with an open connection. Give the program
 *   an account of its own.
 * - The stream of orders resumes after the last frame, so no fill is missed. After a restart, the snapshot shows the
 *   orders that are still open.
 */
import { SluiceClient, SluiceError, StreamClient, TERMINAL_STATUSES } from 'sluice-client';

const { SLUICE_URL: url = 'http://127.0.0.1:8080', SLUICE_API_KEY = '', SLUICE_API_SECRET = '' } = process.env;
const MARKET = /** @type {const} */ ({ exchange: 'BINANCE', symbol: 'BTC/USDT' });
const QUANTITY = '0.002';
/**
 * Distance of each quote from the mid price, and the move of the mid price that makes a new quote: parts of the price.
 */
const DISTANCE = 0.001;
const MOVE = 0.0001;
const LOOK_MS = 500;
const DEAD_MAN_MS = 15_000;

const client = new SluiceClient({
  url,
  apiKey: SLUICE_API_KEY,
  apiSecret: SLUICE_API_SECRET,
  transport: 'ws',
  cancelOnDisconnect: true,
});
const stream = new StreamClient({
  url,
  listenKey: () => client.listenKey(),
  onConnection: (state) => console.log(`stream ${state}`),
  onFeedLost: (request, error) => console.log(`frames of ${request.topic} are missing: ${error.message}`),
});

/**
 * The working quotes by side: the id of the order and the mid price of its quote. @type {Map<string, { id: string, mid:
 * number }>}
 */
const quotes = new Map();
/** Begins the ids of this program, so that it leaves the other orders of the account alone. */
const PREFIX = 'quote-';
let quoteCount = 0;
let mid = 0;
const stop = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => stop.abort());

const [instrument] = await client.instruments(MARKET);
if (instrument === undefined) throw new Error(`${MARKET.exchange} does not list ${MARKET.symbol}`);
const tick = (instrument.priceStep ?? 1) / 10 ** instrument.pricePrecision;

await stream.connect();
await stream.subscribe({ topic: 'ticker', ...MARKET }, ({ bid, ask }) => {
  if (bid !== undefined && ask !== undefined) mid = (bid + ask) / 2;
});
await stream.subscribe({ topic: 'order', exchange: MARKET.exchange, snapshot: true }, (frame) => {
  const { client_order_id: id, status, side, filled_quantity: filled } = frame.order_status;
  if (id === undefined || !id.startsWith(PREFIX)) return;
  const isOpen = !TERMINAL_STATUSES.includes(status);
  if (quotes.get(side)?.id === id) {
    if (isOpen) return;
    console.log(`${side} ${id} is ${status}, filled ${filled}`);
    quotes.delete(side);
  } else if (isOpen && status !== 'PENDING_CANCEL') {
    // A quote of an earlier run, or of a create whose answer was lost.
    console.log(`found ${id}, cancelling it`);
    client.cancel({ client_order_id: id }).catch(report);
  }
});

while (!stop.signal.aborted) {
  await client.cancelAllAfter(DEAD_MAN_MS).catch(report);
  if (mid > 0) await Promise.all([quote('BUY'), quote('SELL')]).catch(report);
  await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
}
await client.cancelAllAfter(0);
const rest = [...quotes.values()].map(({ id }) => ({ client_order_id: id }));
if (rest.length > 0) await client.cancelMany(rest);
console.log(`cancelled ${rest.length} quotes`);
stream.close();
client.close();

/** Places the quote of a side, or moves it to the present mid price. @param {'BUY' | 'SELL'} side */
async function quote(side) {
  const working = quotes.get(side);
  if (working !== undefined && Math.abs(working.mid / mid - 1) < MOVE) return;
  const distance = side === 'BUY' ? -DISTANCE : DISTANCE;
  // Prices are texts on the tick grid: away from the mid price, so that the quote stays post-only.
  const ticks = side === 'BUY' ? Math.floor((mid * (1 + distance)) / tick) : Math.ceil((mid * (1 + distance)) / tick);
  const limitPrice = (ticks * tick).toFixed(instrument?.pricePrecision);
  if (working === undefined) return create(side, limitPrice);
  working.mid = mid;
  const change = { client_order_id: working.id, limit_price: limitPrice };
  // The order has ended; its frame may come later.
  const { error_code: code } = await client.amend(change).catch(refused);
  if (code === 'INVALID_ORDER') quotes.delete(side);
  console.log(`${side} ${limitPrice} ${code ?? 'moved'}`);
}

/** @param {'BUY' | 'SELL'} side @param {string} limitPrice */
async function create(side, limitPrice) {
  const id = `${PREFIX}${process.pid}-${Date.now()}-${(quoteCount += 1)}`;
  quotes.set(side, { id, mid });
  const order = { ...MARKET, client_order_id: id, asset_category: 'SPOT', side, quantity: QUANTITY, strategy: 'LIMIT' };
  const params = { post_only: true };
  const summary = await client
    .create(/** @type {import('sluice-client').OrderRequest} */ ({ ...order, limit_price: limitPrice, params }))
    .catch(refused);
  if (summary.error_code !== undefined) quotes.delete(side);
  console.log(`${side} ${limitPrice} ${summary.error_code ?? 'placed'}`);
}

/** The code of a refusal; throws any other error. @param {unknown} error */
function refused(error) {
  report(error);
  return { error_code: /** @type {SluiceError} */ (error).code };
}

/** A lost connection, a limit or a busy service: the next look tries again. @param {unknown} error */
function report(error) {
  if (!(error instanceof SluiceError)) throw error;
  console.log(`${error.code}: ${error.message}`);
}
