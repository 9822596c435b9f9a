import { StreamClient } from '../../client/index.js';
import type { Frame, OrderRequest, SluiceClient } from '../../client/index.js';
import { CommandFailure } from '../context.js';
import { refusal } from '../order-summary.js';
import type { FinishedOrder } from './cost-report.js';
import { OrderPicture } from './order-picture.js';
import type { Quote } from './order-picture.js';
import { ServiceTime } from './service-time.js';
import { pause } from './pause.js';
import { untilAborted } from './stopping.js';

export interface Following {
  readonly client: SluiceClient;
  readonly url: string;
  readonly order: OrderRequest;
  readonly seconds: number;
  /** Service seconds a second. */
  readonly speed: number;
  /** Ends the following, not the order. */
  readonly signal: AbortSignal;
  /** Called after every frame. */
  readonly onChange: (picture: OrderPicture, time: ServiceTime) => void;
}

const SETTLING_MS = 300;

/** Places the order and follows it over the streams until it is over. Rejects with the signal's reason when aborted. */
export async function followOrder(following: Following): Promise<FinishedOrder> {
  const { client, url } = following;
  const stream = new StreamClient({ url, listenKey: () => client.listenKey() });
  try {
    return await Promise.race([untilAborted(following.signal), work(following, stream)]);
  } finally {
    stream.close();
  }
}

async function work(following: Following, stream: StreamClient): Promise<FinishedOrder> {
  const { client, order, onChange } = following;
  await stream.connect();
  const early: Frame[] = [];
  const feed = await Feed.open(stream, order, early);
  // A market that nobody watched shows its last quote first; the arrival price is to be of now.
  await pause(SETTLING_MS);
  const time = await ServiceTime.of(client, following.speed);
  const arrivalPrice = midOf(early);
  const picture = await place(following, time);
  await new Promise<void>((resolve) => {
    feed.handOver((frame) => {
      picture.apply(frame);
      onChange(picture, time);
      if (picture.isOver) resolve();
    });
  });
  return finished(client, picture, arrivalPrice);
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

/** Frames come before the answer to the create tells whose they are, so the early ones are kept. */
class Feed {
  readonly #early: Frame[];
  #consume: (frame: Frame) => void;

  private constructor(early: Frame[]) {
    this.#early = early;
    this.#consume = (frame) => void early.push(frame);
  }

  /** Resolves when everything is subscribed and the market was seen. */
  static async open(stream: StreamClient, { exchange, symbol }: OrderRequest, early: Frame[]): Promise<Feed> {
    const feed = new Feed(early);
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

/** The middle of the latest quote. */
function midOf(frames: readonly Frame[]): number {
  return frames.reduce((mid, frame) => (isTwoSided(frame) ? (frame.bid + frame.ask) / 2 : mid), 0);
}

function isTwoSided(frame: Frame): frame is Frame & Quote {
  return frame.topic === 'ticker' && frame.bid !== undefined && frame.ask !== undefined;
}

async function finished(client: SluiceClient, picture: OrderPicture, arrivalPrice: number): Promise<FinishedOrder> {
  const { orderId, title } = picture.order;
  const [details] = await client.byId({ orderIds: [orderId], includeTrades: true, includeFees: true });
  if (details === undefined) throw new CommandFailure(`the service has no order ${orderId}`);
  return { title, details, arrivalPrice, childCount: picture.childCount };
}
