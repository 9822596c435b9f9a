import { isRejected, type OrRejection } from '../../src/model/rejection.js';
import type { DataDirectory } from '../../src/operator/data-directory.js';
import { setGuardrails, type GuardrailRequest, type HolderName } from '../../src/operator/guardrails.js';
import { engageKillSwitch, releaseKillSwitch } from '../../src/operator/kill-switch.js';

/** The operator at the command line, who does one thing after another on the data directory, whoever serves it. */
export class Operator {
  readonly #dataDir: string;
  #last: Promise<unknown> = Promise.resolve();

  constructor(dataDir: string) {
    this.#dataDir = dataDir;
  }

  setGuardrails(name: HolderName, request: GuardrailRequest): Promise<void> {
    return this.#do((data) => setGuardrails(data, name, request));
  }

  engageKillSwitch(account: string): Promise<void> {
    return this.#do((data) => engageKillSwitch(data, { account }));
  }

  releaseKillSwitch(account: string): Promise<void> {
    return this.#do((data) => releaseKillSwitch(data, { account }));
  }

  #do(act: (data: DataDirectory) => Promise<OrRejection<unknown>>): Promise<void> {
    const done = doAfter(this.#last, () => act({ path: this.#dataDir, masterKey: undefined }));
    this.#last = done.catch(() => undefined);
    return done;
  }
}

async function doAfter(before: Promise<unknown>, act: () => Promise<OrRejection<unknown>>): Promise<void> {
  await before;
  const result = await act();
  if (isRejected<unknown>(result)) throw new Error(result.rejection.message);
}
