import { writeSync } from 'node:fs';
import type { AccountId } from '../../src/domain/ids.js';
import { CancelAllAfter } from '../../src/intake/cancel-all-after.js';
import { IdAllocator } from '../../src/intake/order-ids.js';
import { openIdentity } from '../../src/runtime/identity.js';

/*
 * A process with a cancel-all-after timer, for cancel-all-after.service.spec. Arguments: a data directory and a step.
 * `fire` creates an order, fires, and ends by SIGKILL after its cancels. `restart` creates an order and fires again.
 */
const [dataDir = '', step = ''] = process.argv.slice(2);
const ACCOUNT = 'demo' as AccountId;

const identity = openIdentity(dataDir);
const ids = new IdAllocator(identity.ids, Date.now);
const order = ids.next();

function print(through: number | undefined, left: number): void {
  writeSync(1, JSON.stringify({ order, through, left }));
}

function start(): void {
  const timers = new CancelAllAfter({
    store: identity.timers,
    takeOrderId: () => ids.next(),
    cancellation: {
      cancelAll: (_account, _cause, answer, through) => {
        if (step === 'fire') {
          print(through, 1);
          process.kill(process.pid, 'SIGKILL');
        }
        answer({ orderIds: [], refusals: new Map() });
        // After the removal of the timer, which is written first.
        identity.timers.put('other' as AccountId, null, () => {
          print(through, [...identity.timers.load()].length);
          timers.close();
          void identity.close();
        });
      },
    },
    realNowMs: Date.now,
    steadyRealMs: Date.now,
    log: { info: () => undefined },
  });
}

if (step === 'fire') identity.timers.put(ACCOUNT, { triggerAtMs: Date.now(), throughOrderId: null }, start);
else start();
