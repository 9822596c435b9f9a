import { quoted } from './json-text.js';

/** Codes of the answers to subscribe and unsubscribe. */
export const ACKNOWLEDGED = 0;
export const STREAM_ENDED = 7001;
export const INVALID_STREAM_REQUEST = 7002;
export const UNKNOWN_EXCHANGE = 8054;
export type AnswerCode =
  typeof ACKNOWLEDGED | typeof STREAM_ENDED | typeof INVALID_STREAM_REQUEST | typeof UNKNOWN_EXCHANGE;

export const PING_FRAME = '{"topic":"ping"}';
export const PONG_FRAME = '{"topic":"pong"}';
export const SHUTDOWN_FRAME = '{"topic":"server","message":"shutting down"}';

export function answerFrame(code: AnswerCode, message: string): string {
  return `{"code":${code},"message":${quoted(message)}}`;
}
