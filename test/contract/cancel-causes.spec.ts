import { describe, expect, it } from 'vitest';
import type { ApiKeyId, OrderId } from '../../src/domain/ids.js';
import { OPERATOR_CAUSE, requestedBy, serviceCause } from '../../src/domain/cancel-cause.js';
import { OrderDetails } from '../../src/api/order/order-answer.js';
import { OrderFrame } from '../../src/api/stream/frame-schema.js';
import { ORDER_TIMELINE, timelineEntryText } from '../../src/api/order/timeline.js';
import { accountFrames } from '../../src/api/stream/account-frame.js';
import { parentState } from '../http/orders.js';
import { envelopeOf, PARENT } from '../stream/sample-events.js';
import { ask, SessionRig } from '../stream/session-rig.js';
import { closed, complaintsOf } from './compiled.js';

/*
 * Who cancelled an order, from outside (decisions §3). All other ways are tried in
 * test/system/cancel-causes.service.spec.
 */

const ORDER = '/api/v2/trading/order';
const IDS = [1, 2, 3, 4, 5, 6] as OrderId[];

interface Details {
  readonly order_id: number;
  readonly cause?: unknown;
}

async function causesIn(rig: SessionRig): Promise<Readonly<Record<number, unknown>>> {
  const { text } = await rig.rest.get(`${ORDER}/byId`, `orderIds=${IDS.join(',')}`);
  const { orders } = JSON.parse(text) as { orders: readonly Details[] };
  for (const order of orders) expect(complaintsOf(closed(OrderDetails), order)).toBe('');
  return Object.fromEntries(orders.map(({ order_id: id, cause }) => [id, cause]));
}

describe('a cancel', () => {
  it('names its cause in OrderDetails: REST and session, one order, a list and all', async () => {
    const rig = await SessionRig.start();
    for (const orderId of IDS) rig.rest.book.put(parentState({ orderId }));
    await rig.rest.post(`${ORDER}/cancel`, { order_id: 1 });
    await rig.rest.post(`${ORDER}/cancelMany`, { orders: [{ order_id: 2 }] });
    const session = await rig.session();
    await ask(session, 'order.cancel', { order_id: 3 });
    await ask(session, 'order.cancelMany', { orders: [{ order_id: 4 }] });
    expect(await causesIn(rig)).toEqual({
      1: { by: 'CLIENT', api_key: 'TRADER' },
      2: { by: 'CLIENT', api_key: 'TRADER' },
      3: { by: 'CLIENT', api_key: 'TRADER' },
      4: { by: 'CLIENT', api_key: 'TRADER' },
      5: undefined,
      6: undefined,
    });
    await rig.rest.get(`${ORDER}/cancelAll`);
    const after = await causesIn(rig);
    expect([after[1], after[5]]).toEqual([
      { by: 'CLIENT', api_key: 'TRADER' },
      { by: 'CANCEL_ALL', api_key: 'TRADER' },
    ]);
  });

  it('of all orders in a session names the key of the session', async () => {
    const rig = await SessionRig.start();
    rig.rest.book.put(parentState({ orderId: IDS[0]! }));
    await ask(await rig.session('RSA'), 'order.cancelAll');
    expect((await causesIn(rig))[1]).toEqual({ by: 'CANCEL_ALL', api_key: 'RSA' });
  });

  it.each([
    [requestedBy('CLIENT', 'key-1' as ApiKeyId), { by: 'CLIENT', api_key: 'key-1' }],
    [serviceCause('SLIPPAGE_EXCEEDED'), { by: 'SERVICE', error_code: 'SLIPPAGE_EXCEEDED' }],
    [OPERATOR_CAUSE, { by: 'OPERATOR' }],
  ])('names its cause in frames and in the timeline: %j', (cancelCause, shown) => {
    const parent = {
      ...envelopeOf({ kind: 'ParentAccepted' }).parent!,
      status: 'PENDING_CANCEL',
      cancelCause,
    } as const;
    const envelope = envelopeOf({ kind: 'ParentCancelRequested', cancelCause }, { parent });
    const frame: unknown = JSON.parse(accountFrames(() => PARENT)('order', 7, envelope)!);
    expect(complaintsOf(closed(OrderFrame), frame)).toBe('');
    expect(frame).toMatchObject({ order_status: { cause: shown } });
    const entry: unknown = JSON.parse(timelineEntryText(PARENT, envelope));
    expect(complaintsOf(closed(ORDER_TIMELINE.success.schema), { order_id: 7, events: [entry] })).toBe('');
    expect(entry).toMatchObject({ event: 'ParentCancelRequested', cause: shown });
    const accepted = envelopeOf({ kind: 'ParentAccepted' }, { parent });
    expect(timelineEntryText(PARENT, accepted)).not.toContain('"cause"');
  });
});
