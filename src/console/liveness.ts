import type { Tone } from './cell.js';
import { clockText, spanText } from './figures.js';

/** Whether what the page shows is what is. */
export type Liveness =
  | { readonly state: 'OFF' }
  | { readonly state: 'CONNECTING' }
  | { readonly state: 'LIVE' }
  /** Nothing has been heard since then, by this machine's clock. */
  | { readonly state: 'STALE'; readonly sinceMs: number; readonly why: string };

export interface LivenessNotice {
  readonly text: string;
  readonly tone: Tone;
  readonly hint: string;
}

export function livenessNotice(liveness: Liveness, nowMs: number): LivenessNotice {
  switch (liveness.state) {
    case 'OFF':
      return { text: 'No key', tone: 'quiet', hint: 'Paste a key to see the orders of its account.' };
    case 'CONNECTING':
      return { text: 'Connecting…', tone: 'warning', hint: 'The streams are being subscribed to.' };
    case 'LIVE':
      return { text: 'Live', tone: 'good', hint: 'Everything that happens is shown as it happens.' };
    case 'STALE': {
      const span = spanText(nowMs - liveness.sinceMs);
      return { text: `Stale since ${clockText(liveness.sinceMs)} UTC (${span})`, tone: 'bad', hint: liveness.why };
    }
  }
}
