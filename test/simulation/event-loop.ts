/** Work of the code under test. A failure in it ends the run. */
type Run = () => void;

interface Timer {
  atMs: number;
  readonly everyMs: number | null;
  readonly run: Run;
  isOff: boolean;
  /** Timers of one instant run in the sequence in which they were set. */
  order: number;
}

const REPLACED = [
  'setTimeout',
  'clearTimeout',
  'setInterval',
  'clearInterval',
  'setImmediate',
  'queueMicrotask',
] as const;

/**
 * The event loop of one simulated process. Its timers fire by the simulated clock. While it is installed, it replaces
 * the timer functions of the runtime, so that the code under test needs no change.
 */
export class EventLoop {
  readonly #nowMs: () => number;
  readonly #timers = new Set<Timer>();
  #immediates: Run[] = [];
  #microtasks: Run[] = [];
  #lastOrder = 0;

  constructor(nowMs: () => number) {
    this.#nowMs = nowMs;
  }

  /** Replaces the timers of the runtime until the returned function is called. `current` is called at every use. */
  static install(current: () => EventLoop): () => void {
    const scope = globalThis as unknown as Record<string, unknown>;
    const before = REPLACED.map((name) => [name, scope[name]] as const);
    const now = performance.now;
    scope['setTimeout'] = (run: Run, delayMs = 0) => current().#after(run, delayMs, null);
    scope['setInterval'] = (run: Run, everyMs: number) => current().#after(run, everyMs, everyMs);
    scope['setImmediate'] = (run: Run) => current().#immediates.push(run);
    scope['queueMicrotask'] = (run: Run) => current().#microtasks.push(run);
    scope['clearTimeout'] = scope['clearInterval'] = (timer: Timer | undefined) => {
      if (timer !== undefined) current().#clear(timer);
    };
    performance.now = () => current().#nowMs();
    return () => {
      for (const [name, value] of before) scope[name] = value;
      performance.now = now;
    };
  }

  /** Runs with the next turn. */
  soon(run: Run): void {
    this.#immediates.push(run);
  }

  /** Runs the due timers, then the immediates that were queued before this turn. Microtasks run after each. */
  turn(): void {
    this.settle();
    const nowMs = this.#nowMs();
    const due = [...this.#timers].filter(({ atMs }) => atMs <= nowMs).sort(inOrder);
    for (const timer of due) {
      if (timer.isOff) continue;
      if (timer.everyMs === null) this.#clear(timer);
      else timer.atMs = nowMs + timer.everyMs;
      this.#run(timer.run);
    }
    for (const run of this.#immediates.splice(0)) this.#run(run);
  }

  /** Runs the microtasks of calls from outside the loop. */
  settle(): void {
    for (let run = this.#microtasks.shift(); run !== undefined; run = this.#microtasks.shift()) run();
  }

  /** True while the next turn has work that does not depend on the time. */
  get isBusy(): boolean {
    return this.#immediates.length > 0 || this.#microtasks.length > 0;
  }

  #run(run: Run): void {
    run();
    this.settle();
  }

  #after(run: Run, delayMs: number, everyMs: number | null): Timer {
    this.#lastOrder += 1;
    const timer: Timer = { atMs: this.#nowMs() + delayMs, everyMs, run, isOff: false, order: this.#lastOrder };
    this.#timers.add(timer);
    return timer;
  }

  #clear(timer: Timer): void {
    timer.isOff = true;
    this.#timers.delete(timer);
  }
}

function inOrder(one: Timer, other: Timer): number {
  return one.atMs - other.atMs || one.order - other.order;
}
