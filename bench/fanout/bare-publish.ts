import uWS from 'uWebSockets.js';
import { monotonicUs } from '../../src/runtime/clock.js';
import { tickerFrame, tickerHead } from '../../src/api/market/market-frame.js';
import type { Instrument } from '../../src/domain/instrument.js';
import { stampedMarket, tickers, type TickPlan } from './tickers.js';

/**
 * The reference server: publishes frames of the service's form and length to all clients, without another thread or
 * rendering. With a pause of 0 it publishes the same frames as fast as the loop turns. Its argument is a TickPlan.
 * Prints its port on standard output.
 */
const { tickerCount, pauseMs } = JSON.parse(process.argv[2] ?? '') as TickPlan;
const STAMP_FIELD = '"bid_qty":';

/** One market's topic and its frame. Only the stamp in the frame changes. */
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

  /** Overwrites the digits of the stamp, which replaces rendering. */
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
  // Each request subscribes the next ticker. The number of requests equals the number of tickers.
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
