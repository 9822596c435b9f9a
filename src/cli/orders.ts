import type { Command } from 'commander';
import type { CommandContext } from './context.js';
import { examples } from './examples.js';
import { addCancelCommand } from './order-cancel.js';
import { addControlCommands } from './order-control.js';
import { addCreateCommand } from './order-create.js';
import { addQueryCommands } from './order-queries.js';

const HELP = `${examples(
  'sluice order create --exchange BINANCE --symbol BTC/USDT --side BUY --quantity 0.5 --strategy TWAP --duration 60',
  'sluice order open',
  'sluice order get 4711 --trades --fees --json',
  'sluice order cancel --all',
)}

SLUICE_URL names the service (http://127.0.0.1:8080), SLUICE_API_KEY and SLUICE_API_SECRET the key.`;

export function addOrderCommands(program: Command, context: CommandContext): void {
  const order = program.command('order').description('place, cancel and look at orders').addHelpText('after', HELP);
  addCreateCommand(order, context);
  addCancelCommand(order, context);
  addControlCommands(order, context);
  addQueryCommands(order, context);
}
