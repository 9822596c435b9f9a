/** The journal or what belongs to it cannot be trusted: the start stops. The message says where and what to do. */
export class JournalDamage extends Error {
  override readonly name = 'JournalDamage';
}

const REMEDY =
  'The journal was left as it is. Restore the data folder from a backup (`sluice restore`), or put the file back as it was.';

/** An entry is bad although it, or one after it, is known to have been synced: no crash leaves that behind. */
export function damagedEntry(file: string, offset: number, seq: number, syncedSeq: number): JournalDamage {
  return new JournalDamage(
    `journal entry seq ${seq} in ${file} at offset ${offset} is damaged, ` +
      `but the journal was synced up to seq ${syncedSeq}: this is no torn tail. ${REMEDY}`,
  );
}

export function missingSegment(file: string, seq: number): JournalDamage {
  return new JournalDamage(`journal segment ${file} with seq ${seq} and on is missing. ${REMEDY}`);
}

/** The oldest segment begins later than the state that replay would go on from. */
export function missingBeginning(file: string, firstSeq: number, neededSeq: number): JournalDamage {
  return new JournalDamage(
    `the journal begins with seq ${firstSeq} in ${file}, but seq ${neededSeq} and on are needed, ` +
      `for neither the state nor a checkpoint covers them. ${REMEDY}`,
  );
}

export function wrongSegmentSize(file: string, bytes: number, segmentBytes: number): JournalDamage {
  return new JournalDamage(`journal segment ${file} has ${bytes} bytes instead of ${segmentBytes}. ${REMEDY}`);
}
