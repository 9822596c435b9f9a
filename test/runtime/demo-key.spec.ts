import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { hmacSigner, signedMessage } from '../../src/client/signature.js';
import { authenticate } from '../../src/http/auth/authenticate.js';
import { isRejected } from '../../src/domain/rejection.js';
import { DemoKeyFile, makeDemoKey } from '../../src/runtime/demo-key.js';
import { type CreatedKey, openIdentity, type Identity } from '../../src/runtime/identity.js';
import { temporaryDataDir } from '../keys/data-dir.js';

const NOW_MS = 1_790_000_000_000;

interface Content {
  readonly api_key: string;
  readonly api_secret: string;
}

/** A process of the service as far as the demo key goes. */
class Process {
  readonly warnings: string[] = [];
  readonly copies: unknown[] = [];
  readonly #identity: Identity;
  readonly #path: string;
  readonly #file: DemoKeyFile;

  constructor(dataDir: string) {
    this.#identity = openIdentity(dataDir);
    this.#path = join(dataDir, 'demo-key.json');
    this.#file = new DemoKeyFile({
      dataDir,
      hasSigned: (apiKey) => this.#identity.directory.hasSigned(apiKey),
      log: {
        warn: (context, message) => {
          this.warnings.push(message);
          this.copies.push((context as { copy?: unknown }).copy);
        },
        info: () => undefined,
      },
    });
    this.#file.open();
    const deliver = (key: CreatedKey): void => this.#file.write(key);
    makeDemoKey({ identity: this.#identity, nowRealMs: NOW_MS, deliver });
  }

  get hasFile(): boolean {
    this.#file.check();
    return existsSync(this.#path);
  }

  read(): Content {
    return JSON.parse(readFileSync(this.#path, 'utf8')) as Content;
  }

  /** Sends a signed request. Returns true when it is proven. */
  request({ api_key: apiKey, api_secret: secret }: Content): boolean {
    const timestamp = String(NOW_MS);
    const signature = hmacSigner(secret)(
      signedMessage({ timestampMs: NOW_MS, apiKey, recvWindowMs: 5000, payload: '' }),
    );
    const credentials = { apiKey, timestamp, signature, recvWindow: '', version: '', nonce: '' };
    const payload = { kind: 'query', text: '' } as const;
    return !isRejected(authenticate({ credentials, path: '/', query: '' }, payload, this.#identity.directory, NOW_MS));
  }

  stop(): Promise<void> {
    return this.#identity.close();
  }
}

function started(dataDir: string): Process {
  const service = new Process(dataDir);
  onTestFinished(() => service.stop());
  return service;
}

describe('the file of the demo key', () => {
  it('is removed after the first request that the key has signed, and warned of until then', async () => {
    const dataDir = temporaryDataDir();
    const first = new Process(dataDir);
    const key = first.read();
    expect(statSync(join(dataDir, 'demo-key.json')).mode & 0o777).toBe(0o600);
    expect([first.warnings.length, first.hasFile]).toEqual([1, true]);
    expect(first.copies).toEqual([`install -m 600 ${join(dataDir, 'demo-key.json')} ~/sluice-key.json`]);
    await first.stop();

    const second = started(dataDir);
    expect(second.warnings).toEqual([expect.stringContaining('in plain text')]);
    expect(second.request({ ...key, api_secret: Buffer.alloc(32).toString('base64') })).toBe(false);
    expect(second.hasFile).toBe(true);
    expect(second.request(key)).toBe(true);
    expect(second.hasFile).toBe(false);
    expect(started(dataDir).warnings).toEqual([]);
  });

  it('stays when it is unreadable, with the warning', () => {
    const dataDir = temporaryDataDir();
    const before = started(dataDir);
    writeFileSync(join(dataDir, 'demo-key.json'), '{"api_key":');
    const service = started(dataDir);
    expect([service.warnings.length, service.hasFile, before.hasFile]).toEqual([1, true, true]);
  });

  it('leaves no draft of a start that was killed', () => {
    const dataDir = temporaryDataDir();
    writeFileSync(join(dataDir, 'demo-key.json.new'), '{"api_secret":"…"}');
    started(dataDir);
    expect(existsSync(join(dataDir, 'demo-key.json.new'))).toBe(false);
  });
});
