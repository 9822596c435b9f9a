import { readFile } from 'node:fs/promises';
import { stdin } from 'node:process';
import type { MultiLegOrderRequest, OrderRequest, OrderSummary, SluiceClient } from '../client/index.js';
import { UsageError } from './context.js';

/** The body of one of the four create requests. */
type CreateBody =
  OrderRequest | MultiLegOrderRequest | { readonly orders: readonly (OrderRequest | MultiLegOrderRequest)[] };

const STANDARD_INPUT = '-';

/** Reads a whole request from a file, or from standard input when it is named `-`. */
export async function readRequest(path: string): Promise<CreateBody> {
  const text = await (path === STANDARD_INPUT ? readInput() : readFile(path, 'utf8')).catch((error: unknown) => {
    throw new UsageError(`--request: ${(error as Error).message}`);
  });
  const body = parsed(text);
  if (typeof body === 'object' && body !== null && !Array.isArray(body)) return body as CreateBody;
  throw new UsageError(`--request: ${path === STANDARD_INPUT ? 'standard input' : path} holds no JSON object`);
}

/** Sends it to where its shape belongs: `legs` make a multi-leg order, `orders` a batch. */
export function place(client: SluiceClient, body: CreateBody): Promise<OrderSummary | readonly OrderSummary[]> {
  if (!('orders' in body)) return hasLegs(body) ? client.createMultiLegs(body) : client.create(body);
  const orders: readonly (OrderRequest | MultiLegOrderRequest)[] = Array.isArray(body.orders) ? body.orders : [];
  if (orders.every(isSingle)) return client.createMany(orders);
  if (orders.every(hasLegs)) return client.createManyMultiLegs(orders);
  throw new UsageError('--request: orders with legs and orders without go into different batches');
}

function hasLegs(order: OrderRequest | MultiLegOrderRequest): order is MultiLegOrderRequest {
  return 'legs' in order;
}

function isSingle(order: OrderRequest | MultiLegOrderRequest): order is OrderRequest {
  return !hasLegs(order);
}

async function readInput(): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of stdin) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('utf8');
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
