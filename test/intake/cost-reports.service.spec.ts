import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { Piscina } from 'piscina';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import type { AccountId, OrderId } from '../../src/domain/ids.js';
import { COST_REQUESTS_WAITING_PER_ACCOUNT_MAX, COST_THREADS_MAX } from '../../src/domain/limits/clients.js';
import type { CostRequest } from '../../src/domain/query.js';
import { isRejected, type OrRejection } from '../../src/domain/rejection.js';
import type { EpochMs } from '../../src/domain/time.js';
import { SEGMENT_BYTES } from '../../src/domain/limits/process.js';
import { CostReports } from '../../src/intake/cost-reports.js';
import { SharedJournal } from '../../src/journal/shared-journal.js';
import { ROOT } from '../system/service-run.js';

const entryOf = (peer: string): URL => pathToFileURL(join(ROOT, `dist/test/intake/${peer}-analyst-peer.js`));
const HANGS = 1;

/** Cost reports whose threads answer even orders and hang on odd ones. */
class Rig {
  readonly errors: string[] = [];
  readonly journal = SharedJournal.create({ lastSeq: 0, end: 0, segmentBytes: SEGMENT_BYTES });
  readonly reports: CostReports;

  constructor(answerMsMax: number, peer = 'hanging') {
    this.reports = new CostReports({
      entry: entryOf(peer),
      data: { dataDir: '', journal: this.journal },
      answerMsMax,
      log: { error: (_context, message) => this.errors.push(message) },
    });
    onTestFinished(() => this.reports.close());
  }

  ask(orderId: number, account = 'alice'): Promise<OrRejection<string | null>> {
    const question = {
      kind: 'order',
      account: account as AccountId,
      orderId: orderId as OrderId,
      asOfMs: 0 as EpochMs,
    } as const;
    return new Promise((resolve) => this.reports.ask(question, resolve));
  }
}

describe('CostReports', () => {
  it('answers running questions SYSTEM_BUSY at its close and logs no error', async () => {
    const rig = new Rig(60_000);
    expect(await rig.ask(2)).toBe('order 2');
    // Some questions run, the others wait for a thread.
    const asked = Array.from({ length: 10 }, () => rig.ask(HANGS));
    await rig.reports.close();
    for (const answer of await Promise.all(asked)) {
      expect(isRejected(answer as object) && answer).toMatchObject({ rejection: { code: 'SYSTEM_BUSY' } });
    }
    expect(rig.errors).toEqual([]);
    expect(rig.reports.oldestWaitMs).toBe(0);
  });

  it('lets a thread load its modules before it is terminated', async () => {
    const rig = new Rig(60_000, 'slow');
    const asked = rig.ask(2);
    await rig.reports.close();
    expect(new Int32Array(rig.journal.words)[0]).toBe(1);
    expect(await asked).toMatchObject({ rejection: { code: 'SYSTEM_BUSY' } });
    expect(rig.errors).toEqual([]);
  });

  it('serves accounts in turn and bounds the questions of one account', async () => {
    const run = vi.spyOn(Piscina.prototype, 'run');
    onTestFinished(() => run.mockRestore());
    const given = (): unknown[] => run.mock.calls.map(([query]) => (query as CostRequest).account);
    const rig = new Rig(60_000);
    const share = COST_THREADS_MAX + COST_REQUESTS_WAITING_PER_ACCOUNT_MAX;
    const greedy = Array.from({ length: share }, () => rig.ask(2, 'greedy'));
    expect(await rig.ask(2, 'greedy')).toMatchObject({ rejection: { code: 'SYSTEM_BUSY' } });
    const givenBefore = given().length;
    expect(await rig.ask(2, 'other')).toBe('order 2');
    // The threads may answer in any order. They get the question next, or after one of the waiting account.
    expect(given().slice(givenBefore, givenBefore + 2)).toContain('other');
    expect(await Promise.all(greedy)).toEqual(Array(share).fill('order 2'));
  });

  it('terminates a thread that hangs on a question, and answers the next question', async () => {
    const rig = new Rig(2_000);
    const hung = [rig.ask(HANGS), rig.ask(HANGS)];
    for (const answer of await Promise.all(hung)) expect(answer).toMatchObject({ rejection: { code: 'SYSTEM_BUSY' } });
    expect(rig.errors).toEqual(Array(2).fill('a report of execution cost took too long: its thread is terminated'));
    let answer = await rig.ask(4);
    // A loaded machine may need longer than the bound to start a thread.
    for (let tries = 0; answer !== 'order 4' && tries < 20; tries += 1) answer = await rig.ask(4);
    expect(answer).toBe('order 4');
  });
});
