/** The library's code for a WebSocket that ended without a close frame. */
const NO_CLOSE_FRAME = 1006;
/** Its reason, with the same code, for a close frame that is not valid. It answers such a frame like a valid one. */
const INVALID_CLOSE_FRAME = 'Received invalid close payload';

/** The library's reason for the end of a connection after a frame beyond maxPayloadLength. */
export const FRAME_TOO_LARGE = 'Received too big message';

/**
 * True when the descriptor of a closed WebSocket may still be open. After its close frame the library waits for the
 * client to close the connection, at most WS_END_MS. `code` and `reason`: those of the library's close handler.
 */
export function isDescriptorKept(code: number, reason: string): boolean {
  return code !== NO_CLOSE_FRAME || reason === INVALID_CLOSE_FRAME;
}
