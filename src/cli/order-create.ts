import { readFile } from 'node:fs/promises';
import { stdin } from 'node:process';
import type { Command } from 'commander';
import { parseJsonFile } from '../api/field/json-file.js';
import { IGNORED_IN_BATCH } from '../api/field/member-names.js';
import type { MultiLegOrderRequest, OrderRequest, OrderSummary, SluiceClient } from '../client/index.js';
import { isRejected } from '../domain/rejection.js';
import { examples } from './arguments.js';
import { type CommandContext, UsageError, withClient } from './context.js';
import { addOrderFlags, type OrderFlags, orderRequest } from './order-flags.js';
import { failIfRefused, showSummaries } from './order-table.js';

/** Options of the commands that describe a new order. */
export type RequestOptions = OrderFlags & {
  readonly request?: string;
  readonly json?: boolean;
};

const HELP = `${examples(
  'sluice order create --exchange BINANCE --symbol BTC/USDT --side BUY --quantity 0.5 --strategy TWAP --duration 60',
  'sluice order create --exchange OKX --symbol ETH/USDT --category FUTURE --side SELL --quantity 2 \\\n' +
    '      --strategy LIMIT --limit-price 3100.5 --client-order-id mine-1',
  'sluice order create --exchange OKX --symbol ETH/USDT --side BUY --quantity 10 --strategy SCALE \\\n' +
    '      --ladder-start 3000 --ladder-end 2900 --clip ORDER_COUNT:11 --trigger-below 3050',
  'sluice order create --request order.json',
  'sluice order create --request - --json < order.json',
)}

A request with \`legs\` places a multi-leg order, one with \`orders\` a batch.
A create without an answer is sent again and places the order once. With --client-order-id the whole command can be
repeated safely. Exit status 1: an order was rejected.`;

export function addCreateCommand(order: Command, context: CommandContext): void {
  addRequestOptions(order.command('create').description('place an order'))
    .addHelpText('after', HELP)
    .action((options: RequestOptions, command: Command) => create(context, options, command));
}

export function addRequestOptions(command: Command): Command {
  return addOrderFlags(command)
    .option('--request <file>', 'request as JSON instead of flags; - reads standard input')
    .option('--json', 'print JSON');
}

async function create(context: CommandContext, options: RequestOptions, command: Command): Promise<void> {
  const body = await requestedBody(options, command);
  await withClient(context, async (client) => {
    const answer = await place(client, body);
    showSummaries(context, answer, options.json);
    failIfRefused(answer);
  });
}

/** Request body from the flags or from the request file. */
export function requestedBody(options: RequestOptions, command: Command): ReturnType<typeof readRequest> {
  if (options.request !== undefined) return readRequestAlone(options.request, command);
  return Promise.resolve(orderRequest(options));
}

/** Refuses other flags beside --request, because they would have no effect. */
function readRequestAlone(path: string, command: Command): ReturnType<typeof readRequest> {
  const other = command.options
    .map((option) => ({ long: option.long, name: option.attributeName() }))
    .find(({ name }) => !['request', 'json'].includes(name) && command.getOptionValueSource(name) === 'cli');
  if (other !== undefined) throw new UsageError(`--request contains the whole order and excludes ${other.long}`);
  return readRequest(path);
}

/** Body of one of the four create requests. */
type CreateBody =
  | OrderRequest
  | MultiLegOrderRequest
  | { readonly orders: readonly (OrderRequest | MultiLegOrderRequest)[] };

const STANDARD_INPUT = '-';

/** Reads a request from a file. The path `-` means standard input. */
async function readRequest(path: string): Promise<CreateBody> {
  const bytes = await (path === STANDARD_INPUT ? readInput() : readFile(path)).catch((error: unknown) => {
    throw new UsageError(`--request: ${(error as Error).message}`);
  });
  const name = path === STANDARD_INPUT ? 'standard input' : path;
  const body = parseJsonFile(bytes, name);
  if (isRejected(body)) throw new UsageError(`--request: ${body.rejection.message}`);
  const { value } = body;
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as CreateBody;
  throw new UsageError(`--request: ${name} is not a JSON object`);
}

/** Sends a request to its operation: `legs` places a multi-leg order, `orders` a batch. */
function place(client: SluiceClient, body: CreateBody): Promise<OrderSummary | readonly OrderSummary[]> {
  if (!('orders' in body)) return hasLegs(body) ? client.createMultiLegs(body) : client.create(body);
  // The client sends the orders only. The service would refuse other members.
  const other = Object.keys(body).find((name) => name !== 'orders' && !IGNORED_IN_BATCH.includes(name));
  if (other !== undefined) throw new UsageError(`--request: a batch has only orders, not ${JSON.stringify(other)}`);
  const orders: readonly (OrderRequest | MultiLegOrderRequest)[] = Array.isArray(body.orders) ? body.orders : [];
  if (orders.every(isSingle)) return client.createMany(orders);
  if (orders.every(hasLegs)) return client.createManyMultiLegs(orders);
  throw new UsageError('--request: a batch contains either orders with legs or orders without');
}

function hasLegs(order: OrderRequest | MultiLegOrderRequest): order is MultiLegOrderRequest {
  return 'legs' in order;
}

function isSingle(order: OrderRequest | MultiLegOrderRequest): order is OrderRequest {
  return !hasLegs(order);
}

async function readInput(): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of stdin) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}
