import { EventEmitter } from 'node:events';
import { Readable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { askHidden, readAll, type Terminal } from '../../src/cli/secret-input.js';

const BYTES_MAX = 200;

/** A terminal without a screen. It records its modes, and buffers unread input. */
class FakeTerminal extends EventEmitter implements Terminal {
  readonly modes: string[] = [];
  readonly typed: Buffer[] = [];
  #waiting: Buffer[] = [];

  setRawMode(isRaw: boolean): void {
    this.modes.push(isRaw ? 'raw' : 'cooked');
  }

  resume(): void {
    this.modes.push('resumed');
    for (const chunk of this.#waiting.splice(0)) this.emit('data', chunk);
  }

  pause(): void {
    this.modes.push('paused');
  }

  unshift(chunk: Buffer): void {
    this.#waiting.unshift(chunk);
  }

  type(text: string): void {
    const chunk = Buffer.from(text);
    this.typed.push(chunk);
    if (this.listenerCount('data') > 0) this.emit('data', chunk);
    else this.#waiting.push(chunk);
  }
}

async function answered(
  ...typed: readonly string[]
): Promise<{ answer: string; terminal: FakeTerminal; shown: string }> {
  const terminal = new FakeTerminal();
  let shown = '';
  const output = { write: (text: string): void => void (shown += text) };
  const asked = askHidden(terminal, output, 'Secret: ', BYTES_MAX);
  for (const text of typed) terminal.type(text);
  const answer = await asked.then(
    (bytes) => bytes.toString(),
    (error: unknown) => `refused: ${String(error)}`,
  );
  return { answer, terminal, shown };
}

describe('a hidden question', () => {
  it('returns the typed line, shows only the question, and leaves nothing behind', async () => {
    const { answer, terminal, shown } = await answered('my', ' sec', 'ret\r');
    expect([answer, shown]).toEqual(['my secret', 'Secret: \n']);
    expect(terminal.modes).toEqual(['raw', 'resumed', 'paused', 'cooked']);
    expect(terminal.listenerCount('data')).toBe(0);
    expect(terminal.typed.every((chunk) => chunk.every((byte) => byte === 0))).toBe(true);
  });

  it('takes corrections', async () => {
    expect((await answered('abx\u007fc\bd\n')).answer).toBe('abd');
    expect((await answered('\u007f\u007fab\r')).answer).toBe('ab');
    expect((await answered('wrong\u0015right\r')).answer).toBe('right');
    expect((await answered('end\u0004')).answer).toBe('end');
  });

  it('is cancelled by Ctrl-C', async () => {
    const { answer, terminal } = await answered('abc\u0003');
    expect(answer).toBe('refused: CommandFailure: cancelled; nothing is changed');
    expect(terminal.modes.at(-1)).toBe('cooked');
  });

  it.each(['\r', '\n', '\r\n'])('reads a PEM up to its last line, line break %j', async (lineBreak) => {
    const lines = ['-----BEGIN PRIVATE KEY-----', 'AAAA', 'BBBB', '-----END PRIVATE KEY-----', ''];
    expect((await answered(lines.join(lineBreak))).answer).toBe(lines.slice(0, 4).join('\n'));
    expect((await answered(...lines.map((line) => `${line}${lineBreak}`))).answer).toBe(lines.slice(0, 4).join('\n'));
  });

  it('is bounded', async () => {
    expect((await answered('x'.repeat(BYTES_MAX), '\r')).answer).toBe('x'.repeat(BYTES_MAX));
    expect((await answered('x'.repeat(BYTES_MAX + 1), '\r')).answer).toContain('longer than 200 bytes');
    const endless = ['-----BEGIN X-----\r', ...Array.from({ length: 300 }, () => 'x\r')];
    expect((await answered(...endless)).answer).toContain('longer than 200 bytes');
  });

  it('leaves the next line of a paste for the next question', async () => {
    const { terminal } = await answered('first\rsecond\r');
    const next = askHidden(terminal, { write: () => undefined }, 'Passphrase: ', BYTES_MAX);
    expect((await next).toString()).toBe('second');
  });
});

describe('standard input', () => {
  it('is read to its end and overwritten', async () => {
    const chunks = ['abc', 'def\n'].map((text) => Buffer.from(text));
    expect((await readAll(Readable.from(chunks), 7)).toString()).toBe('abcdef\n');
    expect(chunks.every((chunk) => chunk.every((byte) => byte === 0))).toBe(true);
  });

  it('is bounded', async () => {
    await expect(readAll(Readable.from([Buffer.alloc(5), Buffer.alloc(3)]), 7)).rejects.toThrow('longer than 7 bytes');
  });
});
