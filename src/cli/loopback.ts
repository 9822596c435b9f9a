import type { Loopbacks } from './port.js';
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { Argument, type Command, InvalidArgumentError } from 'commander';
import { examples } from './arguments.js';
import { CommandFailure, type CommandContext } from './context.js';

/** Exchanges whose protocol a loopback exchange speaks. */
export const LOOPBACK_EXCHANGES = ['binance', 'bybit', 'okx'] as const;

interface LoopbackOptions {
  readonly port?: number;
  readonly still?: boolean;
  readonly json?: boolean;
}

/** First port that leaves too few ports for the hosts of an exchange. */
const PORT_END = 65_520;

const HELP = `
The exchange runs until Ctrl-C, listens on 127.0.0.1 only and keeps nothing. It prints its addresses, a test key with its
secret, and the settings and commands to trade on it. One address serves the paths of all its hosts. It is part of the source, not of an installed package.`;

export function addLoopbackCommand(program: Command, context: CommandContext): void {
  program
    .command('loopback')
    .description('run an exchange on this machine, to try trading at a real exchange without an account')
    .addArgument(new Argument('<exchange>', 'its protocol').choices(LOOPBACK_EXCHANGES))
    .option('--port <n>', 'port of its address; its hosts use the next ones (default: free ports)', firstPort)
    .option('--still', 'the market does not move by itself')
    .option('--json', 'print one line of JSON: url, api_key, api_secret; at OKX also passphrase')
    .addHelpText('after', examples('sluice loopback binance', 'sluice loopback okx --port 18990') + HELP)
    .action(async (exchange: string, { port, still, json }: LoopbackOptions) => {
      const status = await context.loopbacks.run([
        exchange,
        ...(port === undefined ? [] : ['--port', String(port)]),
        ...(still === true ? ['--still'] : []),
        ...(json === true ? ['--json'] : []),
      ]);
      if (status !== 0) throw new CommandFailure(`the loopback exchange ended with status ${status}`);
    });
}

function firstPort(text: string): number {
  const port = Number(text);
  if (/^[1-9]\d{0,4}$/.test(text) && port < PORT_END) return port;
  throw new InvalidArgumentError(`not a port of 1 to ${PORT_END - 1}`);
}

/** Ctrl-C reaches the exchange by the terminal; this process waits for its end. */
function ignoreInterrupt(): void {}

/** Runs the program as a child process at the same terminal. */
export class LoopbackProgram implements Loopbacks {
  readonly #script: string;

  /** `script`: the compiled program of the loopback exchanges. */
  constructor(script: string) {
    this.#script = script;
  }

  run(parameters: readonly string[]): Promise<number> {
    if (!existsSync(this.#script)) {
      const message = `loopback exchanges are not part of an installed package: run the command in a checkout of the source, after npm ci`;
      return Promise.reject(new CommandFailure(message));
    }
    const child = spawn(process.execPath, [this.#script, ...parameters], { stdio: 'inherit' });
    const onTerminate = (): void => void child.kill('SIGTERM');
    process.on('SIGINT', ignoreInterrupt);
    process.on('SIGTERM', onTerminate);
    return new Promise<number>((resolve, reject) => {
      child.once('error', reject);
      child.once('exit', (status) => resolve(status ?? 1));
    }).finally(() => {
      process.off('SIGINT', ignoreInterrupt);
      process.off('SIGTERM', onTerminate);
    });
  }
}
