import { SluiceError, type SluiceClient } from '../../src/client/index.js';
import { restingOrder } from './sample-orders.js';

export interface Placing {
  /** Orders acknowledged so far. */
  readonly orderIds: number[];
  /** The failure that ended the client. Status 0 means that the service was gone. */
  readonly refusal: Promise<{ readonly status: number; readonly code: string }>;
}

/** Places one order after the other, with client ids of this prefix, as fast as they are answered. */
export function placeUntilRefused(client: SluiceClient, prefix: string): Placing {
  const orderIds: number[] = [];
  const place = async (): Promise<{ status: number; code: string }> => {
    for (let count = 1; ; count += 1) {
      try {
        const summary = await client.create(restingOrder(`${prefix}-${count}`));
        if (summary.order_id === undefined) return { status: 201, code: summary.error_code ?? '' };
        orderIds.push(summary.order_id);
      } catch (error) {
        if (error instanceof SluiceError) return { status: error.status, code: error.code };
        throw error;
      }
    }
  };
  return { orderIds, refusal: place() };
}

export function acknowledgedCount(placing: readonly Placing[]): number {
  return placing.reduce((count, { orderIds }) => count + orderIds.length, 0);
}
