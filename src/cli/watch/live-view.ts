import type { Frame, OrderDetails, SluiceClient } from '../../client/index.js';
import { OrderPicture } from './order-picture.js';
import type { OrderView } from './order-watch.js';
import { ProgressScreen } from './progress-screen.js';
import type { Terminal } from '../port.js';

/** Draws the progress of an order: in place on a terminal, otherwise as a line every 5 s. */
export class LiveView implements OrderView {
  readonly hasQuotes = true;
  readonly #picture: OrderPicture;
  readonly #screen: ProgressScreen;
  readonly #time: ServiceTime;

  constructor(order: OrderDetails, terminal: Terminal, time: ServiceTime) {
    this.#picture = new OrderPicture(order);
    this.#screen = new ProgressScreen(terminal);
    this.#time = time;
    this.#time.start();
  }

  onConnection(isUp: boolean): void {
    this.#picture.isConnected = isUp;
    this.#update();
  }

  onDetails(order: OrderDetails): void {
    this.#picture.onDetails(order);
    this.#update();
  }

  onFrame(frame: Frame): void {
    this.#picture.apply(frame);
    this.#update();
  }

  end(): void {
    this.#screen.end();
    this.#time.stop();
  }

  #update(): void {
    this.#screen.update(this.#picture, this.#time);
  }
}

const PING_EVERY_MS = 1_000;

/** Estimates service time between the answers to pings. A simulation may run faster than real time. */
export class ServiceTime {
  readonly #client: Pick<SluiceClient, 'ping'>;
  readonly #originServiceMs: number;
  readonly #originRealMs: number;
  /** Service time per real time since the first ping. */
  #rate = 1;
  #timer: NodeJS.Timeout | undefined;

  private constructor(client: Pick<SluiceClient, 'ping'>, originServiceMs: number) {
    this.#client = client;
    this.#originServiceMs = originServiceMs;
    this.#originRealMs = performance.now();
  }

  static async of(client: Pick<SluiceClient, 'ping'>): Promise<ServiceTime> {
    return new ServiceTime(client, await timeOf(client));
  }

  /** Measures the rate until `stop`. */
  start(): void {
    this.#timer = setInterval(() => void this.#measure(), PING_EVERY_MS);
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  /** Epoch milliseconds of service time. */
  nowMs(): number {
    return this.#originServiceMs + (performance.now() - this.#originRealMs) * this.#rate;
  }

  async #measure(): Promise<void> {
    try {
      const serviceMs = await timeOf(this.#client);
      this.#rate = (serviceMs - this.#originServiceMs) / (performance.now() - this.#originRealMs);
    } catch {
      // The stream reports a lost connection.
    }
  }
}

async function timeOf(client: Pick<SluiceClient, 'ping'>): Promise<number> {
  const { service_time: serviceMs, timestamp } = await client.ping();
  return serviceMs ?? timestamp;
}
