import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { sluice } from '../cli/command-line.js';
import { ROOT } from '../system/service-run.js';

const text = readFileSync(join(ROOT, 'src/docs/runbook.md'), 'utf8');

/** Programs of the machine that a command of the runbook may start with. */
const PROGRAMS = [
  'systemctl',
  'journalctl',
  'curl',
  'df',
  'du',
  'rm',
  'mv',
  'install',
  'cat',
  'dmesg',
  'uptime',
  'date',
];

/** Lines of code blocks and code in sentences that are commands, without comments. */
function commands(): readonly string[] {
  const blocks = [...text.matchAll(/```sh\n([\s\S]*?)```/g)].flatMap(([, block = '']) => block.trim().split('\n'));
  const spans = [...text.replaceAll(/```sh[\s\S]*?```/g, '').matchAll(/`([^`]+)`/g)].map(([, span = '']) => span);
  const inText = spans.filter((span) => [...PROGRAMS, 'sluice'].some((program) => span.startsWith(`${program} `)));
  return [...blocks, ...inText].map((line) => line.replace(/ +#.*$/, '').trim());
}

/** A flag begins with a hyphen, and a value has other characters. */
const COMMAND_NAME = /^[a-z][a-z-]*$/;

const ofSluice = commands().filter((command) => command.startsWith('sluice '));

/** Names of the headings as GitHub makes them into anchors. */
function anchors(): readonly string[] {
  return [...text.matchAll(/^#+ (.+)$/gm)].map(([, title = '']) => title.toLowerCase().replaceAll(' ', '-'));
}

describe('the runbook', () => {
  it.each([...new Set(ofSluice)])('names a command that exists: %s', async (command) => {
    const [, ...words] = command.split(' ');
    const end = words.findIndex((word) => !COMMAND_NAME.test(word));
    const names = end < 0 ? words : words.slice(0, end);
    const { out } = await sluice([...names, '--help'], {});
    expect(out.replaceAll(/[|]\w+/g, '')).toContain(`Usage: sluice ${names.join(' ')}`);
    for (const flag of words.filter((word) => word.startsWith('--'))) expect(out).toContain(` ${flag} `);
  });

  it('uses no other program than those that its test has run', () => {
    const programs = commands().flatMap((command) =>
      command.split(' | ').map((part) => part.trim().split(' ')[0] ?? ''),
    );
    const filters = ['grep', 'tail', 'sort'];
    expect([...new Set(programs)].filter((one) => ![...PROGRAMS, ...filters, 'sluice'].includes(one))).toEqual([]);
  });

  it('links only to sections that exist', () => {
    const links = [...text.matchAll(/\]\(#([^)]+)\)/g)].map(([, anchor = '']) => anchor);
    expect(links.filter((anchor) => !anchors().includes(anchor))).toEqual([]);
  });
});
