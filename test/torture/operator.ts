import { isRejected, type OrRejection } from '../../src/domain/rejection.js';
import type { DataDirectory } from '../../src/cli/operator/data-directory.js';
import { setRiskLimits, type RiskLimitRequest, type HolderName } from '../../src/cli/operator/risk-limit-rules.js';
import { engageKillSwitch, releaseKillSwitch } from '../../src/cli/operator/kill-switch.js';

/**
 * The command line operator. Executes one command after another on the data directory, with or without a running
 * service.
 */
export class Operator {
  readonly #dataDir: string;
  #last: Promise<unknown> = Promise.resolve();

  constructor(dataDir: string) {
    this.#dataDir = dataDir;
  }

  setLimits(name: HolderName, request: RiskLimitRequest): Promise<void> {
    return this.#do((data) => setRiskLimits(data, name, request));
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
