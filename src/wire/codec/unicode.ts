import { CodecError } from './codec-error.js';

/** With the u flag a surrogate that is half of a pair is no match: only a lone one is. */
const LONE_SURROGATE = /\p{Surrogate}/u;

/**
 * Refuses text that UTF-8 cannot write. It must not get into the journal, for no reader would take it out again; all
 * text that a client chooses freely passes here once, on its way into a command.
 */
export function refuseLoneSurrogates(text: string | null, field: string): void {
  if (text !== null && LONE_SURROGATE.test(text)) throw new CodecError(`${field}: holds half of a surrogate pair`);
}
