import { execFileSync } from 'node:child_process';
import { beforeAll, describe, expect, it } from 'vitest';
import { SUGGESTED } from '../../src/cli/completion/suggested-values.js';
import { CreateParentOrderRequest } from '../../src/contract/order-request.js';
import { sluice } from './command-line.js';

let bash: string;
let zsh: string;
let fish: string;

beforeAll(async () => {
  const scripts = ['bash', 'zsh', 'fish'].map(async (shell) => (await sluice(['completion', shell], {})).out);
  [bash = '', zsh = '', fish = ''] = await Promise.all(scripts);
});

/** What bash offers when the cursor is at the end of the last word. */
function offered(...words: string[]): string[] {
  const script = `${bash}
COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); COMPREPLY=(); _sluice
printf '%s\\n' "\${COMPREPLY[@]}"`;
  const out = execFileSync('bash', ['-c', script, 'bash', 'sluice', ...words], { encoding: 'utf8' });
  return out.split('\n').filter((line) => line !== '');
}

describe('completion for bash', () => {
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

  it('offers files where one is asked for', () => {
    expect(offered('order', 'create', '--request', 'package.js')).toEqual(['package.json']);
    expect(offered('restore', 'packag')).toContain('package.json');
  });
});

describe('completion for other shells', () => {
  it('describes commands and options', () => {
    expect(zsh).toContain("'order:place, cancel and look at orders'");
    expect(zsh).toMatch(/'sluice order create --side'\) compadd -- BUY SELL; return ;;/);
    expect(zsh).toMatch(/'sluice order create --request'\) _files; return ;;/);
    expect(fish).toContain(`complete -c sluice -n '__sluice_at \\'sluice order\\'' -a create -d 'place an order'`);
    expect(fish).toMatch(/-l side -x -a 'BUY SELL'/);
    expect(fish).toMatch(/-l request -r -F/);
  });

  it('is quoted: no quote stays open', () => {
    for (const line of zsh.split('\n'))
      expect(line.replaceAll(String.raw`'\''`, '').split("'").length % 2, line).toBe(1);
    for (const line of fish.split('\n'))
      expect(line.replaceAll(String.raw`\'`, '').split("'").length % 2, line).toBe(1);
  });

  it('is misused with a shell that it does not know', async () => {
    expect((await sluice(['completion', 'tcsh'], {})).status).toBe(2);
  });
});

describe('the values that completion suggests', () => {
  const { exchange, strategy, params } = CreateParentOrderRequest.properties;
  const { trading_style: style, urgency, would, placement_infos: placing, ...others } = params.properties;

  it.each([
    ['exchange', exchange],
    ['strategy', strategy],
    ['style', style],
    ['wouldStyle', would.properties.would_style],
    ['urgency', urgency],
    ['placementMode', placing.properties.placement_mode],
    ['ladderDirection', others.ladder_direction],
    ['ladderProfile', others.ladder_profile],
  ])('are those of the contract: %s', (name, schema) => {
    expect(SUGGESTED[name]).toEqual((schema as unknown as { enum: string[] }).enum);
  });
});
