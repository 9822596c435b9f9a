import { describe, expect, it } from 'vitest';
import type { Call } from '../../src/http/call.js';
import { Pipelining } from '../../src/http/pipelining.js';
import { TurnEnd } from '../../src/runtime/turn-end.js';
import { FakeResponse } from './fake-response.js';

const BODY = Buffer.from('{}');

const callOf = (fake: FakeResponse): Call => fake.call({ contentLength: BODY.byteLength });

const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** Begins one request in a turn of its own. */
async function began(begin: (call: Call, turnEnd: TurnEnd) => void): Promise<{ fake: FakeResponse; call: Call }> {
  const turnEnd = new TurnEnd();
  const fake = new FakeResponse([127, 0, 0, 1]);
  const call = callOf(fake);
  new Pipelining(turnEnd.add).begin(call, BODY, (begun) => begin(begun, turnEnd));
  await nextTurn();
  return { fake, call };
}

describe('reading of a connection while a request that changes something has no answer', () => {
  it('pauses until the answer, when that comes in a later turn', async () => {
    const { fake, call } = await began(() => undefined);
    expect(fake.reading).toEqual(['pause']);
    call.answer('201 Created', '{}');
    expect(fake.reading).toEqual(['pause', 'resume']);
    expect(fake.body).toBe('{}');
  });

  it.each([
    ['at once', (call: Call) => call.answer('201 Created', '{}')],
    [
      'at the end of its turn, as a create that this thread writes itself',
      (call: Call, turnEnd: TurnEnd) => turnEnd.add(() => call.answer('201 Created', '{}')),
    ],
  ])('does not pause for a request that is answered %s', async (_name, begin) => {
    const { fake } = await began(begin);
    expect(fake.reading).toEqual([]);
    expect(fake.body).toBe('{}');
  });

  it('pauses for each of several requests that is not answered in the turn', async () => {
    const turnEnd = new TurnEnd();
    const pipelining = new Pipelining(turnEnd.add);
    const fakes = [0, 1, 2].map(() => new FakeResponse([127, 0, 0, 1]));
    for (const [index, fake] of fakes.entries()) {
      pipelining.begin(callOf(fake), BODY, (call) => {
        if (index === 1) turnEnd.add(() => call.answer('201 Created', '{}'));
      });
    }
    await nextTurn();
    expect(fakes.map(({ reading }) => reading)).toEqual([['pause'], [], ['pause']]);
  });
});
