import { type DataDirectory, operate } from '../../src/admin/admin-client.js';
import type { HolderName, RiskLimitRequest } from '../../src/admin/risk-limit-operations.js';
import { isRejected, type OrRejection } from '../../src/domain/rejection.js';

/** Attempts of one command. The service may be killed during each. */
const ATTEMPTS_MAX = 20;

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
    return this.#do((data) => operate(data, 'risk-limits.set', { name, request }));
  }

  engageKillSwitch(account: string): Promise<void> {
    return this.#do((data) => operate(data, 'kill-switch.engage', { account }));
  }

  /** A switch that is released already was released by an attempt without an answer. */
  releaseKillSwitch(account: string): Promise<void> {
    return this.#do((data) => operate(data, 'kill-switch.release', { account }), /is not engaged/);
  }

  #do(act: (data: DataDirectory) => Promise<OrRejection<unknown>>, isDone?: RegExp): Promise<void> {
    const done = doAfter(this.#last, () => act({ path: this.#dataDir, masterKey: undefined }), isDone);
    this.#last = done.catch(() => undefined);
    return done;
  }
}

/** `isDone`: the refusal of a repetition whose first attempt took effect. */
async function doAfter(
  before: Promise<unknown>,
  act: () => Promise<OrRejection<unknown>>,
  isDone: RegExp | undefined,
): Promise<void> {
  await before;
  for (let attempt = 1; ; attempt += 1) {
    try {
      const result = await act();
      if (!isRejected<unknown>(result)) return;
      const { message } = result.rejection;
      if (attempt > 1 && isDone?.test(message) === true) return;
      throw new Error(message);
    } catch (error) {
      // The service was killed before its answer.
      if (attempt === ATTEMPTS_MAX || !/the service|takes no commands now/.test((error as Error).message)) throw error;
    }
  }
}
