import { BEAT_MS_MAX } from '../domain/limits/process.js';
import type { BlockingBell } from '../wire/bell.js';
import type { Lead } from './lead.js';
import type { Sequencer } from './sequencer.js';

interface JournalLoopParts {
  /** Of all producers. */
  readonly sequencer: Sequencer;
  readonly lead: Lead;
  readonly bell: BlockingBell;
  /** Shows that the thread moves, also while another one leads. */
  readonly beat: () => void;
  /** True after the last turn of every producer. */
  readonly isEnding: () => boolean;
}

/**
 * Leads the journal whenever a bell has rung and no other thread leads. Ends as the leader, so that no other thread
 * writes later.
 */
export function runJournalLoop({ sequencer, lead, bell, beat, isEnding }: JournalLoopParts): void {
  for (;;) {
    beat();
    const isLast = isEnding();
    const result = leadRound(sequencer, lead, !isLast);
    if (result === 'written') continue;
    if (result === 'idle' && isLast) break;
    bell.wait(BEAT_MS_MAX);
  }
  sequencer.close();
}

/**
 * One round of the journal thread. 'taken': another thread leads, and rings when it has ended. Keeps the word while
 * there is work, and while a part of a turn is in the sequencer alone.
 */
export function leadRound(sequencer: Sequencer, lead: Lead, mayFree = true): 'written' | 'idle' | 'taken' {
  if (!lead.claim()) return 'taken';
  sequencer.resume();
  if (sequencer.round()) return 'written';
  if (mayFree && sequencer.isClear) lead.free();
  return 'idle';
}
