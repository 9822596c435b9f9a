import fc from 'fast-check';
import type { Side } from '../../src/domain/order.js';
import type { SelfTradePrevention } from '../../src/domain/instrument.js';
import type { SimulatedExchange } from './simulated-exchange.js';
import { targetOf } from '../venue/child-target.js';

/** One action of a random run. Prices are offsets from the best bid, so that runs stay near the market. */
export type Played =
  | {
      readonly kind: 'submit';
      readonly account: string;
      readonly side: Side;
      readonly style: 'market' | 'ioc' | 'gtc' | 'post-only' | 'reduce-only';
      /** Share of the best level's quantity. */
      readonly share: number;
      /** Distance from the best bid, in half level spacings. */
      readonly offset: number;
      readonly prevention: SelfTradePrevention;
    }
  | { readonly kind: 'cancel'; readonly which: number }
  | { readonly kind: 'resubmit'; readonly which: number }
  | { readonly kind: 'pass'; readonly ms: number }
  | { readonly kind: 'restart' };

/** Sequences of up to 40 actions of three accounts. */
export function randomActions({ restarts }: { restarts: boolean }): fc.Arbitrary<Played[]> {
  const submit = fc.record({
    kind: fc.constant('submit' as const),
    account: fc.constantFrom('alice', 'bob', 'carol/x'),
    side: fc.constantFrom('BUY' as const, 'SELL' as const),
    style: fc.constantFrom(
      'market' as const,
      'ioc' as const,
      'gtc' as const,
      'post-only' as const,
      'reduce-only' as const,
    ),
    share: fc.double({ min: 0.01, max: 3, noNaN: true }),
    offset: fc.integer({ min: -6, max: 8 }),
    prevention: fc.constantFrom<SelfTradePrevention[]>(
      'NONE',
      'EXPIRE_TAKER',
      'EXPIRE_MAKER',
      'EXPIRE_BOTH',
      'DECREMENT',
    ),
  });
  const which = fc.nat({ max: 50 });
  const others: fc.Arbitrary<Played>[] = [
    fc.record({ kind: fc.constant('cancel' as const), which }),
    fc.record({ kind: fc.constant('resubmit' as const), which }),
    fc.record({ kind: fc.constant('pass' as const), ms: fc.integer({ min: 1, max: 20_000 }) }),
  ];
  if (restarts) others.push(fc.constant({ kind: 'restart' as const }));
  return fc.array(fc.oneof(submit, submit, ...others), { minLength: 5, maxLength: 40 });
}

export function playAction(venue: SimulatedExchange, action: Played): void {
  switch (action.kind) {
    case 'submit':
      return submit(venue, action);
    case 'cancel':
    case 'resubmit': {
      const order = venue.placed[action.which % Math.max(1, venue.placed.length)];
      if (order === undefined) return;
      return venue.handle(
        action.kind === 'cancel' ? { kind: 'Cancel', ...targetOf(order) } : { kind: 'Submit', ...order },
      );
    }
    case 'pass':
      return venue.pass(action.ms, 1_000);
    case 'restart':
      return venue.restart();
    default:
      action satisfies never;
  }
}

function submit(
  venue: SimulatedExchange,
  { account, side, style, share, offset, prevention }: Extract<Played, { kind: 'submit' }>,
): void {
  const { bid, bidQuantity, ask } = venue.market;
  const quantity = Math.max(1, Math.round(share * (bidQuantity + 10)));
  const halfSpacing = Math.max(1, Math.round((ask - bid) / 2));
  const limitPrice = style === 'market' ? null : bid + offset * halfSpacing;
  const order = venue.submission({
    account,
    side,
    quantity,
    limitPrice,
    type: style === 'market' ? 'MARKET' : 'LIMIT',
    timeInForce: style === 'ioc' ? 'IOC' : 'GTC',
    postOnly: style === 'post-only',
    reduceOnly: style === 'reduce-only',
    selfTradePrevention: prevention,
  });
  venue.placed.push(order);
  venue.handle({ kind: 'Submit', ...order });
}
