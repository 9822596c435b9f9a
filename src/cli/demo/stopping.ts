/** The person at the terminal wants to stop. */
class Interrupted extends Error {
  override readonly name = 'Interrupted';
}

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** Aborted at the first signal that asks to stop. Further ones change nothing: stopping is under way. */
export function stopSignal(): AbortSignal {
  const stopping = new AbortController();
  for (const signal of SIGNALS) process.on(signal, () => stopping.abort(new Interrupted(signal)));
  return stopping.signal;
}

/** Rejects with the signal's reason once it is aborted. */
export function untilAborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    const abort = (): void => reject(signal.reason as Error);
    if (signal.aborted) abort();
    else signal.addEventListener('abort', abort, { once: true });
  });
}

/** Turns an interruption into an exit status and lets every other error pass. */
export function interruptedAs(status: number): (error: unknown) => number {
  return (error) => {
    if (error instanceof Interrupted) return status;
    throw error;
  };
}
