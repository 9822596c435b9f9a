import { describe, expect, it } from 'vitest';

interface TestFile {
  readonly name: string;
  readonly ms: number;
  readonly passed: number;
  readonly failures: readonly { readonly test: string; readonly text: string }[];
  readonly skipped: readonly string[];
}
interface Report {
  readonly files: readonly TestFile[];
  readonly isWhole: boolean;
}
interface Tier extends Report {
  readonly flaky: readonly TestFile[];
}
interface Gate {
  reportOf(json: object, root: string, hasEndedWell: boolean): Report;
  runTier(run: (files: readonly string[]) => Report, print: (text: string) => void): Tier;
  conclusionOf(tiers: readonly Tier[]): {
    readonly lines: readonly string[];
    readonly passed: number;
    readonly failed: number;
    readonly hasPassed: boolean;
  };
}

const { reportOf, runTier, conclusionOf } = (await import(new URL('../../.ci/gate.js', import.meta.url).href)) as Gate;

const good = (name: string, ms = 10): TestFile => ({ name, ms, passed: 3, failures: [], skipped: [] });
const bad = (name: string): TestFile => ({
  ...good(name),
  passed: 2,
  failures: [{ test: 'does its job', text: 'expected 1 to be 2' }],
});
const report = (...files: readonly TestFile[]): Report => ({ files, isWhole: true });
const silent = (): void => undefined;

/** Runs a tier whose files named here fail once or always. */
function tierOf({ once = [] as string[], always = [] as string[] }): { tier: Tier; runs: string[][]; text: string } {
  const runs: string[][] = [];
  const printed: string[] = [];
  const tier = runTier(
    (files) => {
      runs.push([...files]);
      if (files.length === 0) return report(good('a'), ...[...once, ...always].map(bad));
      return report(...files.map((name) => (always.includes(name) ? bad(name) : good(name))));
    },
    (line) => printed.push(line),
  );
  return { tier, runs, text: printed.join('\n') };
}

describe('the gate', () => {
  it('passes a tier in which all tests pass, after one run', () => {
    const { tier, runs } = tierOf({});
    expect(runs).toEqual([[]]);
    expect(conclusionOf([tier])).toMatchObject({ passed: 3, failed: 0, hasPassed: true });
  });

  it('repeats a failed file alone and passes, and names it, when it passes then', () => {
    const { tier, runs, text } = tierOf({ once: ['b', 'c'] });
    expect(runs).toEqual([[], ['b'], ['c']]);
    expect(text).toContain('FLAKY b › does its job\nexpected 1 to be 2');
    const conclusion = conclusionOf([tier]);
    expect(conclusion).toMatchObject({ passed: 9, failed: 0, hasPassed: true });
    expect(conclusion.lines).toEqual(expect.arrayContaining(['FLAKY b › does its job', 'FLAKY c › does its job']));
  });

  it('fails when a repeated file fails again', () => {
    const { tier } = tierOf({ once: ['b'], always: ['c'] });
    const { passed, failed, hasPassed, lines } = conclusionOf([tier]);
    expect([passed, failed, hasPassed]).toEqual([8, 1, false]);
    expect(lines).toContain('FAILED c › does its job');
  });

  it('fails when three files of all tiers are flaky', () => {
    const tiers = [tierOf({ once: ['b', 'c'] }).tier, tierOf({ once: ['d'] }).tier];
    const { lines, hasPassed } = conclusionOf(tiers);
    expect(lines).toContain('3 files are flaky; at most 2 may be');
    expect(hasPassed).toBe(false);
  });

  it('fails when a run ends with an error outside of its tests, and when no test ran', () => {
    const tier = runTier(() => ({ files: [good('a')], isWhole: false }), silent);
    expect(conclusionOf([tier])).toMatchObject({ passed: 3, failed: 1, hasPassed: false });
    expect(conclusionOf([]).hasPassed).toBe(false);
  });

  it('lists the ten slowest files, and each skipped test', () => {
    const files = Array.from({ length: 12 }, (_, index) => good(`file-${index}`, index * 1_000));
    const tier = runTier(() => report(...files, { ...good('a'), skipped: ['b'] }), silent);
    const { lines } = conclusionOf([tier]);
    expect(lines[1]).toBe('   11.0 s  file-11');
    expect(lines[10]).toBe('    2.0 s  file-2');
    expect(lines).toContain('SKIPPED a › b');
  });

  it('reads the report of vitest', () => {
    const tests = [
      { status: 'passed', fullName: 'a passes', failureMessages: [] },
      { status: 'failed', fullName: 'a fails', failureMessages: ['expected'] },
      { status: 'pending', fullName: 'a waits', failureMessages: [] },
    ];
    const json = {
      testResults: [
        { name: '/r/test/a.spec.ts', startTime: 5, endTime: 25, status: 'failed', assertionResults: tests },
        { name: '/r/test/b.spec.ts', startTime: 5, endTime: 5, status: 'failed', message: 'no', assertionResults: [] },
      ],
    };
    const a = { ms: 20, passed: 1, failures: [{ test: 'a fails', text: 'expected' }], skipped: ['a waits'] };
    const b = { ms: 0, passed: 0, failures: [{ test: '(the file)', text: 'no' }], skipped: [] };
    expect(reportOf(json, '/r', false)).toEqual({
      files: [
        { name: 'test/a.spec.ts', ...a },
        { name: 'test/b.spec.ts', ...b },
      ],
      isWhole: true,
    });
    expect(reportOf({ testResults: [] }, '/r', false)).toEqual({ files: [], isWhole: false });
  });
});
