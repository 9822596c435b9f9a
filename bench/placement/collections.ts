import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** A pause of one thread for its garbage collector. Times are microseconds of the monotonic clock. */
export interface Collection {
  readonly tid: number;
  readonly kind: 'scavenge' | 'mark-compact' | 'marking step';
  readonly startUs: number;
  readonly endUs: number;
  /** Used bytes of the heap before and after; null for a marking step, which frees nothing. */
  readonly heap: { readonly before: number; readonly after: number } | null;
}

/** An event of a Node trace, as far as it is read here. */
interface TraceEvent {
  readonly tid: number;
  readonly ph: string;
  readonly name: string;
  readonly ts: number;
  readonly dur?: number;
  readonly args?: { readonly usedHeapSizeBefore?: number; readonly usedHeapSizeAfter?: number };
}

export interface Period {
  readonly startUs: number;
  readonly endUs: number;
}

const KINDS: Readonly<Record<string, Collection['kind']>> = { MinorGC: 'scavenge', MajorGC: 'mark-compact' };
const MARKING_STEP = 'V8.GC_MC_INCREMENTAL';
const FILE = 'collections-';

/** Options of a Node process that writes a trace of the collections of all its threads to a folder. */
export function tracedCollections(folder: string): string {
  return `--trace-event-categories=devtools.timeline --trace-event-file-pattern=${join(folder, FILE)}\${rotation}.json`;
}

/** Collections in the trace of a process that has ended, in order of time. */
export function collectionsIn(folder: string): Collection[] {
  return readdirSync(folder)
    .filter((name) => name.startsWith(FILE))
    .flatMap((name) => collectionsOf(readFileSync(join(folder, name), 'utf8')))
    .sort((left, right) => left.startUs - right.startUs);
}

/** Parses a trace file. */
export function collectionsOf(trace: string): Collection[] {
  const { traceEvents } = JSON.parse(trace) as { readonly traceEvents: readonly TraceEvent[] };
  const open = new Map<string, TraceEvent>();
  return traceEvents.flatMap((event): Collection[] => {
    const { tid, name, ph, ts: endUs } = event;
    if (name === MARKING_STEP && ph === 'X') {
      return [{ tid, kind: 'marking step', startUs: endUs, endUs: endUs + (event.dur ?? 0), heap: null }];
    }
    const kind = KINDS[name];
    if (kind === undefined) return [];
    const key = `${tid} ${name}`;
    const begin = open.get(key);
    if (ph === 'B') open.set(key, event);
    else open.delete(key);
    if (ph !== 'E' || begin === undefined) return [];
    const heap = { before: begin.args?.usedHeapSizeBefore ?? 0, after: event.args?.usedHeapSizeAfter ?? 0 };
    return [{ tid, kind, startUs: begin.ts, endUs, heap }];
  });
}

export interface Pauses {
  readonly kind: Collection['kind'];
  readonly count: number;
  readonly sumUs: number;
  readonly longestUs: number;
}

const LONG_PAUSE_US = 1000;

/** Pauses of more than a millisecond in the periods, by kind. */
export function longPauses(collections: readonly Collection[], periods: readonly Period[]): Pauses[] {
  const all = new Map<Collection['kind'], Pauses>();
  for (const { kind, startUs, endUs } of collections) {
    const pauseUs = endUs - startUs;
    if (pauseUs <= LONG_PAUSE_US || !touches({ startUs, endUs }, periods)) continue;
    const { count = 0, sumUs = 0, longestUs = 0 } = all.get(kind) ?? {};
    all.set(kind, { kind, count: count + 1, sumUs: sumUs + pauseUs, longestUs: Math.max(longestUs, pauseUs) });
  }
  return [...all.values()];
}

/**
 * Bytes by which the heap of a thread grew from the end of one scavenge to the end of the next, per second of the time
 * between them: what scavenges promoted, less the change of the young survivors. Only scavenges that end in a period
 * count. Null without two of them in a row.
 */
export function promotedPerS(collections: readonly Collection[], periods: readonly Period[]): number | null {
  let [bytes, coveredUs] = [0, 0];
  let previous: { readonly endUs: number; readonly after: number } | null = null;
  for (const { kind, endUs, heap } of collections) {
    if (heap === null) continue;
    const isCounted = kind === 'scavenge' && periods.some((one) => endUs >= one.startUs && endUs <= one.endUs);
    if (isCounted && previous !== null) {
      bytes += heap.after - previous.after;
      coveredUs += endUs - previous.endUs;
    }
    previous = isCounted ? { endUs, after: heap.after } : null;
  }
  return coveredUs === 0 ? null : (bytes * 1e6) / coveredUs;
}

/** The longest pause that touches the periods. 0: there is none. */
export function longestPauseUs(collections: readonly Collection[], periods: readonly Period[]): number {
  const touching = collections.filter((one) => touches(one, periods));
  return Math.max(0, ...touching.map(({ startUs, endUs }) => endUs - startUs));
}

function touches({ startUs, endUs }: Period, periods: readonly Period[]): boolean {
  return periods.some((one) => startUs < one.endUs && endUs > one.startUs);
}

/**
 * Bytes that a thread allocated on its heap per second of the periods, from the growth between collections. Time before
 * the first and after the last collection is not known and does not count. Null without two collections around a part
 * of a period. Buffers outside of the heap do not count.
 */
export function allocatedPerS(collections: readonly Collection[], periods: readonly Period[]): number | null {
  let [bytes, coveredUs] = [0, 0];
  let previous: { readonly endUs: number; readonly after: number } | null = null;
  for (const { startUs, endUs, heap } of collections) {
    if (heap === null) continue;
    if (previous !== null && startUs > previous.endUs) {
      const { endUs: fromUs, after } = previous;
      const overlapUs = periods.reduce(
        (sum, one) => sum + Math.max(0, Math.min(startUs, one.endUs) - Math.max(fromUs, one.startUs)),
        0,
      );
      coveredUs += overlapUs;
      bytes += (Math.max(0, heap.before - after) * overlapUs) / (startUs - fromUs);
    }
    previous = { endUs, after: heap.after };
  }
  return coveredUs === 0 ? null : (bytes * 1e6) / coveredUs;
}
