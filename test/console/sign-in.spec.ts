import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { contentOf, type HttpAnswer } from '../../src/client/transport.js';
import { ConsoleState } from '../../src/console/console-state.js';
import { KILL_SWITCH_CONFIRMATION, RELEASE_COMMAND } from '../../src/console/order/order-facts.js';
import { reasonOf, refusalText } from '../../src/console/view/figures.js';
import { sluice } from '../cli/command-line.js';

const UNKNOWN_KEY = answer(401, { error_code: 'INVALID_API_KEY', message: 'X-API-KEY is not a known key' });
const SUSPENDED_KEY = answer(401, {
  error_code: 'INVALID_API_KEY',
  message: 'the API key is suspended',
  reason: 'KEY_SUSPENDED',
});

function answer(status: number, content: object): HttpAnswer {
  return { status, body: JSON.stringify(content), requestId: null, retryAfterMs: null };
}

function stateOf(ask: () => Promise<HttpAnswer>): ConsoleState {
  const state = new ConsoleState({
    transport: { ask, close: () => undefined },
    openSocket: () => {
      throw new Error('no stream');
    },
    nowMs: () => 0,
    uniqueId: () => '1',
    onChange: () => undefined,
  });
  onTestFinished(() => state.forget());
  return state;
}

const sign = () => Promise.resolve('signature');

/** The text of the error of an answer; '' when it is none. */
function thrownBy(answered: HttpAnswer): string {
  try {
    contentOf(answered);
    return '';
  } catch (error) {
    return reasonOf(error);
  }
}

describe('the sign-in', () => {
  it.each([
    [UNKNOWN_KEY, 'INVALID_API_KEY: X-API-KEY is not a known key'],
    [SUSPENDED_KEY, 'INVALID_API_KEY (KEY_SUSPENDED): the API key is suspended'],
  ])('begins no session with a key that the service refuses, and says why', async (refusal, why) => {
    const state = stateOf(() => Promise.resolve(refusal));
    expect(await state.connect('key', sign)).toBe(why);
    expect(state.session).toBeNull();
  });

  it('begins a session that waits when the service does not answer or is busy', async () => {
    const busy = answer(503, { error_code: 'SYSTEM_BUSY', message: 'later' });
    for (const ask of [() => Promise.reject(new Error('down')), () => Promise.resolve(busy)]) {
      const state = stateOf(ask);
      expect(await state.connect('key', sign)).toBeNull();
      expect(state.session).not.toBeNull();
    }
  });
});

describe('an error on the page', () => {
  it('has the code, the reason and the message of the service', () => {
    const halted = { error_code: 'OTHER', message: 'trading is halted', reason: 'KILL_SWITCH' };
    expect(thrownBy(answer(409, halted))).toBe('OTHER (KILL_SWITCH): trading is halted');
    expect(thrownBy(SUSPENDED_KEY)).toBe('INVALID_API_KEY (KEY_SUSPENDED): the API key is suspended');
    expect(thrownBy({ ...SUSPENDED_KEY, status: 502, body: '<html>' })).toBe(
      'the answer (HTTP 502) does not come from the service',
    );
    expect(thrownBy(answer(400, { error_code: 'NEWER', message: 'a newer code' }))).toBe('NEWER: a newer code');
    expect(reasonOf(new Error('plain'))).toBe('plain');
    expect([refusalText('CODE', null), refusalText(undefined, undefined, 'text')]).toEqual(['CODE', 'text']);
  });
});

describe('the dialog of the kill switch', () => {
  it('names a command that releases the kill switch of the account', async () => {
    expect(KILL_SWITCH_CONFIRMATION.consequence).toContain(`"${RELEASE_COMMAND}"`);
    const folder = mkdtempSync(join(tmpdir(), 'sluice-release-'));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const env = { SLUICE_DATA_DIR: folder };
    await sluice(['keys', 'create', '--account', 'NAME'], env);
    await sluice(['kill-switch', 'engage', '--account', 'NAME'], env);
    expect((await sluice(['kill-switch', 'status'], env)).out).toContain('NAME');
    const [program, ...args] = RELEASE_COMMAND.split(' ');
    expect(program).toBe('sluice');
    expect(await sluice(args, env)).toMatchObject({ status: 0 });
    expect((await sluice(['kill-switch', 'status'], env)).out).toContain('No kill switch is engaged.');
  });
});
