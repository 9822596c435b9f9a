import { Command, CommanderError } from 'commander';
import { SluiceError } from '../client/sluice-error.js';
import { uselessSettings } from '../domain/setting-names.js';
import { addBalancesCommand, addFundingCommand, addMarketCommands, addPositionsCommand } from './market.js';
import { addBacktestCommand } from './backtest.js';
import { addCompletionCommand } from './completion.js';
import { UsageError, type CommandContext } from './context.js';
import { addExplainCommand } from './explain.js';
import { addMaintenanceCommands, addRestoreCommand } from './operator/backup.js';
import { addLoopbackCommand } from './loopback.js';
import { addKeyCommands } from './operator/keys.js';
import { addKillSwitchCommands } from './operator/kill-switch.js';
import { addLiveCommands } from './operator/live-check.js';
import { addChildCommands } from './operator/child.js';
import { addQuarantineCommands } from './operator/quarantine.js';
import { addRiskLimitCommands } from './operator/risk-limits.js';
import { addTradingCommands } from './operator/trading.js';
import { addVenueKeyCommands } from './operator/venue-keys.js';
import { addCancelAllAfterCommand } from './order-changes.js';
import { addOrderCommands } from './orders.js';
import { codeText, Output, type Writer } from './output.js';
import { addPreviewCommand } from './preview.js';
import { addTcaCommand } from './tca.js';
import { addWatchCommand } from './watch/watch.js';

const DONE = 0;
const FAILED = 1;
const MISUSED = 2;

const EXAMPLES = `
Examples:
  $ sluice keys create --account demo --permissions trade
  $ sluice order create --exchange BINANCE --symbol BTC/USDT --side BUY --quantity 0.5 --strategy TWAP --duration 60
  $ sluice watch 4711

Environment:
  SLUICE_URL                          address of the service
  SLUICE_HOST, SLUICE_PORT            address of the service without SLUICE_URL, as for the service (127.0.0.1, 8080)
  SLUICE_API_KEY, SLUICE_API_SECRET   key of the account; the secret may be the PEM private key of an RSA key
  SLUICE_DATA_DIR                     data directory for keys, risk limits, journal, backup and restore (./data)
  SLUICE_MASTER_KEY                   key that seals secrets, if not stored in the data directory
  SLUICE_LIVE_PROXY, HTTPS_PROXY      proxy for "live check", as for the service

Exit status: 0 done, 1 refused or failed, 2 wrong arguments, settings or files.`;

/** One command line and its environment. */
export interface CommandLine extends Omit<CommandContext, 'output'> {
  /** Arguments without the interpreter and the script. */
  readonly args: readonly string[];
  readonly writer: Writer;
  /** The release. */
  readonly version: string;
}

/** Runs one command. Resolves with its exit status. */
export async function runCommandLine({ args, writer, version, ...parts }: CommandLine): Promise<number> {
  const context: CommandContext = { output: new Output(writer), ...parts };
  for (const useless of uselessSettings(parts.env)) context.output.warn(`sluice: warning: ${useless}`);
  try {
    await program(context, writer, version).parseAsync(args, { from: 'user' });
    return DONE;
  } catch (error) {
    return exitStatus(error, context.output);
  }
}

function program(context: CommandContext, writer: Writer, version: string): Command {
  // Output and exit are set before commands are added, because the commands inherit them.
  const root = new Command('sluice')
    .exitOverride()
    .configureOutput({ writeOut: (text) => writer.out(text), writeErr: (text) => writer.error(text) })
    .description('Operate the order execution service from the command line.')
    .version(version, '--version', 'print the release')
    .addHelpText('after', EXAMPLES);
  addKeyCommands(root, context);
  addVenueKeyCommands(root, context);
  addLiveCommands(root, context);
  addRiskLimitCommands(root, context);
  addKillSwitchCommands(root, context);
  addQuarantineCommands(root, context);
  addChildCommands(root, context);
  addOrderCommands(root, context);
  addPreviewCommand(root, context);
  addCancelAllAfterCommand(root, context);
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
  addBacktestCommand(root, context);
  addLoopbackCommand(root, context);
  addCompletionCommand(root, context);
  return root;
}

/** Prints an error in one line and returns the exit status. Commander has printed its own errors already. */
function exitStatus(error: unknown, output: Output): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? DONE : MISUSED;
  if (error instanceof SluiceError) {
    const quoted = error.requestId === null ? '' : ` (request ${error.requestId})`;
    output.warn(`sluice: ${codeText(error.code, error.reason)}: ${error.message}${quoted}`);
    return FAILED;
  }
  output.warn(`sluice: ${error instanceof Error ? error.message : String(error)}`);
  return error instanceof UsageError ? MISUSED : FAILED;
}
