import { parentPort } from 'node:worker_threads';
import type { Logger } from 'pino';
import type { WorkerNotice } from '../wire/worker-data.js';

/** Tells the main thread something about this thread. */
export function notify(notice: WorkerNotice): void {
  parentPort?.postMessage(notice);
}

/**
 * Runs a thread to its end. After an error, `onFailure` returns the message for the log and whether the process must
 * end, or null when another thread reports the error.
 */
export function runThread(
  log: Pick<Logger, 'fatal'>,
  run: () => void,
  onFailure: (error: unknown) => { readonly message: string; readonly isFatal: boolean } | null,
): void {
  try {
    run();
  } catch (error) {
    const failure = onFailure(error);
    if (failure === null) return;
    const reason = error instanceof Error ? (error.stack ?? error.message) : String(error);
    log.fatal({ err: error }, failure.message);
    notify({ kind: 'failed', reason, isFatal: failure.isFatal });
  }
}
