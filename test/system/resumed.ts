import { isRejected } from '../../src/domain/rejection.js';
import { operate } from '../../src/admin/admin-client.js';
import type { ShownTrading } from '../../src/admin/trading-operations.js';
import { eventually } from './eventually.js';

/** The process of a service that starts halted on a restored directory. */
export interface RestoredService {
  readonly hasEnded: boolean;
  /** All it wrote. */
  readonly output: string;
}

/** Waits until the service has reconciled the orders of its restored directory. Returns the report. */
export async function reconciled(service: RestoredService, dataDir: string): Promise<ShownTrading> {
  try {
    return await eventually(
      async () => {
        const shown = await operate({ path: dataDir, masterKey: undefined }, 'trading.status', {});
        if (isRejected(shown)) throw new Error(shown.rejection.message);
        if (service.hasEnded) throw new Error('the service has ended');
        return shown;
      },
      ({ report }) => report?.isComplete === true,
    );
  } catch (error) {
    throw new Error(`${String(error)}; the output of the service:\n${service.output}`, { cause: error });
  }
}

/** Waits like `reconciled`, then resumes trading. */
export async function resumed(service: RestoredService, dataDir: string): Promise<ShownTrading> {
  const found = await reconciled(service, dataDir);
  const shown = await operate({ path: dataDir, masterKey: undefined }, 'trading.resume', {});
  if (isRejected(shown)) throw new Error(shown.rejection.message);
  return found;
}
