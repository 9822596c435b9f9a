/**
 * The journal or a file beside it is not trustworthy, so the start stops. The message names the place and the remedy.
 */
export class JournalDamage extends Error {
  override readonly name = 'JournalDamage';
}

const REMEDY =
  'The journal was left as it is. Restore the data folder from a backup (`sluice restore`), or put the file back as it was.';

/** An entry is damaged although the journal was synced up to it or beyond. A crash cannot cause that. */
export function damagedEntry(file: string, offset: number, seq: number, syncedSeq: number): JournalDamage {
  return new JournalDamage(
    `journal entry seq ${seq} in ${file} at offset ${offset} is damaged, ` +
      `but the journal was synced up to seq ${syncedSeq}: this is no torn tail. ${REMEDY}`,
  );
}

export function missingSegment(file: string, seq: number): JournalDamage {
  return new JournalDamage(`journal segment ${file} with seq ${seq} and on is missing. ${REMEDY}`);
}

/** The oldest segment begins after the state from which the replay would continue. */
export function missingBeginning(file: string, firstSeq: number, neededSeq: number): JournalDamage {
  return new JournalDamage(
    `the journal begins with seq ${firstSeq} in ${file}, but seq ${neededSeq} and on are needed, ` +
      `for neither the state nor a checkpoint covers them. ${REMEDY}`,
  );
}

export interface MissingSource {
  /** The journal's first segment, and its first seq. The seq is null when the segment is unused. */
  readonly file: string;
  readonly firstSeq: number | null;
  /** Sources whose builds have ended the process in several starts in a row. */
  readonly fatal: readonly string[];
  readonly damaged: readonly string[];
  /** File that counts these starts. */
  readonly attemptsFile: string;
}

/** The state cannot be built: no checkpoint is usable, and the journal does not reach back to its first event. */
export function noSource({ file, firstSeq, fatal, damaged, attemptsFile }: MissingSource): JournalDamage {
  const reasons = [
    ...(damaged.length > 0 ? [`Damaged checkpoints: ${damaged.join(', ')}.`] : []),
    ...(fatal.length > 0
      ? [`Every start that built the state from these died: ${fatal.join(', ')}. Remove ${attemptsFile} to try again.`]
      : []),
  ];
  const missing =
    firstSeq === 1
      ? 'the state cannot be built.'
      : `the journal begins with seq ${firstSeq ?? '(none)'} in ${file}, but seq 1 and on are needed, ` +
        `for neither the state nor a checkpoint covers them.`;
  return new JournalDamage([missing, ...reasons, REMEDY].join(' '));
}

export function wrongSegmentSize(file: string, bytes: number, segmentBytes: number): JournalDamage {
  return new JournalDamage(`journal segment ${file} has ${bytes} bytes instead of ${segmentBytes}. ${REMEDY}`);
}
