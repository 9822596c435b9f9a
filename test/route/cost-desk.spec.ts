import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { AccountId, OrderId } from '../../src/model/ids.js';
import { COST_REQUESTS_WAITING_PER_ACCOUNT_MAX, COST_THREADS_MAX } from '../../src/model/limits.js';
import { isRejected, type OrRejection } from '../../src/model/rejection.js';
import type { EpochMs } from '../../src/model/time.js';
import { CostDesk } from '../../src/route/cost-desk.js';
import { ROOT } from '../system/service-run.js';

const ENTRY = pathToFileURL(join(ROOT, 'dist/test/route/hanging-analyst-peer.js'));
const HANGS = 1;

/** A desk whose threads answer even orders and hang on odd ones. */
class Rig {
  readonly errors: string[] = [];
  readonly desk: CostDesk;

  constructor(answerMsMax: number) {
    this.desk = new CostDesk({
      entry: ENTRY,
      data: { dataDir: '', journal: new SharedArrayBuffer(8) },
      answerMsMax,
      log: { error: (_context, message) => this.errors.push(message) },
    });
    onTestFinished(() => this.desk.close());
  }

  ask(orderId: number, account = 'alice'): Promise<OrRejection<string | null>> {
    const question = {
      kind: 'order',
      account: account as AccountId,
      orderId: orderId as OrderId,
      asOfMs: 0 as EpochMs,
    } as const;
    return new Promise((resolve) => this.desk.ask(question, resolve));
  }
}

describe('the desk of execution costs', () => {
  it('answers questions under way SYSTEM_BUSY when it closes, and logs no error', async () => {
    const rig = new Rig(60_000);
    expect(await rig.ask(2)).toBe('order 2');
    // Some run, the others wait for a thread.
    const asked = Array.from({ length: 10 }, () => rig.ask(HANGS));
    await rig.desk.close();
    for (const answer of await Promise.all(asked)) {
      expect(isRejected(answer as object) && answer).toMatchObject({ rejection: { code: 'SYSTEM_BUSY' } });
    }
    expect(rig.errors).toEqual([]);
    expect(rig.desk.oldestWaitMs).toBe(0);
  });

  it('serves accounts in turn, and leaves room for others when one account asks for more than its share', async () => {
    const rig = new Rig(60_000);
    const ended: string[] = [];
    const ask = async (account: string): Promise<unknown> => {
      const answer = await rig.ask(2, account);
      ended.push(account);
      return answer;
    };
    const share = COST_THREADS_MAX + COST_REQUESTS_WAITING_PER_ACCOUNT_MAX;
    const greedy = Array.from({ length: share }, () => ask('greedy'));
    expect(await rig.ask(2, 'greedy')).toMatchObject({ rejection: { code: 'SYSTEM_BUSY' } });
    expect(await ask('other')).toBe('order 2');
    // Before it came what the threads had taken already, and one of the other account for each thread.
    expect(ended.length).toBeLessThanOrEqual(1 + 2 * COST_THREADS_MAX);
    expect(await Promise.all(greedy)).toEqual(Array(share).fill('order 2'));
  });

  it('terminates a thread that hangs on a question, and answers the next question', async () => {
    const rig = new Rig(2_000);
    const hung = [rig.ask(HANGS), rig.ask(HANGS)];
    for (const answer of await Promise.all(hung)) expect(answer).toMatchObject({ rejection: { code: 'SYSTEM_BUSY' } });
    expect(rig.errors).toEqual(Array(2).fill('a report of execution cost took too long: its thread is terminated'));
    let answer = await rig.ask(4);
    // A busy machine may take longer than the bound to start a thread.
    for (let tries = 0; answer !== 'order 4' && tries < 20; tries += 1) answer = await rig.ask(4);
    expect(answer).toBe('order 4');
  });
});
