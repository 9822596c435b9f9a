import uWS from 'uWebSockets.js';
import { monotonicUs } from '../src/clock.js';
import { tickerFrame, tickerHead } from '../src/stream/topics/ticker.js';
import { buildCatalogue } from '../src/venue/index.js';
import { TICKER_SYMBOL, TICKER_VENUE } from './fanout-ticker.js';
import { stampedMarket } from './tick-market.js';

/**
 * The ceiling: publishes frames of the service's own form and length to whoever connects, with no other thread and
 * nothing to render. The argument is the pause between two ticks in milliseconds; 0: as fast as the loop turns, one
 * ready-made frame again and again. Prints its port on standard output.
 */
const pauseMs = Number(process.argv[2]);
const TOPIC = 'ticker';
const STAMP_FIELD = '"bid_qty":';

const ticker = buildCatalogue().findCanonical(TICKER_VENUE, TICKER_SYMBOL);
if (ticker === null) throw new Error(`${TICKER_SYMBOL} is not listed on ${TICKER_VENUE}`);
const frame = Buffer.from(tickerFrame(tickerHead(ticker), stampedMarket(monotonicUs()), ticker));
const stampAt = frame.indexOf(STAMP_FIELD) + STAMP_FIELD.length;
const { quantityPrecision } = ticker;

/** Writes the stamp over the digits that are there, as rendering would have. */
function stamp(): void {
  const digits = String(stampedMarket(monotonicUs()).bidQuantity);
  const point = digits.length - quantityPrecision;
  frame.write(`${digits.slice(0, point)}.${digits.slice(point)}`, stampAt, 'latin1');
}

const app = uWS.App();
let subscriberCount = 0;

app.ws('/*', {
  idleTimeout: 0,
  message: (ws, message) => {
    ws.subscribe(TOPIC);
    ws.send(message);
    ws.send(frame);
    subscriberCount += 1;
    if (subscriberCount === 1 && pauseMs === 0) flood();
  },
  close: () => {
    subscriberCount -= 1;
  },
});

function flood(): void {
  if (subscriberCount === 0) return;
  app.publish(TOPIC, frame);
  setImmediate(flood);
}

function tick(): void {
  if (subscriberCount === 0) return;
  stamp();
  app.publish(TOPIC, frame);
}

app.listen('127.0.0.1', 0, (socket) => {
  if (socket === false) process.exit(1);
  console.log(JSON.stringify({ port: uWS.us_socket_local_port(socket) }));
  if (pauseMs > 0) setInterval(tick, pauseMs);
});
