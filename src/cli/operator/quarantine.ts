import type { Command } from 'commander';
import { examples, withReason } from '../arguments.js';
import { type CommandContext, dataDirectory } from '../context.js';
import type { Column } from '../output.js';
import type { Identity } from '../../runtime/identity.js';
import { ProcessClaim } from '../../storage/process-claim.js';
import { readQuarantined } from '../../journal/state/stored-orders.js';
import type { OrderId } from '../../domain/ids.js';
import { leadingOf, type LiveChild, liveChildren, type ParentState } from '../../domain/order-state.js';
import { leadingLeg, legAt } from '../../domain/pair.js';
import { formatLots } from '../../domain/quantity.js';
import { type OrRejection, reject } from '../../domain/rejection.js';
import { audit, granted, type DataDirectory, withExisting } from './data-directory.js';

interface Options {
  readonly reason?: string;
  readonly json?: boolean;
}

const HELP = `${examples('sluice quarantine list', 'sluice quarantine release 65537')}

The service quarantines an order that breaks an invariant or that has a contradictory exchange report. The order places
nothing more; its fills are still recorded. A release queries the exchange for each child, cancels resting children and
ends the order CANCELLED. SLUICE_DATA_DIR is the data directory (./data). A running service carries out a release within
about a second, a stopped service at its next start.`;

/** Adds the commands for quarantined orders. They work on the data directory, because no API key may release an order. */
export function addQuarantineCommands(program: Command, context: CommandContext): void {
  const quarantine = program
    .command('quarantine')
    .description('orders that broke an invariant and place nothing')
    .addHelpText('after', HELP);
  quarantine
    .command('list')
    .description('show quarantined orders with their reasons and children')
    .option('--json', 'print JSON')
    .addHelpText('after', HELP)
    .action(async ({ json }: Options) => print(context, granted(await listQuarantined(dataDirectory(context))), json));
  withReason(quarantine.command('release'))
    .description('cancel the children of an order and end it')
    .argument('<order>', 'order id')
    .option('--json', 'print JSON')
    .addHelpText('after', HELP)
    .action(async (order: string, { reason, json }: Options) =>
      printRelease(context, granted(await releaseQuarantined(dataDirectory(context, reason), order)), json),
    );
}

function printRelease(context: CommandContext, asked: RequestedRelease, json: boolean | undefined): void {
  const { order, isServiceRunning } = asked;
  if (json === true) return context.output.json([{ ...jsonOf(order), service_running: isServiceRunning }]);
  print(context, [order], json);
  context.output.line(
    isServiceRunning
      ? 'The running service carries out the release within about a second.'
      : 'No service runs on this directory. The next start carries out the release; until then nothing is cancelled.',
  );
}

function print({ output }: CommandContext, rows: readonly ShownQuarantine[], json: boolean | undefined): void {
  output.show({ columns: COLUMNS, rows, empty: 'No order is quarantined.', json: rows.map(jsonOf) }, json);
}

function jsonOf(row: ShownQuarantine): object {
  return {
    order_id: row.orderId,
    account: row.account,
    status: row.status,
    since: sinceText(row),
    reason: row.reason,
    detail: row.detail,
    quantity: row.quantity,
    filled_quantity: row.filled,
    released: row.isReleased,
    children: row.children.map((child) => ({
      client_order_id: child.clientId,
      exchange: child.exchange,
      exchange_order_id: child.exchangeOrderId,
      state: child.state,
      side: child.side,
      quantity: child.quantity,
      filled_quantity: child.filled,
    })),
  };
}

function sinceText({ sinceMs }: ShownQuarantine): string | null {
  return sinceMs === null ? null : new Date(sinceMs).toISOString();
}

const COLUMNS: readonly Column<ShownQuarantine>[] = [
  { title: 'ORDER', text: ({ orderId }) => String(orderId) },
  { title: 'ACCOUNT', text: ({ account }) => account ?? '?' },
  { title: 'STATUS', text: ({ status, isReleased }) => `${status ?? '?'}${isReleased ? ' (released)' : ''}` },
  { title: 'SINCE', text: (row) => sinceText(row) ?? '?' },
  { title: 'FILLED', text: ({ filled, quantity }) => `${filled ?? '?'} of ${quantity ?? '?'}` },
  {
    title: 'CHILDREN',
    text: ({ children }) => children.map(({ clientId, state }) => `${clientId} ${state}`).join(', '),
  },
  { title: 'WHY', text: ({ reason, detail }) => `${reason}: ${detail}` },
];

