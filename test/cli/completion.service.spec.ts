import { execFileSync } from 'node:child_process';
import { beforeAll, describe, expect, it } from 'vitest';
import type { FieldRow, FieldTable } from '../../src/api/field/field-row.js';
import { ORDER_FIELDS } from '../../src/api/order/order-fields.js';
import { ORDER_PARAMS } from '../../src/api/order/param-fields.js';
import { sluice } from './command-line.js';

let bash: string;
let zsh: string;
let fish: string;

beforeAll(async () => {
  const scripts = ['bash', 'zsh', 'fish'].map(async (shell) => (await sluice(['completion', shell], {})).out);
  [bash = '', zsh = '', fish = ''] = await Promise.all(scripts);
});

/** The suggestions of bash with the cursor at the end of the last word. */
function offered(...words: string[]): string[] {
  const script = `${bash}
COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); COMPREPLY=(); _sluice
printf '%s\\n' "\${COMPREPLY[@]}"`;
  const out = execFileSync('bash', ['-c', script, 'bash', 'sluice', ...words], { encoding: 'utf8' });
  return out.split('\n').filter((line) => line !== '');
}

describe('bash completion', () => {
  it('offers commands, then their subcommands and options', () => {
    expect(offered('')).toEqual(
      expect.arrayContaining(['order', 'keys', 'watch', 'positions', 'completion', '--help']),
    );
    expect(offered('or')).toEqual(['order']);
    expect(offered('order', 'c')).toEqual(['create', 'cancel']);
    expect(offered('order', 'create', '--would-a')).toEqual(['--would-arrival']);
    expect(offered('keys', 'create', '--side', 'BUY', '--exp')).toEqual(['--expires']);
  });

  it('offers the values of an option', () => {
    expect(offered('order', 'create', '--side', '')).toEqual(['BUY', 'SELL']);
    expect(offered('order', 'create', '--symbol', 'BTC/USDT', '--strategy', 'I')).toEqual(['ICEBERG', 'IS']);
    expect(offered('positions', '--exchange', 'B')).toEqual(['BINANCE', 'BYBIT', 'BITGET', 'BULLISH', 'B2C2']);
    expect(offered('order', 'create', '--quantity', '')).toEqual([]);
    expect(offered('order', 'create', '--imbalance', '--sid')).toEqual(['--side']);
    expect(offered('completion', 'f')).toEqual(['fish']);
  });

  it('offers the exchanges and environments of keys, and no option for a secret', () => {
    expect(offered('venue-keys', '')).toEqual(['add', 'list', 'remove', 'check', '--help']);
    expect(offered('venue-keys', 'add', '--exchange', 'K')).toEqual(['KUCOIN', 'KRAKEN']);
    expect(offered('venue-keys', 'remove', '--environment', '')).toEqual(['testnet', 'live']);
    expect(offered('venue-keys', 'add', '--s')).toEqual(['--subaccount', '--secret-stdin']);
  });

  it('completes a command under its old name', () => {
    expect(offered('guardrails', 's')).toEqual(['set', 'show']);
    expect(offered('guardrails', 'set', '--max-n')).toEqual(['--max-notional']);
    expect(offered('replay', '--queue', '')).toEqual(['risk-averse', 'probabilistic']);
    expect(offered('kill-switch', 'on', '--a')).toEqual(['--account', '--all']);
    expect(offered('guard')).toEqual([]);
    expect(zsh).toContain("'sluice guardrails') at='sluice risk-limits' ;;");
    expect(fish).toContain("case 'sluice guardrails'; set at 'sluice risk-limits'; continue");
  });

  it('offers files for a file argument', () => {
    expect(offered('order', 'create', '--request', 'package.js')).toEqual(['package.json']);
    expect(offered('restore', 'packag')).toContain('package.json');
  });
});

describe('zsh and fish completion', () => {
  it('describes commands and options', () => {
    expect(zsh).toContain("'order:place, change and query orders'");
    expect(zsh).toMatch(/'sluice order create --side'\) compadd -- BUY SELL; return ;;/);
    expect(zsh).toMatch(/'sluice order create --request'\) _files; return ;;/);
    expect(fish).toContain(`complete -c sluice -n '__sluice_at \\'sluice order\\'' -a create -d 'place an order'`);
    expect(fish).toMatch(/-l side -x -a 'BUY SELL'/);
    expect(fish).toMatch(/-l request -r -F/);
  });

  it('closes every quote', () => {
    for (const line of zsh.split('\n'))
      expect(line.replaceAll(String.raw`'\''`, '').split("'").length % 2, line).toBe(1);
    for (const line of fish.split('\n'))
      expect(line.replaceAll(String.raw`\'`, '').split("'").length % 2, line).toBe(1);
  });

  it('refuses an unknown shell with status 2', async () => {
    expect((await sluice(['completion', 'tcsh'], {})).status).toBe(2);
  });
});

describe('suggested values', () => {
  const tables: readonly FieldTable[] = [
    ORDER_FIELDS,
    ORDER_PARAMS,
    ...Object.values<FieldRow>(ORDER_PARAMS).map(({ fields = {} }) => fields),
  ];
  const choices = tables
    .flatMap((table) => Object.entries(table))
    .flatMap(([name, { names, cli }]) =>
      names === undefined || cli === undefined || !('flags' in cli) || cli.rest !== undefined
        ? []
        : [[name, cli.flags.split(' ')[0] ?? '', names] as const],
    );

  it('exist for every field with a fixed set of values', () => {
    expect(choices.map(([name]) => name)).toEqual(
      expect.arrayContaining(['exchange', 'strategy', 'trading_style', 'would_style', 'placement_mode']),
    );
  });

  it.each(choices)('equal those of the API: %s', (_name, flag, names) => {
    expect(offered('order', 'create', flag, '')).toEqual(names);
  });
});
