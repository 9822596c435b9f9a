/** Upper bounds of the buckets of answer times, in milliseconds. One more bucket holds longer times. */
export const BUCKET_ENDS_MS: readonly number[] = [
  0.1, 0.25, 0.5, 1, 2.5, 5, 10, 25, 50, 100, 250, 500, 1_000, 2_500, 5_000, 10_000,
];
const CLASSES_COUNT = 6;
const ASCII_ZERO = 48;

/** Name of the counter for requests without a route. */
export const OTHER_ROUTES = 'other';

/**
 * Counts the answers of one route by status class and duration. Every answer writes here, so the counters are plain
 * numbers: no allocation and no lookup. The metrics read them at a scrape.
 */
export class RouteMeter {
  readonly route: string;
  /** By the first digit of the status. */
  readonly answersByClass = new Float64Array(CLASSES_COUNT);
  /** Answers of each bucket alone, without the buckets below it. The last one has no upper bound. */
  readonly answersByBucket = new Float64Array(BUCKET_ENDS_MS.length + 1);
  #totalMs = 0;

  constructor(route: string) {
    this.route = route;
  }

  /** Total duration of all answers in milliseconds. */
  get totalMs(): number {
    return this.#totalMs;
  }

  /** `statusLine` begins with the three digits of the status. `tookMs`: from the request's head to its answer. */
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

  /** The meter of a route, created at the first call. */
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
