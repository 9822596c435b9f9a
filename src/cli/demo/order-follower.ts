import { CommandFailure } from '../context.js';
import { refusal } from '../order-table.js';
import {
  type Frame,
  type OrderDetails,
  type OrderRequest,
  type SluiceClient,
  StreamClient,
} from '../../client/index.js';
import { OrderPicture, type Quote } from './order-picture.js';

export interface Following {
  readonly client: SluiceClient;
  readonly url: string;
  readonly order: OrderRequest;
  readonly seconds: number;
  /** Service time per real time. */
  readonly speed: number;
  /** Ends the following. The order continues. */
  readonly signal: AbortSignal;
  /** Called after every frame. */
  readonly onChange: (picture: OrderPicture, time: ServiceTime) => void;
}

/** Places the order and follows it to its end. Rejects with the reason of the signal on an abort. */
export async function followOrder(following: Following): Promise<OrderDetails> {
  const { client, url } = following;
  const stream = new StreamClient({ url, listenKey: () => client.listenKey() });
  try {
    return await Promise.race([untilAborted(following.signal), work(following, stream)]);
  } finally {
    stream.close();
  }
}

/** Resolves with the ended order, its trades and fees. */
async function work(following: Following, stream: StreamClient): Promise<OrderDetails> {
  const { client, order, onChange } = following;
  await stream.connect();
  const feed = await Feed.open(stream, order);
  const time = await ServiceTime.of(client, following.speed);
  const picture = await place(following, time);
  await new Promise<void>((resolve) => {
    feed.handOver((frame) => {
      picture.apply(frame);
      onChange(picture, time);
      if (picture.isOver) resolve();
    });
  });
  return ended(client, picture.order.orderId);
}

async function place(following: Following, time: ServiceTime): Promise<OrderPicture> {
  const { client, order, seconds } = following;
  const startMs = time.nowMs();
  const summary = await client.create(order);
  if (summary.order_id === undefined) throw new CommandFailure(`the order was refused: ${refusal(summary)}`);
  return new OrderPicture({
    orderId: summary.order_id,
    title: `${order.strategy} ${order.side} ${order.quantity} ${order.symbol} on ${order.exchange}`,
    quantity: Number(order.quantity),
    startMs,
    endMs: startMs + seconds * 1000,
  });
}

/** Keeps frames that arrive before the answer to the create, because the order id is unknown until then. */
class Feed {
  readonly #early: Frame[] = [];
  #consume: (frame: Frame) => void = (frame) => void this.#early.push(frame);

  /** Resolves after all subscriptions and the first two-sided quote. */
  static async open(stream: StreamClient, { exchange, symbol }: OrderRequest): Promise<Feed> {
    const feed = new Feed();
    const onFrame = (frame: Frame): void => feed.#consume(frame);
    await stream.subscribe({ topic: 'order', exchange }, onFrame);
    await stream.subscribe({ topic: 'child_order', exchange }, onFrame);
    await new Promise<void>((seen, failed) => {
      const onTicker = (frame: Frame): void => {
        onFrame(frame);
        if (isTwoSided(frame)) seen();
      };
      stream.subscribe({ topic: 'ticker', exchange, symbol }, onTicker).catch(failed);
    });
    return feed;
  }

  handOver(consume: (frame: Frame) => void): void {
    this.#consume = consume;
    for (const frame of this.#early.splice(0)) consume(frame);
  }
}

function isTwoSided(frame: Frame): frame is Frame & Quote {
  return frame.topic === 'ticker' && frame.bid !== undefined && frame.ask !== undefined;
}

async function ended(client: SluiceClient, orderId: number): Promise<OrderDetails> {
  const [details] = await client.byId({ orderIds: [orderId], includeTrades: true, includeFees: true });
  if (details === undefined) throw new CommandFailure(`the service has no order ${orderId}`);
  return details;
}

/** Estimates service time. A simulation with a speed above 1 runs faster than real time. */
class ServiceTime {
  readonly #originServiceMs: number;
  readonly #originRealMs: number;
  readonly #speed: number;

  private constructor(originServiceMs: number, originRealMs: number, speed: number) {
    this.#originServiceMs = originServiceMs;
    this.#originRealMs = originRealMs;
    this.#speed = speed;
  }

  static async of(client: SluiceClient, speed: number): Promise<ServiceTime> {
    const { service_time: serviceMs, timestamp } = await client.ping();
    return new ServiceTime(serviceMs ?? timestamp, Date.now(), speed);
  }

  /** Epoch milliseconds of service time. */
  nowMs(): number {
    return this.#originServiceMs + (Date.now() - this.#originRealMs) * this.#speed;
  }
}

/** A signal asked the demo to stop. */
class Interrupted extends Error {
  override readonly name = 'Interrupted';
}

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** Aborts at the first stop signal. Later signals have no effect. */
export function stopSignal(): AbortSignal {
  const stopping = new AbortController();
  for (const signal of SIGNALS) process.on(signal, () => stopping.abort(new Interrupted(signal)));
  return stopping.signal;
}

/** Rejects with the reason of the signal when it aborts. */
export function untilAborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    const abort = (): void => reject(signal.reason as Error);
    if (signal.aborted) abort();
    else signal.addEventListener('abort', abort, { once: true });
  });
}

/** Maps an interruption to an exit status. Rethrows every other error. */
export function interruptedAs(status: number): (error: unknown) => number {
  return (error) => {
    if (error instanceof Interrupted) return status;
    throw error;
  };
}
