export { backupData, backupTakenAtMs, restoreData } from './backup.js';
export { markFinished, refuseUnfinished } from './restore-mark.js';
export { readBackupOrders } from './restored-orders.js';
export { openJournalReader } from './journal-reader.js';
export { Keeper } from './keeper.js';
export type { RecoveredJournal } from './open-journal.js';
export { recoverJournal } from './recovery.js';
export { openTurnJournal } from './turn-journal.js';
export { verifyJournal } from './verification.js';
