import { gzipSync } from 'node:zlib';
import { renameSync, rmSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { reportBacktest } from '../../src/backtest/backtest-report.js';
import type { RecordedStream } from '../../src/backtest/venue/recording-format.js';
import { sluice } from '../cli/command-line.js';
import { BacktestFolder, FUTURES, type MadeRecording, SPOT } from './recording-files.js';

/** Runs the command on the files of a folder. */
async function command(folder: BacktestFolder) {
  const args = ['backtest', '--data', folder.path, '--order', folder.orderFile, '--latency-ms', '5', '--json'];
  return sluice(args, {}, { backtests: { run: reportBacktest } });
}

/** Runs the command on a recording of which one file is replaced. */
async function outcomeOf(recording: MadeRecording, stream: RecordedStream, content: string | Uint8Array) {
  const folder = new BacktestFolder(recording);
  folder.write(stream, content);
  const outcome = await command(folder);
  folder.remove();
  return { ...outcome, error: outcome.error.replaceAll(`${folder.path}/`, '') };
}

/** Replaces fields of one line: those of the header row count as line 1. */
function set(line: number, fields: Readonly<Record<string, string>>) {
  return (text: string): string => {
    const lines = text.split('\n');
    const names = lines[0]!.split(',');
    const values = lines[line - 1]!.split(',');
    for (const [name, value] of Object.entries(fields)) values[names.indexOf(name)] = value;
    lines[line - 1] = values.join(',');
    return lines.join('\n');
  };
}

/** Changes the list of lines, where line 1 has the index 0. */
function edit(change: (lines: string[]) => void) {
  return (text: string): string => {
    const lines = text.split('\n');
    change(lines);
    return lines.join('\n');
  };
}

const swap = (one: number, other: number) =>
  edit((lines) => ([lines[one - 1], lines[other - 1]] = [lines[other - 1]!, lines[one - 1]!]));
const repeat = (line: number, after = line) => edit((lines) => lines.splice(after, 0, lines[line - 1]!));
const drop = (line: number) => edit((lines) => lines.splice(line - 1, 1));

type Change = readonly [
  what: string,
  recording: MadeRecording,
  stream: RecordedStream,
  change: (text: string) => string,
];
type Damage = readonly [...Change, fault: string];

const REFUSED: readonly Damage[] = [
  [
    'rows out of time order',
    SPOT,
    'trades',
    set(6, { recv_ns: '1700000003879999999' }),
    'line 6, column 1 (recv_ns): "1700000003879999999" is smaller',
  ],
  [
    'trades in another order',
    SPOT,
    'trades',
    swap(5, 6),
    'line 5, column 4 (trade_id): "5" does not follow that of the row',
  ],
  ['updates out of time order', SPOT, 'depth', swap(4, 8), 'column 1 (recv_ns)'],
  ['quotes out of time order', SPOT, 'bookticker', swap(3, 5), 'line 4, column 1 (recv_ns)'],
  ['an empty time', SPOT, 'trades', set(4, { recv_ns: '' }), 'line 4, column 1 (recv_ns): "" is not 19 digits'],
  ['a time in ms', SPOT, 'trades', set(4, { recv_ns: '1700000003380' }), 'line 4, column 1 (recv_ns): "1700000003380"'],
  ['an empty price of a trade', SPOT, 'trades', set(3, { price: '' }), 'line 3, column 5 (price): "" is not a decimal'],
  [
    'an empty price of a level',
    SPOT,
    'snapshot',
    set(3, { price: '' }),
    'line 3, column 6 (price): "" is not a decimal',
  ],
  [
    'an empty price of an update',
    SPOT,
    'depth',
    set(4, { price: '' }),
    'line 4, column 8 (price): "" is not a decimal',
  ],
  ['an empty bid', SPOT, 'bookticker', set(3, { bid: '' }), 'line 3, column 5 (bid): "" is not a decimal'],
  ['an empty quantity of a trade', SPOT, 'trades', set(3, { qty: '' }), 'line 3, column 6 (qty): "" is not a decimal'],
  ['an empty quantity of an update', SPOT, 'depth', set(4, { qty: '' }), 'line 4, column 9 (qty): "" is not a decimal'],
  [
    'a trade at price 0',
    SPOT,
    'trades',
    set(3, { price: '0' }),
    'line 3, column 5 (price): "0" is below the smallest price',
  ],
  [
    'a trade of quantity 0',
    SPOT,
    'trades',
    set(3, { qty: '0.00' }),
    'line 3, column 6 (qty): "0.00" is no quantity of a trade',
  ],
  [
    'a level of quantity 0',
    SPOT,
    'snapshot',
    set(3, { qty: '0' }),
    'line 3, column 7 (qty): "0" is not a decimal from',
  ],
  [
    'a quote at price 0',
    SPOT,
    'bookticker',
    set(3, { ask: '0' }),
    'line 3, column 7 (ask): "0" is not a decimal from 0.01',
  ],
  ['a negative price', SPOT, 'trades', set(3, { price: '-100' }), 'line 3, column 5 (price): "-100" is not a decimal'],
  [
    'a price with an exponent',
    SPOT,
    'trades',
    set(3, { price: '1e2' }),
    'line 3, column 5 (price): "1e2" is not a decimal',
  ],
  ['a price off the grid', SPOT, 'trades', set(3, { price: '100.005' }), 'line 3, column 5 (price): "100.005" is not'],
  [
    'a price above the bounds',
    SPOT,
    'trades',
    set(3, { price: '10001000' }),
    'column 5 (price): "10001000" is not a decimal',
  ],
  [
    'a price that is no number',
    SPOT,
    'depth',
    set(4, { price: 'NaN' }),
    'line 4, column 8 (price): "NaN" is not a decimal',
  ],
  [
    'a quoted decimal comma',
    FUTURES,
    'trades',
    set(3, { price: '"50000,0"' }),
    'line 3, column 5 (price): "50000,0" is not a decimal',
  ],
  [
    'BID in capitals',
    SPOT,
    'depth',
    set(4, { side: 'BID' }),
    'line 4, column 7 (side): "BID" is not one of "bid", "ask"',
  ],
  ['Ask with a capital', SPOT, 'snapshot', set(9, { side: 'Ask' }), 'line 9, column 5 (side): "Ask" is not one of'],
  ['another word for a side', SPOT, 'depth', set(4, { side: 'buy' }), 'line 4, column 7 (side): "buy" is not one of'],
  ['an empty side', SPOT, 'snapshot', set(9, { side: '' }), 'line 9, column 5 (side): "" is not one of "bid", "ask"'],
  [
    'market in small letters',
    FUTURES,
    'trades',
    set(4, { type: 'market' }),
    'line 4, column 8 (type): "market" is not one of',
  ],
  [
    'an emptied type',
    FUTURES,
    'trades',
    set(4, { type: '' }),
    'line 4, column 8 (type): "" is empty, unlike in the rows before',
  ],
  ['a type among empty ones', SPOT, 'trades', set(4, { type: 'MARKET' }), 'column 8 (type): "MARKET" is given, unlike'],
  [
    'maker flag 2',
    SPOT,
    'trades',
    set(4, { is_buyer_maker: '2' }),
    'line 4, column 7 (is_buyer_maker): "2" is not one of "0", "1"',
  ],
  [
    'maker flag true',
    SPOT,
    'trades',
    set(4, { is_buyer_maker: 'true' }),
    'column 7 (is_buyer_maker): "true" is not one of',
  ],
  [
    'an empty maker flag',
    SPOT,
    'trades',
    set(4, { is_buyer_maker: '' }),
    'line 4, column 7 (is_buyer_maker): "" is not',
  ],
  [
    'a repeated trade',
    SPOT,
    'trades',
    repeat(4),
    'line 5, column 4 (trade_id): "3" does not follow that of the row before',
  ],
  [
    'a missing trade',
    SPOT,
    'trades',
    drop(4),
    'line 4, column 4 (trade_id): "4" does not follow that of the row before',
  ],
  [
    'a repeated level of a snapshot',
    SPOT,
    'snapshot',
    repeat(3),
    'line 4, column 6 (price): "99.99" is not below the bid',
  ],
  ['levels out of order', SPOT, 'snapshot', swap(3, 5), 'line 4, column 6 (price): "99.98" is not below the bid'],
  ['a crossed snapshot', SPOT, 'snapshot', set(2, { price: '200' }), 'column 6 (price)'],
  [
    'a snapshot of two numbers',
    SPOT,
    'snapshot',
    set(17, { snapshot_no: '2' }),
    'line 17, column 1 (snapshot_no): "2" differs from the row before of one time',
  ],
  [
    'a repeated level of an update',
    FUTURES,
    'depth',
    repeat(4),
    'line 5, column 8 (price): "49999.9" is repeated in the update',
  ],
  [
    'a side that is the other one',
    FUTURES,
    'depth',
    set(6, { side: 'ask' }),
    'line 6, column 8 (price): the update leaves the bid at or above the ask',
  ],
  [
    'a snapshot of two ids',
    SPOT,
    'snapshot',
    set(4, { last_update_id: '999' }),
    'line 4, column 4 (last_update_id): "999"',
  ],
  [
    'a crossed quote',
    SPOT,
    'bookticker',
    set(3, { bid: '100.5' }),
    'line 3, column 7 (ask): "100" is not above the bid',
  ],
  ['a repeated update after the next', FUTURES, 'depth', repeat(6, 9), 'line 10, column 1 (recv_ns)'],
  [
    'two quantities of one level',
    FUTURES,
    'depth',
    (text) => set(5, { qty: '9' })(repeat(4)(text)),
    'line 5, column 8 (price)',
  ],
  [
    'a missing update',
    FUTURES,
    'depth',
    edit((lines) => lines.splice(5, 2)),
    'line 6, column 4 (first_update_id): the depth has a gap',
  ],
  [
    'an update of two first ids',
    FUTURES,
    'depth',
    set(5, { first_update_id: '1000' }),
    'line 5, column 4 (first_update_id): "1000"',
  ],
  [
    'an emptied id of the update before',
    FUTURES,
    'depth',
    set(6, { prev_final_update_id: '' }),
    'line 6, column 6 (prev_final_update_id): "" is empty',
  ],
  [
    'a missing field',
    SPOT,
    'trades',
    edit((lines) => (lines[3] = lines[3]!.replace(',', ''))),
    'the row has 7 fields, the header 8',
  ],
  [
    'two joined lines',
    SPOT,
    'trades',
    edit((lines) => lines.splice(2, 2, lines[2]! + lines[3]!)),
    'line 3, column 8 (type): the row has 15 fields',
  ],
  [
    'a line cut in two',
    SPOT,
    'depth',
    edit((lines) => (lines[4] = `${lines[4]!.slice(0, 25)}\n${lines[4]!.slice(25)}`)),
    'line 5, column',
  ],
  [
    'a blank line between rows',
    SPOT,
    'depth',
    edit((lines) => lines.splice(4, 0, '')),
    'line 5, column 1 (recv_ns): the line is blank',
  ],
  [
    'a renamed column',
    FUTURES,
    'trades',
    (text) => text.replace('type', 'Type'),
    'line 1: the header has no column type',
  ],
  [
    'trades that end early',
    SPOT,
    'trades',
    edit((lines) => lines.splice(4)),
    'line 4, column 1 (recv_ns): the file ends at 2023-11-14T22:13:23.380Z, but',
  ],
  ['a file cut inside of a row', FUTURES, 'depth', (text) => text.slice(0, 880), 'the row has'],
];

/** Lines that RFC 4180 reads alike, and rows that change nothing. */
const HARMLESS: readonly Change[] = [
  ['CR LF at the ends of lines', SPOT, 'depth', (text) => text.replaceAll('\n', '\r\n')],
  ['a byte order mark', SPOT, 'snapshot', (text) => `\uFEFF${text}`],
  ['a blank last line', SPOT, 'trades', (text) => `${text}\n`],
  ['no end of the last line', SPOT, 'bookticker', (text) => text.trimEnd()],
  ['quoted fields', FUTURES, 'trades', (text) => text.replaceAll(/[^,\n]+/g, '"$&"')],
  ['a quoted comma in a column that is not read', SPOT, 'trades', set(4, { trade_ms: '"1,5"' })],
  ['a further column', SPOT, 'snapshot', (text) => text.replaceAll('\n', ',x\n')],
  ['a repeated quote', SPOT, 'bookticker', repeat(5)],
  ['swapped levels of an update', FUTURES, 'depth', swap(4, 5)],
];

describe('a damaged recording', () => {
  it('is tried in at least 48 forms', () => {
    expect(REFUSED.length).toBeGreaterThanOrEqual(48);
  });

  it.each(REFUSED)('with %s is refused with file, line and column', async (_, recording, stream, change, fault) => {
    const { status, out, error } = await outcomeOf(recording, stream, change(recording.texts[stream]));
    expect([status, out]).toEqual([2, '']);
    expect(error).toMatch(
      new RegExp(String.raw`^sluice: INVALID_REQUEST: ${recording.name}\.${stream}\.csv, line \d+`),
    );
    expect(error).toContain(fault);
  });

  it.each(HARMLESS)('with %s has the figures of the undamaged one', async (_, recording, stream, change) => {
    const text = recording.texts[stream];
    const { status, out, error } = await outcomeOf(recording, stream, change(text));
    expect([status, error]).toEqual([0, '']);
    expect(out).toBe((await outcomeOf(recording, stream, text)).out);
  });

  it.each([
    ['cut off', (bytes: Buffer) => bytes.subarray(0, bytes.length / 2), 'unexpected end of file'],
    [
      'with a changed check sum',
      (bytes: Buffer) => Buffer.concat([bytes.subarray(0, -8), Buffer.alloc(8)]),
      'incorrect data check',
    ],
    ['that is not packed', () => Buffer.from(SPOT.texts.trades), 'incorrect header check'],
  ] as const)('with a packed file %s is refused', async (_, change, fault) => {
    const folder = new BacktestFolder(SPOT);
    const file = `${folder.fileOf('trades')}.gz`;
    renameSync(folder.fileOf('trades'), file);
    writeFileSync(file, change(gzipSync(SPOT.texts.trades)));
    const { status, out, error } = await command(folder);
    folder.remove();
    expect([status, out]).toEqual([2, '']);
    expect(error).toBe(`sluice: INVALID_REQUEST: ${file}: ${fault}\n`);
  });

  it('with two files of one stream is refused', async () => {
    const folder = new BacktestFolder(SPOT);
    writeFileSync(`${folder.fileOf('trades')}.gz`, gzipSync(SPOT.texts.trades));
    const { status, error } = await command(folder);
    folder.remove();
    expect([status, error]).toEqual([2, expect.stringContaining('the recording has another file of the same stream')]);
  });

  it('is refused like a folder or an order file that is missing', async () => {
    const folder = new BacktestFolder(SPOT);
    rmSync(folder.orderFile);
    expect(await command(folder)).toMatchObject({ status: 2, out: '', error: expect.stringContaining('ENOENT') });
    folder.remove();
    expect(await command(folder)).toMatchObject({ status: 2, out: '', error: expect.stringContaining('ENOENT') });
  });
});
