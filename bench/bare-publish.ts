import uWS from 'uWebSockets.js';
import { monotonicUs } from '../src/clock.js';
import { tickerFrame, tickerHead } from '../src/stream/topics/ticker.js';
import type { Instrument } from '../src/model/instrument.js';
import { tickers, type TickPlan } from './fanout-ticker.js';
import { stampedMarket } from './tick-market.js';

/**
 * The ceiling: publishes frames of the service's own form and length to whoever connects, with no other thread and
 * nothing to render. With a pause of 0 it goes as fast as the loop turns, with the same frames again and again.
 * Its argument is a TickPlan; prints its port on standard output.
 */
const { tickerCount, pauseMs } = JSON.parse(process.argv[2] ?? '') as TickPlan;
const STAMP_FIELD = '"bid_qty":';

/** One market's topic with its frame, in which only the stamp changes. */
class BareTicker {
  readonly topic: string;
  readonly frame: Buffer;
  readonly #stampAt: number;
  readonly #precision: number;

  constructor(instrument: Instrument) {
    this.topic = `ticker/${instrument.index}`;
    this.frame = Buffer.from(tickerFrame(tickerHead(instrument), stampedMarket(monotonicUs()), instrument));
    this.#stampAt = this.frame.indexOf(STAMP_FIELD) + STAMP_FIELD.length;
    this.#precision = instrument.quantityPrecision;
  }

  /** Writes the stamp over the digits that are there, as rendering would have. */
  stamp(): void {
    const digits = String(stampedMarket(monotonicUs()).bidQuantity);
    const point = digits.length - this.#precision;
    this.frame.write(`${digits.slice(0, point)}.${digits.slice(point)}`, this.#stampAt, 'latin1');
  }
}

const all = tickers(tickerCount).map((instrument) => new BareTicker(instrument));
const app = uWS.App();
let subscriberCount = 0;

app.ws('/*', {
  idleTimeout: 0,
  // As many requests come as there are tickers; which one it is does not matter.
  message: (ws, message) => {
    const ticker = all.find(({ topic }) => !ws.isSubscribed(topic));
    if (ticker === undefined) return;
    ws.subscribe(ticker.topic);
    ws.send(message);
    ws.send(ticker.frame);
  },
  open: () => {
    subscriberCount += 1;
    if (subscriberCount === 1 && pauseMs === 0) flood();
  },
  close: () => {
    subscriberCount -= 1;
  },
});

function flood(): void {
  if (subscriberCount === 0) return;
  for (const { topic, frame } of all) app.publish(topic, frame);
  setImmediate(flood);
}

function tick(): void {
  if (subscriberCount === 0) return;
  for (const ticker of all) {
    ticker.stamp();
    app.publish(ticker.topic, ticker.frame);
  }
}

app.listen('127.0.0.1', 0, (socket) => {
  if (socket === false) process.exit(1);
  console.log(JSON.stringify({ port: uWS.us_socket_local_port(socket) }));
  if (pauseMs > 0) setInterval(tick, pauseMs);
});
