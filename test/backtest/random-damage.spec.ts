import { afterAll, describe, expect, it } from 'vitest';
import { isRejected } from '../../src/domain/rejection.js';
import type { RecordedStream } from '../../src/backtest/venue/recording-format.js';
import { Random } from '../../src/sim/prng.js';
import { runs } from '../runs.js';
import { BacktestFolder, FUTURES, SPOT, STREAMS } from './recording-files.js';

/*
 * Damage that leaves another legal value, such as a changed digit of a price or a lost row of an update, cannot be seen
 * in a file. The damage here leaves no legal file of another market.
 */

/** Draws from lists and ranges. */
class Draw {
  readonly #random: Random;

  constructor(seed: number) {
    this.#random = new Random(`damage ${seed}`);
  }

  below(count: number): number {
    return Math.floor(this.#random.uniform() * count);
  }

  of<Item>(items: readonly Item[]): Item {
    return items[this.below(items.length)]!;
  }
}

/** The last id of an update. */
function idOf(line: string): string {
  return line.split(',')[4]!;
}

interface Target {
  readonly draw: Draw;
  readonly stream: RecordedStream;
  readonly text: string;
}

/** A value that no column has, or that its neighbours contradict. */
const WRONG_VALUES = [
  (value: string) => `-${value || 1}`,
  (value: string) => `+${value || 1}`,
  (value: string) => ` ${value}`,
  (value: string) => `${value} `,
  (value: string) => `${value}x`,
  (value: string) => `${value || 1}e2`,
  (value: string) => `${value || 1},5`,
  (value: string) => `"${value},"`,
  (value: string) => `${value || 1}.00.0`,
  (value: string) => `${value || '1'}.000000000000001`,
  (value: string) => `"${value}"x`,
  (value: string) => `${value}"`,
  (value: string) => `\u2212${value}`,
  (value: string) => `0x${value}`,
  () => 'NaN',
  () => 'null',
  () => 'Infinity',
  () => '9'.repeat(30),
  () => '\u0000',
  () => '１００',
] as const;

/** Columns whose values no run reads. */
const UNREAD = ['event_ms', 'trx_ms', 'trade_ms'];
const WORDS = ['side', 'type', 'is_buyer_maker'];
/** Columns that may be 0. */
const ZEROED = { depth: ['qty'], snapshot: [], trades: [], bookticker: [] } as const;

/** Replaces one field of a random row. */
function withField(
  { draw, text }: Target,
  of: (names: readonly string[]) => string,
  change: (value: string) => string,
) {
  const lines = text.trimEnd().split('\n');
  const names = lines[0]!.split(',');
  const line = 1 + draw.below(lines.length - 1);
  const values = lines[line]!.split(',');
  const field = names.indexOf(of(names));
  values[field] = change(values[field]!);
  lines[line] = values.join(',');
  return `${lines.join('\n')}\n`;
}

function withLines({ text }: Target, change: (lines: string[], header: string) => void): string {
  const [header = '', ...lines] = text.trimEnd().split('\n');
  change(lines, header);
  return `${[header, ...lines].join('\n')}\n`;
}

/** A damaged file has a line and a column, but for its header, and for a file that has no rows. */
const FAULT = /^INVALID_REQUEST: \S+\.csv(?:, line \d+, column \d+(?: \(\w*\))?|, line 1|): /;

const KINDS: Readonly<Record<string, (target: Target) => string | Uint8Array>> = {
  'a wrong value': (target) => {
    const change = target.draw.of(WRONG_VALUES);
    return withField(target, (names) => target.draw.of(names.filter((name) => !UNREAD.includes(name))), change);
  },
  'an empty value': (target) =>
    withField(
      target,
      (names) => target.draw.of(names.filter((name) => !UNREAD.includes(name))),
      () => '',
    ),
  'a zero': (target) => {
    const legal = new Set<string>([...ZEROED[target.stream], ...WORDS, ...UNREAD]);
    return withField(
      target,
      (names) => target.draw.of(names.filter((name) => !legal.has(name))),
      () => '0',
    );
  },
  'a word in another case or another word': (target) => {
    if (target.stream === 'bookticker') return target.text.toUpperCase();
    const of = (names: readonly string[]): string => target.draw.of(names.filter((name) => WORDS.includes(name)));
    return withField(target, of, (value) => {
      const other = target.draw.of(['buy', 'sell', 'true', '2', 'yes', 'LIQUIDATION', value.toUpperCase()]);
      return other === value ? `${value}${value}-` : other;
    });
  },
  'a repeated row': (target) =>
    withLines(target, (lines) => {
      const row = target.draw.below(lines.length);
      lines.splice(target.draw.of([row, target.draw.below(lines.length)]), 0, lines[row]!);
    }),
  'a moved row': (target) =>
    withLines(target, (lines) => {
      const [row = ''] = lines.splice(target.draw.below(lines.length), 1);
      lines.splice(target.draw.below(lines.length), 0, row);
    }),
  'two swapped rows': (target) =>
    withLines(target, (lines) => {
      const [one, other] = [target.draw.below(lines.length), target.draw.below(lines.length)];
      [lines[one], lines[other]] = [lines[other]!, lines[one]!];
    }),
  'rows of another place': (target) =>
    withLines(target, (lines) => {
      const from = target.draw.below(lines.length);
      lines.splice(target.draw.below(lines.length), 0, ...lines.slice(from, from + 1 + target.draw.below(9)));
    }),
  'a missing trade': (target) =>
    withLines(target, (lines) => void lines.splice(1 + target.draw.below(lines.length - 2), 1)),
  'a missing update': (target) =>
    withLines(target, (lines) => {
      const gone = idOf(lines[2 + target.draw.below(lines.length - 4)]!);
      const rest = lines.filter((line) => idOf(line) !== gone);
      lines.splice(0, lines.length, ...rest);
    }),
  'a missing or further field': (target) =>
    withLines(target, (lines) => {
      const row = target.draw.below(lines.length);
      const values = lines[row]!.split(',');
      values.splice(
        target.draw.below(values.length),
        target.draw.below(2),
        ...(target.draw.below(2) === 0 ? [] : ['', '']),
      );
      lines[row] = values.join(',');
    }),
  'joined lines': (target) =>
    withLines(target, (lines) => {
      const row = target.draw.below(lines.length - 1);
      lines.splice(row, 2, `${lines[row]!}${target.draw.of(['', ',', ' ', '\r'])}${lines[row + 1]!}`);
    }),
  'a broken line': (target) =>
    withLines(target, (lines) => {
      const row = target.draw.below(lines.length);
      const at = 1 + target.draw.below(lines[row]!.lastIndexOf(',') - 1);
      lines[row] = `${lines[row]!.slice(0, at)}${target.draw.of(['\n', '\r\n', '\r', '\n\n'])}${lines[row]!.slice(at)}`;
    }),
  'a blank line': (target) =>
    withLines(target, (lines) => {
      const line = target.draw.of(['', ' ', '\r', ',']);
      lines.splice(target.draw.below(lines.length + 1), 0, line);
    }),
  'another byte': ({ draw, text }) => {
    const bytes = Buffer.from(text);
    const byte = draw.below(256);
    // A digit, a point or a line end can make another legal file.
    bytes[draw.below(bytes.length)] = /[\d.\n]/.test(String.fromCharCode(byte)) ? 0x3b : byte;
    return bytes;
  },
  'a further byte': ({ draw, text }) => {
    const at = draw.below(text.length);
    const byte = draw.of(' ,;"\t\r\0e-+_x'.split(''));
    return text.slice(0, at) + byte + text.slice(at);
  },
  'a lost separator': ({ draw, text }) => {
    const places = [...text.matchAll(/[,\n]/g)].slice(0, -1);
    const { index } = draw.of(places);
    return text.slice(0, index) + text.slice(index + 1);
  },
  'a file cut inside of a row': ({ draw, text }) => {
    const lines = text.trimEnd().split('\n');
    const line = draw.below(lines.length);
    const cut = lines[line]!;
    // A cut after the last separator can leave another legal value.
    return [...lines.slice(0, line), cut.slice(0, 1 + draw.below(cut.lastIndexOf(',')))].join('\n');
  },
  'another header': ({ draw, text }) => {
    const end = text.indexOf('\n');
    const names = text.slice(0, end).split(',');
    const field = draw.below(names.length);
    names[field] = draw.of([
      '',
      'x',
      names[field]!.toUpperCase(),
      `${names[field]!} `,
      names[draw.below(names.length)]!,
    ]);
    return names.join(',') + text.slice(end);
  },
  'other bytes': ({ draw }) => Uint8Array.from({ length: draw.below(5000) }, () => draw.below(256)),
  'another form of the same rows': ({ draw, text }) => {
    const quoted = draw.below(2) === 0 ? text : text.replaceAll(/[^,\n]+/g, '"$&"');
    const ended = draw.below(2) === 0 ? quoted : quoted.trimEnd();
    const lines = draw.below(2) === 0 ? ended : ended.replaceAll('\n', '\r\n');
    return draw.of(['', '\uFEFF']) + lines + draw.of(['', '\n', '\r\n']);
  },
};

/** Streams of the kinds that are of one stream. */
const STREAM_OF = new Map<string, RecordedStream>([
  ['a missing trade', 'trades'],
  ['a missing update', 'depth'],
]);
const COUNT = runs(120, 10_000);
const RECORDINGS = [SPOT, FUTURES].map((recording) => ({ recording, folder: new BacktestFolder(recording) }));
afterAll(() => RECORDINGS.forEach(({ folder }) => folder.remove()));

/** The report as text, or the message of its refusal. */
async function outcomeOf(folder: BacktestFolder): Promise<{ readonly report: string } | { readonly refusal: string }> {
  const report = await folder.run();
  if (!isRejected(report)) return { report: JSON.stringify(report) };
  return { refusal: `${report.rejection.code}: ${report.rejection.message}`.replaceAll(`${folder.path}/`, '') };
}

describe('random damage of a recording', () => {
  it(`is refused with file, line and column, or leaves the figures as they are: ${COUNT} times`, async () => {
    const undamaged = await Promise.all(RECORDINGS.map(({ folder }) => outcomeOf(folder)));
    expect(undamaged.map((one) => Object.keys(one))).toEqual([['report'], ['report']]);
    const kinds = Object.keys(KINDS);
    const refusedBy = new Map<string, number>();
    for (let seed = 0; seed < COUNT; seed += 1) {
      const draw = new Draw(seed);
      const kind = kinds[seed % kinds.length]!;
      const index = draw.below(RECORDINGS.length);
      const { recording, folder } = RECORDINGS[index]!;
      const stream = STREAM_OF.get(kind) ?? draw.of(STREAMS);
      const text = recording.texts[stream];
      folder.write(stream, KINDS[kind]!({ draw, stream, text }));
      const outcome = await outcomeOf(folder);
      folder.write(stream, text);
      const where = `seed ${seed}, ${kind} of ${recording.name}.${stream}`;
      if ('report' in outcome) expect(outcome, where).toEqual(undamaged[index]);
      else {
        expect(outcome.refusal, where).toMatch(FAULT);
        expect(outcome.refusal, where).toContain(recording.name);
        refusedBy.set(kind, (refusedBy.get(kind) ?? 0) + 1);
      }
    }
    const never = kinds.filter((kind) => !refusedBy.has(kind));
    expect(never).toEqual(['another form of the same rows']);
  }, 1_800_000);
});
