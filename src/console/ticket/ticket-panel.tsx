import { useMemo } from 'preact/hooks';
import type { OrderPreview } from '../../client/wire.js';
import { scheduleColumns } from '../view/chart-data.js';
import { Chart, type ChartSeries } from '../view/chart.js';
import type { ConsoleState } from '../console-state.js';
import { markOf } from '../live-mode.js';
import { basisPointsText, decimalText, percentText, priceText, spanText } from '../view/figures.js';
import type { Fact } from '../order/order-facts.js';
import type { Session } from '../session.js';
import { Badge, Facts, ModeBadge } from '../view/table.js';
import { LEGS, legPath } from './pair-fields.js';
import { legTitle } from './pair-request.js';
import { TicketForm } from './ticket-form.js';
import type { OrderTicket } from './ticket.js';

export interface TicketPanelProps {
  readonly state: ConsoleState;
  readonly session: Session;
  readonly ticket: OrderTicket;
}

const SCHEDULE_SERIES: readonly ChartSeries[] = [{ label: 'Planned', color: 'warning', shape: 'step', isFilled: true }];

/** Enters one order: first a preview by the service, then the order exactly as previewed. */
export function TicketPanel({ state, session, ticket }: TicketPanelProps) {
  const marks = ticket.exchanges.flatMap((exchange) => {
    const mode = session.modeOf(exchange);
    return mode === undefined ? [] : [{ exchange, mark: markOf(mode) }];
  });
  return (
    <section class="detail ticket" aria-label="New order">
      <div class="tools">
        <h2>New order</h2>
        {marks.map(({ exchange, mark }) => (
          <span key={exchange}>
            {marks.length > 1 && `${exchange} `}
            <ModeBadge mark={mark} />
          </span>
        ))}
        <button type="button" onClick={() => state.closeTicket()}>
          Close
        </button>
      </div>
      {session.mayTrade === false && (
        <p class="outcome">
          This key may only read: it can preview orders and cannot place them. Placing needs the permission "trade".
        </p>
      )}
      <TicketForm state={state} session={session} ticket={ticket} />
      {ticket.previews.map(({ title, preview }, index) => (
        <PreviewCard key={index} title={title} preview={preview} />
      ))}
      {ticket.placed === null ? (
        <Sending ticket={ticket} mayTrade={session.mayTrade !== false} />
      ) : (
        <Placed ticket={ticket} orderId={ticket.placed.order_id ?? 0} state={state} />
      )}
    </section>
  );
}

/** A preview of the order, or of a leg as an order of its own. */
function PreviewCard({ title, preview }: { title: string; preview: OrderPreview }) {
  const { accepted, schedule = [], existing_order_id: existing } = preview;
  const columns = useMemo(() => scheduleColumns(schedule), [preview]);
  return (
    <div class="preview" role="status">
      <p>
        <Badge tone={accepted ? 'good' : 'bad'}>{accepted ? 'WOULD BE ACCEPTED' : 'WOULD BE REFUSED'}</Badge>
        {title !== '' && ` ${title}, as an order of its own`}
      </p>
      {existing !== undefined && (
        <p class="warning">This client id already names order {existing}: sending it places nothing new.</p>
      )}
      <Facts facts={previewFacts(preview)} />
      {schedule.length > 1 && (
        <Chart
          title="Planned schedule"
          description={`${schedule.length} slices`}
          series={SCHEDULE_SERIES}
          columns={columns}
          valueText={priceText}
          height={130}
        />
      )}
    </div>
  );
}

function previewFacts({ schedule, children, expected_cost: cost, participation }: OrderPreview): readonly Fact[] {
  const facts: Fact[] = [];
  if (cost !== undefined) {
    const total = `${basisPointsText(cost.total_bps)} ± ${cost.stdev_bps.toFixed(1)}`;
    facts.push({ name: 'Expected cost', text: total });
    facts.push({ name: 'of which spread', text: basisPointsText(cost.spread_bps) });
    facts.push({ name: 'impact', text: basisPointsText(cost.impact_bps) });
    facts.push({ name: 'fees', text: basisPointsText(cost.fee_bps) });
  }
  if (children !== undefined) {
    facts.push({
      name: 'Children',
      text: `${decimalText(children.count)}, each about ${priceText(children.quantity)}`,
    });
  }
  if (schedule !== undefined && schedule.length > 1) {
    const [first = 0, last = 0] = [schedule[0]?.time, schedule.at(-1)?.time];
    facts.push({ name: 'Last slice', text: `after ${spanText(last - first)}` });
  }
  if (participation !== undefined) facts.push({ name: 'Share of volume', text: percentText(participation) });
  return facts;
}

/** The button that places the order. It always exists, so that the layout does not change. */
function Sending({ ticket, mayTrade }: { ticket: OrderTicket; mayTrade: boolean }) {
  const { stage, values, failure, request } = ticket;
  const isReady = mayTrade && (stage === 'PREVIEWED' || stage === 'UNKNOWN');
  const canSend = isReady && ticket.isConfirmed;
  const order = ticket.isPair
    ? `PAIR ${LEGS.map((leg) => legTitle(values, leg)).join(', ')}`
    : `${values['side']} ${request?.quantity ?? ''} ${values['symbol']} on ${values['exchange']}`;
  const side = ticket.isPair ? values[legPath(0, 'side')] : values['side'];
  const text = stage === 'UNKNOWN' ? 'Send the same order again' : isReady ? `Place order: ${order}` : 'Place order';
  return (
    <div class="result">
      {failure !== null && (
        <p class="outcome" role="alert">
          {failure}
        </p>
      )}
      {isReady && <ConfirmationField ticket={ticket} />}
      <button
        type="button"
        class={`send ${side === 'SELL' ? 'sell' : 'buy'}`}
        disabled={!canSend}
        onClick={() => void ticket.send()}
      >
        {stage === 'SENDING' ? 'Sending…' : text}
      </button>
      {stage === 'UNKNOWN' && (
        <button type="button" onClick={() => ticket.renew()}>
          Give up this order
        </button>
      )}
      {stage === 'EDITING' && <p class="quiet">An order can be placed after a preview without findings.</p>}
    </div>
  );
}

/** A request that may need a typed text. */
interface Confirmable {
  readonly neededConfirmation: string | null;
  readonly confirmation: string;
  confirm(text: string): void;
}

/** Asks for the names of the exchanges before a request with real money. */
export function ConfirmationField({ ticket }: { ticket: Confirmable }) {
  const { neededConfirmation: needed, confirmation } = ticket;
  if (needed === null) return null;
  return (
    <label class="confirmation">
      <span class="bad">This order trades with real money. Type {needed} to place it.</span>
      <input
        name="confirmation"
        value={confirmation}
        autocomplete="off"
        spellcheck={false}
        onInput={(event) => ticket.confirm(event.currentTarget.value)}
      />
    </label>
  );
}

function Placed({ ticket, orderId, state }: { ticket: OrderTicket; orderId: number; state: ConsoleState }) {
  return (
    <div class="result" role="status">
      <p class="good">
        Order {orderId} is {ticket.placed?.status.replaceAll('_', ' ')}.
      </p>
      <button type="button" class="primary" onClick={() => state.openOrder(orderId)}>
        Open the order
      </button>{' '}
      <button type="button" onClick={() => ticket.renew()}>
        Another order
      </button>
    </div>
  );
}
