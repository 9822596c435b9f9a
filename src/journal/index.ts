export { backupData, restoreData } from './backup.js';
export { openJournalReader } from './journal-reader.js';
export { Keeper } from './keeper.js';
export type { RecoveredJournal } from './open-journal.js';
export { recoverJournal } from './recovery.js';
export { openTurnJournal } from './turn-journal.js';
export { verifyJournal } from './verification.js';
