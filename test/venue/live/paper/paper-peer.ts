import { writeSync } from 'node:fs';
import type { OrderId } from '../../../../src/domain/ids.js';
import type { Lots, Ticks } from '../../../../src/domain/quantity.js';
import { Random } from '../../../../src/sim/prng.js';
import { LmdbVenueStore } from '../../../../src/sim/store/lmdb-store.js';
import { PaperRig, PRICE } from './paper-rig.js';

/*
 * Trades on paper until it is killed, and writes a line for each fill that it has delivered: order, child, trade id,
 * quantity. Arguments: folder of the store, number of the run.
 */
const [folder = '', run = '1'] = process.argv.slice(2);
const random = new Random(`peer-${run}`);
const rig = new PaperRig(new LmdbVenueStore(folder));
let told = 0;

for (;;) {
  const price = PRICE + Math.floor(random.uniform() * 5);
  rig.touch(
    price,
    1_000 + Math.floor(random.uniform() * 3_000),
    price + 1,
    1_000 + Math.floor(random.uniform() * 3_000),
  );
  rig.place({
    orderId: Number(run) as OrderId,
    side: random.uniform() < 0.5 ? 'BUY' : 'SELL',
    quantity: (1_000 + Math.floor(random.uniform() * 2_000)) as Lots,
    timeInForce: random.uniform() < 0.6 ? 'GTC' : 'IOC',
    limitPrice: (PRICE + Math.floor(random.uniform() * 6)) as Ticks,
  });
  rig.trade(random.uniform() < 0.5 ? 'BUY' : 'SELL', price, 1_500).pass(10);
  for (const { child, fill } of rig.updates.slice(told)) {
    if (fill === null) continue;
    const { tradeId, quantity } = fill.fill;
    writeSync(1, `${child.orderId} ${child.child} ${tradeId} ${quantity}\n`);
  }
  told = rig.updates.length;
}
