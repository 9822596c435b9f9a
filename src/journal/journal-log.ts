/** Where the journal tells what it found and did; pino's logger is one. */
export interface JournalLog {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
}
