/** Points at which a thread can die during its work. */
export const CRASH_POINTS = [
  'before sync',
  'change unread',
  'change handed over',
  'lead written',
  'lead synced',
  'after sync',
  'release',
  'venue commit',
  'venue committed',
  'venue release',
] as const;
export type CrashPoint = (typeof CRASH_POINTS)[number];

/** Points at which the thread leads the journal: its end is the end of the process. */
const LEADING: ReadonlySet<CrashPoint> = new Set(['lead written', 'lead synced']);

/** The end of a thread or of the whole process. No code under test may catch it and continue. */
export class Crash extends Error {
  override readonly name = 'Crash';
  readonly endsProcess: boolean;

  constructor(point: CrashPoint) {
    super(point);
    this.endsProcess = LEADING.has(point);
  }
}

/** At most one crash at a time waits for a thread to reach its point. */
export class Faults {
  #point: CrashPoint | null = null;
  #passesLeft = 0;

  /** Lets the thread die at the point after `passes` passes. */
  arm(point: CrashPoint, passes: number): void {
    this.#point = point;
    this.#passesLeft = passes;
  }

  awaits(point: CrashPoint): boolean {
    return point === this.#point;
  }

  disarm(): void {
    this.#point = null;
  }

  /** Throws Crash when the planned pass is reached. */
  pass(point: CrashPoint): void {
    if (!this.awaits(point)) return;
    this.#passesLeft -= 1;
    if (this.#passesLeft >= 0) return;
    this.disarm();
    throw new Crash(point);
  }
}
