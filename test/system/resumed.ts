import { isRejected } from '../../src/model/rejection.js';
import { resumeTrading, tradingStatus, type ShownTrading } from '../../src/operator/trading.js';
import { eventually } from './eventually.js';

/** Waits until the service that runs on the restored directory has reconciled its orders; what it found. */
export async function reconciled(dataDir: string): Promise<ShownTrading> {
  return eventually(
    async () => {
      const shown = await tradingStatus({ path: dataDir, masterKey: undefined });
      if (isRejected(shown)) throw new Error(shown.rejection.message);
      return shown;
    },
    ({ report }) => report?.isComplete === true,
  );
}

/** The same, and resumes trading. */
export async function resumed(dataDir: string): Promise<ShownTrading> {
  const found = await reconciled(dataDir);
  const shown = await resumeTrading({ path: dataDir, masterKey: undefined });
  if (isRejected(shown)) throw new Error(shown.rejection.message);
  return found;
}
