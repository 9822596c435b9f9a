import { StreamClient, TERMINAL_STATUSES } from '../../client/index.js';
import type { Frame, OrderDetails, SluiceClient } from '../../client/index.js';
import { CommandFailure } from '../context.js';
import { ofLegs } from '../order-table.js';

/** Shows an order while it is followed. */
export interface OrderView {
  /** True when it shows the market of the order too. */
  readonly hasQuotes: boolean;
  /** A change of the connection to the service after the first one. */
  onConnection(isUp: boolean): void;
  /**
   * The state of the order after each connection. It includes changes from before the subscriptions and from an outage.
   */
  onDetails(order: OrderDetails): void;
  /** A frame of the order, of its children and fills, or of its market. */
  onFrame(frame: Frame): void;
  end(): void;
}

interface Watching {
  readonly client: SluiceClient;
  readonly url: string;
  readonly id: number;
  /** Returns the view of the order. */
  readonly open: (order: OrderDetails) => OrderView;
  /** Ends the following. The order continues. */
  readonly signal?: AbortSignal;
}

/** Follows an order to its end. Resolves with its final status. Rejects with the reason of the signal on an abort. */
export async function watchOrder({ client, url, id, open, signal }: Watching): Promise<string> {
  const order = await detailsOf(client, id);
  const view = open(order);
  const follower = new Follower(id, view);
  const stopFollowing = (): void => follower.fail(signal?.reason);
  const show = async (): Promise<void> => follower.onDetails(await detailsOf(client, id));
  let isAway = false;
  let isOver = false;
  const stream = new StreamClient({
    url,
    listenKey: () => client.listenKey(),
    onConnection: (state) => {
      const isUp = state === 'UP';
      if (isUp ? isAway : !isOver) view.onConnection(isUp);
      isAway = !isUp;
      if (isUp) show().catch(follower.fail);
    },
  });
  const follow = async (): Promise<string> => {
    await stream.connect();
    for (const exchange of new Set(ofLegs(order, 'exchange'))) await follower.subscribe(stream, exchange);
    if (view.hasQuotes) await follower.subscribeQuotes(stream, order);
    await show();
    return follower.end;
  };
  try {
    signal?.addEventListener('abort', stopFollowing, { once: true });
    if (signal?.aborted === true) stopFollowing();
    return await Promise.race([follower.end, follow()]);
  } finally {
    isOver = true;
    signal?.removeEventListener('abort', stopFollowing);
    stream.close();
    view.end();
  }
}

async function detailsOf(client: SluiceClient, id: number): Promise<OrderDetails> {
  const [order] = await client.byId({ orderIds: [id] });
  if (order === undefined) throw new CommandFailure(`there is no order ${id}`);
  return order;
}

/** Passes on the frames of one order and resolves `end` with its final status. */
class Follower {
  readonly #id: string;
  readonly #view: OrderView;
  #ended: (status: string) => void = () => undefined;
  /** Ends the following with an error. */
  fail: (reason: unknown) => void = () => undefined;
  /** Final status of the order. */
  readonly end: Promise<string>;

  constructor(id: number, view: OrderView) {
    this.#id = String(id);
    this.#view = view;
    this.end = new Promise((resolve, reject) => {
      this.#ended = resolve;
      this.fail = reject;
    });
    // It may reject before a caller awaits it.
    this.end.catch(() => undefined);
  }

  async subscribe(stream: StreamClient, exchange: string): Promise<void> {
    await stream.subscribe({ topic: 'child_order', exchange }, (frame) => {
      if (frame.order.parent_order_id === this.#id) this.#view.onFrame(frame);
    });
    await stream.subscribe({ topic: 'trade', exchange }, (frame) => {
      if (frame.parent_order_id === this.#id) this.#view.onFrame(frame);
    });
    await stream.subscribe({ topic: 'order', exchange }, (frame) => {
      if (frame.order.order_id !== this.#id) return;
      this.#view.onFrame(frame);
      this.#endIfOver(frame.order_status.status);
    });
  }

  /** The market of the order, or of the first leg of a pair. */
  async subscribeQuotes(stream: StreamClient, order: OrderDetails): Promise<void> {
    const [[exchange = ''], [symbol = '']] = [ofLegs(order, 'exchange'), ofLegs(order, 'symbol')];
    const subscribed = stream.subscribe({ topic: 'ticker', exchange, symbol }, (frame) => this.#view.onFrame(frame));
    // The service may publish no market data (SLUICE_MARKET_DATA_CAP).
    await subscribed.catch(() => undefined);
  }

  onDetails(order: OrderDetails): void {
    this.#view.onDetails(order);
    this.#endIfOver(order.status);
  }

  #endIfOver(status: string): void {
    if (TERMINAL_STATUSES.includes(status)) this.#ended(status);
  }
}
