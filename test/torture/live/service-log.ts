import { isSilence } from '../pressure.js';

type Line = Readonly<Record<string, unknown>>;

const ERROR_LEVEL = 50;

/** Lines of a service's log that neither a storm nor a starved machine explains. */
export function troublesIn(lines: readonly Line[], isStarved: boolean): string[] {
  const isExplained = (line: Line): boolean =>
    isRefusedKey(line) || (isStarved && (isSilence(line) || isUnopened(line)));
  return lines
    .filter((line) => Number(line['level']) >= ERROR_LEVEL && !isExplained(line))
    .map((line) => JSON.stringify(line));
}

/** True for the log line about a key that the exchange refuses, or that was not checked because of a storm. */
function isRefusedKey({ msg }: Line): boolean {
  return msg === 'the account cannot trade';
}

/** True for the log line about a private stream that was not open for half a minute: a starved machine explains it. */
function isUnopened({ state }: Line): boolean {
  return state === 'STREAM_NOT_OPEN';
}
