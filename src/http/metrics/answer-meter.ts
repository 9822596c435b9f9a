/** Upper ends of the buckets of answer times, in milliseconds; what took longer falls into one more bucket. */
export const BUCKET_ENDS_MS: readonly number[] = [
  0.1, 0.25, 0.5, 1, 2.5, 5, 10, 25, 50, 100, 250, 500, 1_000, 2_500, 5_000, 10_000,
];
const CLASSES_COUNT = 6;
const ASCII_ZERO = 48;

/** The name under which everything is counted that fits no route. */
export const OTHER_ROUTES = 'other';

/**
 * How often one route has been answered, by class of status, and how soon. Every answer writes here, so these are plain
 * numbers in place: nothing is allocated and nothing is looked up. Whoever shows them reads them when asked.
 */
export class RouteMeter {
  readonly route: string;
  /** By the first digit of the status. */
  readonly answersByClass = new Float64Array(CLASSES_COUNT);
  /** Answers of each bucket alone, not of those below it; the last one has no end. */
  readonly answersByBucket = new Float64Array(BUCKET_ENDS_MS.length + 1);
  #totalMs = 0;

  constructor(route: string) {
    this.route = route;
  }

  /** Milliseconds that all answers together took. */
  get totalMs(): number {
    return this.#totalMs;
  }

  /** `statusLine` begins with the three digits of the status; `tookMs` counts from the request's head to its answer. */
  note(statusLine: string, tookMs: number): void {
    const statusClass = statusLine.charCodeAt(0) - ASCII_ZERO;
    this.answersByClass[statusClass]! += 1;
    let bucket = 0;
    while (bucket < BUCKET_ENDS_MS.length && tookMs > BUCKET_ENDS_MS[bucket]!) bucket += 1;
    this.answersByBucket[bucket]! += 1;
    this.#totalMs += tookMs;
  }
}

/** The meters of all routes. */
export class AnswerMeters {
  readonly #byRoute = new Map<string, RouteMeter>();

  /** The meter of a route: made when it is first asked for. */
  of(route: string): RouteMeter {
    const known = this.#byRoute.get(route);
    if (known !== undefined) return known;
    const meter = new RouteMeter(route);
    this.#byRoute.set(route, meter);
    return meter;
  }

  all(): Iterable<RouteMeter> {
    return this.#byRoute.values();
  }
}
