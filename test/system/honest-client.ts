import type { SluiceClient } from '../../src/client/index.js';
import { restingOrder } from './sample-orders.js';

/**
 * Places, reads and cancels orders without a pause while others misbehave, and notes every answer that is not right.
 */
export class HonestClient {
  readonly problems: string[] = [];
  answeredCount = 0;
  readonly #client: SluiceClient;
  readonly #work: Promise<void>;
  #isDone = false;

  constructor(client: SluiceClient) {
    this.#client = client;
    this.#work = this.#run();
  }

  /** Resolves when the order under way is done with. */
  async stop(): Promise<void> {
    this.#isDone = true;
    await this.#work;
  }

  async #run(): Promise<void> {
    while (!this.#isDone) {
      const problem = await this.#order(`honest-${this.answeredCount}`).catch((error: unknown) => String(error));
      if (problem !== null) this.problems.push(problem);
    }
  }

  async #order(name: string): Promise<string | null> {
    const created = await this.#client.create(restingOrder(name));
    if (created.status !== 'PENDING_NEW' || created.order_id === undefined) return JSON.stringify(created);
    const found = await this.#client.byId({ orderIds: [created.order_id] });
    if (found.length !== 1 || found[0]?.client_order_id !== name) return JSON.stringify(found);
    const cancelled = await this.#client.cancel({ client_order_id: name });
    if (cancelled.status !== 'PENDING_CANCEL') return JSON.stringify(cancelled);
    this.answeredCount += 3;
    return null;
  }
}
