import type { Command } from '../../model/command.js';
import type { AccountId, CorrelationId, OrderId } from '../../model/ids.js';
import { sluice } from '../generated/messages.js';
import { unknownKind } from './codec-error.js';
import { fromWireAdopted, toWireAdopted } from './child-order.js';
import { integer, integerOrNull } from './exact.js';
import { bytesOf, modelOf } from './message.js';
import { fromWireParentOrder, toWireParentOrder } from './parent-order.js';
import { required } from './presence.js';
import { refuseLoneSurrogates } from './unicode.js';

const wire = sluice.v1;
type CommandMessage = ReturnType<typeof wire.Command.decode>;

/** Throws CodecError when a text that the client chose is no Unicode: it could be written but never read. */
export function encodeCommand(command: Command): Uint8Array {
  return bytesOf(wire.Command, toWireCommand(command));
}

export function decodeCommand(bytes: Uint8Array): Command {
  return modelOf('Command', wire.Command, fromWireCommand, bytes);
}

function toWireCommand(command: Command): sluice.v1.Command.$Properties {
  const { correlationId } = command;
  switch (command.kind) {
    case 'CreateParent':
      refuseLoneSurrogates(command.order.clientOrderId, 'ParentOrder.client_order_id');
      refuseLoneSurrogates(command.order.subaccount, 'ParentOrder.subaccount');
      refuseLoneSurrogates(command.order.symbol, 'ParentOrder.symbol');
      refuseLoneSurrogates(command.order.requestEcho, 'ParentOrder.request_echo');
      return { correlationId, createParent: { order: toWireParentOrder(command.order) } };
    case 'CancelParent':
      return { correlationId, cancelParent: { account: command.account, orderId: command.orderId } };
    case 'PauseParent':
      return { correlationId, pauseParent: { account: command.account, orderId: command.orderId } };
    case 'ResumeParent':
      return { correlationId, resumeParent: { account: command.account, orderId: command.orderId } };
    case 'AmendParent':
      return { correlationId, amendParent: { order: toWireParentOrder(command.order) } };
    case 'ReleaseParent':
      return { correlationId, releaseParent: { orderId: command.orderId } };
    case 'VenueLink':
      return { correlationId, venueLink: { isUp: command.isUp } };
    case 'ReconcileParent': {
      const { account, orderId, childRoom } = command;
      const children = command.children.map(toWireAdopted);
      return { correlationId, reconcileParent: { account, orderId, children, childRoom } };
    }
    case 'SetTrading':
      return { correlationId, setTrading: { isHalted: command.isHalted, exempt: [...command.exempt] } };
    case 'StopShard':
      return { correlationId, stopShard: {} };
  }
}

function fromWireCommand(message: CommandMessage): Command {
  const correlationId: CorrelationId = integer(message.correlationId, 'Command.correlation_id');
  switch (message.kind) {
    case 'createParent': {
      const order = fromWireParentOrder(required(message.createParent.order, 'CreateParent.order'));
      return { kind: 'CreateParent', correlationId, order };
    }
    case 'cancelParent':
      return { kind: 'CancelParent', correlationId, ...namedOrder(message.cancelParent, 'CancelParent') };
    case 'pauseParent':
      return { kind: 'PauseParent', correlationId, ...namedOrder(message.pauseParent, 'PauseParent') };
    case 'resumeParent':
      return { kind: 'ResumeParent', correlationId, ...namedOrder(message.resumeParent, 'ResumeParent') };
    case 'amendParent': {
      const order = fromWireParentOrder(required(message.amendParent.order, 'AmendParent.order'));
      return { kind: 'AmendParent', correlationId, order };
    }
    case 'releaseParent': {
      const orderId: OrderId = integer(message.releaseParent.orderId, 'ReleaseParent.order_id');
      return { kind: 'ReleaseParent', correlationId, orderId };
    }
    case 'venueLink':
      return { kind: 'VenueLink', correlationId, isUp: message.venueLink.isUp };
    case 'reconcileParent': {
      const { children, childRoom } = message.reconcileParent;
      return {
        kind: 'ReconcileParent',
        correlationId,
        ...namedOrder(message.reconcileParent, 'ReconcileParent'),
        children: children.map(fromWireAdopted),
        childRoom: integerOrNull<number>(childRoom, 'ReconcileParent.child_room'),
      };
    }
    case 'setTrading': {
      const { isHalted, exempt } = message.setTrading;
      return { kind: 'SetTrading', correlationId, isHalted, exempt: exempt as AccountId[] };
    }
    case 'stopShard':
      return { kind: 'StopShard', correlationId };
    case undefined:
      break;
  }
  return unknownKind('Command');
}

interface NamedOrder {
  readonly account: AccountId;
  readonly orderId: OrderId;
}

function namedOrder({ account, orderId }: { account: string; orderId: number }, kind: string): NamedOrder {
  return { account: account as AccountId, orderId: integer(orderId, `${kind}.order_id`) };
}
