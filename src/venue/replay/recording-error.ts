/** A recording that cannot be played; the message names the file, the place in it and the rule that is broken. */
export class RecordingError extends Error {
  override readonly name = 'RecordingError';
}
