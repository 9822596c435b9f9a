/** A signal asked the demo to stop, or its output was closed. */
class Interrupted extends Error {
  override readonly name = 'Interrupted';
}

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/**
 * Aborts at the first stop signal, and when a reader such as `head` has closed the output. Later signals and writes
 * have no effect.
 */
export function stopSignal(): AbortSignal {
  const stopping = new AbortController();
  for (const signal of SIGNALS) process.on(signal, () => stopping.abort(new Interrupted(signal)));
  for (const stream of [process.stdout, process.stderr]) {
    stream.on('error', (error: NodeJS.ErrnoException) => {
      stopping.abort(error.code === 'EPIPE' ? new Interrupted(error.code) : error);
    });
  }
  return stopping.signal;
}

/** Rejects with the reason of the signal when it aborts. */
export function untilAborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    const abort = (): void => reject(signal.reason as Error);
    if (signal.aborted) abort();
    else signal.addEventListener('abort', abort, { once: true });
  });
}

/** Maps an interruption to an exit status. Rethrows every other error. */
export function interruptedAs(status: number): (error: unknown) => number {
  return (error) => {
    if (error instanceof Interrupted) return status;
    throw error;
  };
}