/** A child that may still trade. */
interface ShownChild {
  /** Client order id at the exchange. */
  readonly clientId: string;
  readonly exchange: string;
  readonly exchangeOrderId: string | null;
  readonly state: LiveChild['state'];
  readonly side: string;
  readonly quantity: string;
  readonly filled: string;
}

/** A quarantined order. */
export interface ShownQuarantine {
  readonly orderId: number;
  /** This and other members are null when the stored order cannot be read. */
  readonly account: string | null;
  readonly status: string | null;
  readonly sinceMs: number | null;
  readonly reason: string;
  readonly detail: string;
  readonly quantity: string | null;
  readonly filled: string | null;
  /** The operator has requested the release. */
  readonly isReleased: boolean;
  readonly children: readonly ShownChild[];
}

/** A requested release. */
interface RequestedRelease {
  readonly order: ShownQuarantine;
  /** True: a running service carries out the release within about a second. False: the next start does. */
  readonly isServiceRunning: boolean;
}

/** Lists the quarantined orders by ascending id. */
function listQuarantined(data: DataDirectory): Promise<OrRejection<readonly ShownQuarantine[]>> {
  return withExisting(data, (identity) => storedQuarantined(data.path, identity));
}

/** Lists the quarantined orders through an open identity store. */
export async function storedQuarantined(
  path: string,
  { releases }: Pick<Identity, 'releases'>,
): Promise<readonly ShownQuarantine[]> {
  const pending = new Set(releases.pending());
  const found = await readQuarantined(path);
  return found.map(({ orderId, state }) => shown(orderId, state, pending.has(orderId)));
}

/**
 * Requests the release of a quarantined order. Durable on resolve. A running service carries it out within about a second,
 * a stopped service at its next start. A second request has no effect.
 */
export function releaseQuarantined(data: DataDirectory, order: string): Promise<OrRejection<RequestedRelease>> {
  return withExisting(data, async ({ releases }) => {
    const orderId = Number(order);
    if (!/^\d{1,16}$/.test(order) || !Number.isSafeInteger(orderId)) {
      return reject('INVALID_PARAM', `order ${JSON.stringify(order)} is not an order id`);
    }
    const found = (await readQuarantined(data.path)).find((one) => one.orderId === orderId);
    if (found === undefined) return reject('INVALID_ORDER', `order_id ${orderId} is not an open quarantined order`);
    if (found.state === null) return reject('SYSTEM_ERROR', `the stored state of order_id ${orderId} cannot be read`);
    const isServiceRunning = ProcessClaim.isHeld(data.path);
    audit(data, 'quarantine.release', { account: found.state.order.account, order_id: orderId });
    releases.ask(found.orderId, Date.now());
    return { order: shown(found.orderId, found.state, true), isServiceRunning };
  });
}

function shown(orderId: OrderId, state: ParentState | null, isAsked: boolean): ShownQuarantine {
  if (state === null) {
    const nothing = { account: null, status: null, sinceMs: null, quantity: null, filled: null };
    return {
      orderId,
      ...nothing,
      reason: 'UNREADABLE',
      detail: 'the stored state cannot be read',
      isReleased: false,
      children: [],
    };
  }
  const { order, status, quarantine } = state;
  const leg = leadingLeg(order);
  return {
    orderId,
    account: order.account,
    status,
    sinceMs: quarantine?.sinceMs ?? null,
    reason: quarantine?.reason ?? '',
    detail: quarantine?.detail ?? '',
    quantity: formatLots(leg.quantity, leg),
    filled: formatLots(leadingOf(state).progress.filled, leg),
    isReleased: isAsked || (quarantine?.isReleased ?? false),
    children: liveChildren(state).map((child) => shownChild(state, child)),
  };
}

function shownChild({ order }: ParentState, child: LiveChild): ShownChild {
  const traded = legAt(order.legs, child.order.leg);
  return {
    clientId: `${order.orderId}-${child.order.child}`,
    exchange: traded.venue,
    exchangeOrderId: child.state === 'IN_FLIGHT' ? null : child.venueOrderId,
    state: child.state,
    side: child.order.side,
    quantity: formatLots(child.order.quantity, traded),
    filled: formatLots(child.progress.filled, traded),
  };
}
