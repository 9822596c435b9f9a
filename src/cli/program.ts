import { Command, CommanderError } from 'commander';
import { SluiceError } from '../client/index.js';
import { addBalancesCommand } from './balances.js';
import { addCancelAfterCommand } from './cancel-after.js';
import { addCompletionCommand } from './completion.js';
import { UsageError } from './context.js';
import type { CommandContext, Maintenance, Replays } from './context.js';
import { addExplainCommand } from './explain.js';
import { addFundingCommand } from './funding.js';
import { addGuardrailCommands } from './guardrails.js';
import { addKeyCommands } from './keys.js';
import { addKillSwitchCommands } from './kill-switch.js';
import { addQuarantineCommands } from './quarantine.js';
import { addMaintenanceCommands } from './maintenance.js';
import { addMarketCommands } from './market.js';
import { addOrderCommands } from './orders.js';
import { Output } from './output.js';
import type { Writer } from './output.js';
import { addPositionsCommand } from './positions.js';
import { addPreviewCommand } from './preview.js';
import { addReplayCommand } from './replay.js';
import { addRestoreCommand } from './restore.js';
import { addTcaCommand } from './tca.js';
import { addTradingCommands } from './trading.js';
import { addWatchCommand } from './watch.js';

const DONE = 0;
const FAILED = 1;
const MISUSED = 2;

const EXAMPLES = `
Examples:
  $ sluice keys create --account demo --permissions trade
  $ sluice order create --exchange BINANCE --symbol BTC/USDT --side BUY --quantity 0.5 --strategy TWAP --duration 60
  $ sluice watch 4711

Environment:
  SLUICE_URL                          address of the service (http://127.0.0.1:8080)
  SLUICE_API_KEY, SLUICE_API_SECRET   key of the account; the secret may be the PEM private key of an RSA key
  SLUICE_DATA_DIR                     data directory for keys, guardrails, journal, backup and restore (./data)
  SLUICE_MASTER_KEY                   key that seals secrets, if not kept in the data directory

Exit status: 0 done, 1 refused or failed, 2 misused.`;

export interface CommandLine {
  /** Without the interpreter and the script. */
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly writer: Writer;
  readonly maintenance: Maintenance;
  /** Asks a person at a terminal; absent: there is none. */
  readonly prompt?: CommandContext['prompt'];
  readonly replays: Replays;
}

/** Runs one command; resolves with its exit status. */
export async function runCommandLine({ args, env, writer, ...parts }: CommandLine): Promise<number> {
  const context: CommandContext = { env, output: new Output(writer), ...parts };
  try {
    await program(context, writer).parseAsync(args, { from: 'user' });
    return DONE;
  } catch (error) {
    return exitStatus(error, context.output);
  }
}

function program(context: CommandContext, writer: Writer): Command {
  // Set before the commands are made: they inherit how their parent writes and exits.
  const root = new Command('sluice')
    .exitOverride()
    .configureOutput({ writeOut: (text) => writer.out(text), writeErr: (text) => writer.error(text) })
    .description('Operate the order execution service from the command line.')
    .addHelpText('after', EXAMPLES);
  addKeyCommands(root, context);
  addGuardrailCommands(root, context);
  addKillSwitchCommands(root, context);
  addQuarantineCommands(root, context);
  addOrderCommands(root, context);
  addPreviewCommand(root, context);
  addCancelAfterCommand(root, context);
  addExplainCommand(root, context);
  addTcaCommand(root, context);
  addWatchCommand(root, context);
  addBalancesCommand(root, context);
  addPositionsCommand(root, context);
  addMarketCommands(root, context);
  addFundingCommand(root, context);
  addMaintenanceCommands(root, context);
  addRestoreCommand(root, context);
  addTradingCommands(root, context);
  addReplayCommand(root, context);
  addCompletionCommand(root, context);
  return root;
}

/** Commander has printed what it found wrong; everything else is told in one line. */
function exitStatus(error: unknown, output: Output): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? DONE : MISUSED;
  if (error instanceof SluiceError) {
    const quoted = error.requestId === null ? '' : ` (request ${error.requestId})`;
    output.warn(`sluice: ${error.code}: ${error.message}${quoted}`);
    return FAILED;
  }
  output.warn(`sluice: ${error instanceof Error ? error.message : String(error)}`);
  return error instanceof UsageError ? MISUSED : FAILED;
}
