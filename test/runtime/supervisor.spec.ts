import { expect, it } from 'vitest';
import { Supervisor } from '../../src/runtime/supervisor.js';

const DYING = new URL('data:text/javascript,throw new Error("it dies")');

/** Lets a thread and its successors die. Resolves with all calls when the process must stop. */
function deathsOf(isRestartable: () => boolean): Promise<readonly string[]> {
  return new Promise((resolve) => {
    const calls: string[] = [];
    const supervisor = new Supervisor(
      {
        onReady: () => undefined,
        onDown: () => calls.push('down'),
        onFatal: () => {
          calls.push('fatal');
          resolve(calls);
        },
      },
      () => 0,
    );
    supervisor.start({ name: 'shard-0', entry: DYING, data: () => null, isRestartable });
  });
}

it('a thread that dies has a successor, unless it cannot be replaced at that moment', async () => {
  let isLeader = false;
  const deaths = deathsOf(() => !isLeader);
  isLeader = true;
  expect(await deaths).toEqual(['down', 'fatal']);
  let leftCount = 1;
  expect(await deathsOf(() => leftCount-- > 0)).toEqual(['down', 'down', 'fatal']);
});
