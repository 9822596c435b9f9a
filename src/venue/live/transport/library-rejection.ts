/** Files of the library that dials exchanges, in the stack of an error. */
const LIBRARY = /[\\/]node_modules[\\/]ccxt[\\/]/;

/**
 * True for a rejection that was born in the exchange library: it rejects promises of a cut socket that nothing awaits. Any
 * other rejection is a defect.
 */
export function isLibraryRejection(reason: unknown): boolean {
  return reason instanceof Error && LIBRARY.test(reason.stack ?? '');
}
