import type { AssetCategory, Venue } from '../../../domain/exchange.js';
import type { EpochMs } from '../../../domain/time.js';
import { BinanceLine } from '../binance/binance-line.js';
import type { BinanceCall, BinanceRequests } from '../binance/binance-requests.js';
import { BINANCE_SPOT, BINANCE_USDM, type BinanceWallet } from '../binance/binance-wallet.js';
import type { Fields } from '../dialect/binance-orders.js';
import type { ExchangeLine } from '../exchange-line.js';
import { type Outcome, unsent } from '../exchange-requests.js';
import type { LiveInstruments } from '../live-exchange.js';
import type { ReportFinding } from '../normal/message.js';
import { WrongRequest } from '../wire-guard.js';

/** A request as live mode would send it: before the time stamp, the signature and the key are added. */
export interface OutgoingRequest {
  /** Name of the request on the socket, or method and path where the socket does not have it. */
  readonly call: string;
  readonly fields: Fields;
}

export interface ShadowParts {
  readonly instruments: LiveInstruments;
  readonly nowMs: () => EpochMs;
  readonly onFinding: ReportFinding;
  readonly record: (request: OutgoingRequest) => void;
}

/** Opens the line of live mode over requests that are written down and not sent. */
type OpenSilentLine = (parts: ShadowParts) => ExchangeLine;

/** The exchanges and wallets that have a shadow mode. */
export const SILENT_LINES: Readonly<Partial<Record<Venue, Readonly<Partial<Record<AssetCategory, OpenSilentLine>>>>>> =
  {
    BINANCE: { SPOT: silentBinance(BINANCE_SPOT), FUTURE: silentBinance(BINANCE_USDM) },
  };

function silentBinance({ category, orders }: BinanceWallet): OpenSilentLine {
  return ({ record, ...parts }) =>
    new BinanceLine({
      ...parts,
      category,
      calls: orders,
      requests: new SilentBinanceRequests(record),
      // No order comes back from requests that are not sent.
      instrumentOf: () => null,
    });
}

/** Writes requests down after the checks of the real ones. It has no connection. */
class SilentBinanceRequests implements Pick<BinanceRequests, 'send'> {
  readonly #record: (request: OutgoingRequest) => void;

  constructor(record: (request: OutgoingRequest) => void) {
    this.#record = record;
  }

  send(
    { rest, socket }: BinanceCall,
    fields: Fields,
    { check }: { readonly check?: (sent: Fields) => void },
  ): Promise<Outcome> {
    try {
      check?.(fields);
    } catch (error) {
      if (error instanceof WrongRequest) return Promise.resolve(unsent(error));
      throw error;
    }
    this.#record({ call: socket ?? rest, fields });
    return Promise.resolve({ kind: 'lost' });
  }
}

/**
 * Shadow mode: each request is written as live mode would send it, and is carried out on paper. A request that live mode
 * would refuse to send is refused here too. Follow-up requests that depend on an answer of the exchange, such as the trades
 * of an order that it has filled, are not written.
 */
export function shadowLine(paper: ExchangeLine, written: ExchangeLine): ExchangeLine {
  return {
    place: (order, expiresAtMs, answer) =>
      written.place(order, expiresAtMs, (outcome, nowMs) => {
        if (outcome.kind === 'refused') answer(outcome, nowMs);
        else paper.place(order, expiresAtMs, answer);
      }),
    cancel: (target, answer) => written.cancel(target, () => paper.cancel(target, answer)),
    lookUp: (target, isFinal, answer) => written.lookUp(target, isFinal, () => paper.lookUp(target, isFinal, answer)),
    openOrders: (answer) => written.openOrders(() => paper.openOrders(answer)),
    listOrders: (query, answer) => paper.listOrders(query, answer),
  };
}

/** The fields as text, in the order in which they are sent. */
export function fieldsText({ fields }: OutgoingRequest): string {
  return new URLSearchParams(fields).toString();
}
