import { useMemo, useState } from 'preact/hooks';
import type { OrderCost, OrderCostLeg } from '../../client/wire.js';
import { markoutColumns, priceColumns, progressColumns, timeRange } from '../view/chart-data.js';
import { Chart, type ChartSeries } from '../view/chart.js';
import { CHILD_COLUMNS, statusCell, TIMELINE_COLUMNS } from '../view/columns.js';
import type { ConsoleState } from '../console-state.js';
import { markOf } from '../live-mode.js';
import { basisPointsText, decimalText, priceText, spanText } from '../view/figures.js';
import { actionsIn, costFacts, legFacts, orderFacts, type OrderAction } from './order-facts.js';
import { AmendForm } from './amend-form.js';
import { canAmend } from './order-amendment.js';
import { leadingLegOf, type OrderHistory } from './order-history.js';
import { isOver, type KnownOrder } from './order-row.js';
import { Badge, Facts, ModeBadge, Table } from '../view/table.js';

export interface OrderPanelProps {
  readonly state: ConsoleState;
  readonly history: OrderHistory;
  readonly order: KnownOrder;
  readonly mayTrade: boolean;
}

type Tab = 'cost' | 'children' | 'timeline';

/** Rows of each table; the latest are shown. */
const ROWS_MAX = 200;
const CHART_GROUP = 'order';
const READING = 'Reading the timeline…';
const ACTIONS: readonly { readonly action: OrderAction; readonly text: string; readonly className: string }[] = [
  { action: 'pause', text: 'Pause…', className: '' },
  { action: 'resume', text: 'Resume…', className: '' },
  { action: 'cancel', text: 'Cancel…', className: 'danger' },
];
const PROGRESS_SERIES: readonly ChartSeries[] = [
  { label: 'Filled', color: 'accent', shape: 'step', isFilled: true },
  { label: 'Schedule', color: 'warning', shape: 'step' },
  { label: 'Even pace', color: 'quiet', shape: 'line', isDashed: true },
];
const PRICE_SERIES: readonly ChartSeries[] = [
  { label: 'Maker fill', color: 'good', shape: 'dots' },
  { label: 'Taker fill', color: 'bad', shape: 'dots' },
  { label: 'Arrival', color: 'quiet', shape: 'line', isDashed: true },
  { label: 'VWAP', color: 'warning', shape: 'line' },
  { label: 'Average', color: 'accent', shape: 'line' },
  { label: 'Limit', color: 'bad', shape: 'line', isDashed: true },
];
const MARKOUT_SERIES: readonly ChartSeries[] = [{ label: 'Markout', color: 'accent', shape: 'bars' }];

/** One order in full: facts, actions, progress, cost report, children and timeline. */
export function OrderPanel({ state, history, order, mayTrade }: OrderPanelProps) {
  const { row } = order;
  const problem = [row.errorCode, row.message, row.quarantine, history.failure].filter((part) => part !== null);
  const identity = { name: 'Order', text: `${row.orderId}, ${row.strategy} on ${row.venues.join(' and ')}` };
  const terms = history.terms === '' ? [] : [{ name: 'Terms', text: history.terms, isWide: true }];
  return (
    <section class="detail order" aria-label="Order">
      <Actions state={state} history={history} order={order} mayTrade={mayTrade} />
      {state.amendment?.row.orderId === row.orderId && <AmendForm state={state} amendment={state.amendment} />}
      {problem.length > 0 && <p class="outcome">{problem.join(': ')}</p>}
      <Facts facts={[identity, ...orderFacts(order, history.details), ...legFacts(history.details), ...terms]} />
      <ProgressCharts history={history} order={order} nowMs={state.serviceMs} limit={row.limitPrice} />
      <OrderTables history={history} isEnded={isOver(row)} />
    </section>
  );
}

/** The order's name and status, with the buttons that change it. */
function Actions({ state, history, order: { row }, mayTrade }: OrderPanelProps) {
  const status = statusCell(row.status);
  return (
    <div class="tools">
      <h2>{row.parts.map(({ side, symbol }) => `${side} ${symbol}`).join(' and ')}</h2>
      <Badge tone={status.tone ?? 'plain'}>{status.text}</Badge>
      {row.liveMode !== null && <ModeBadge mark={markOf(row.liveMode)} />}
      {ACTIONS.filter(({ action }) => mayTrade && actionsIn(row.status).includes(action)).map((one) => (
        <button key={one.action} type="button" class={one.className} onClick={() => state.propose(one.action)}>
          {one.text}
        </button>
      ))}
      {mayTrade && canAmend(row) && (
        <button type="button" disabled={history.details === null} onClick={() => state.openAmendment()}>
          Amend…
        </button>
      )}
      <button type="button" onClick={() => state.openOrder(null)}>
        Close
      </button>
    </div>
  );
}

interface OrderTablesProps {
  readonly history: OrderHistory;
  /** An ended order shows its cost first, an open one its children. */
  readonly isEnded: boolean;
}

/** Cost report, children and timeline, one at a time. */
function OrderTables({ history, isEnded }: OrderTablesProps) {
  const [tab, setTab] = useState<Tab>(isEnded ? 'cost' : 'children');
  const [withNotes, setWithNotes] = useState(false);
  const children = [...history.children.values()].toReversed();
  const entries = history.entries.filter(({ event }) => withNotes || event !== 'StrategyNoted').toReversed();
  const tabs: readonly [Tab, string][] = [
    ['cost', 'Cost'],
    ['children', `Children ${decimalText(children.length)}`],
    ['timeline', `Timeline ${decimalText(entries.length)}`],
  ];
  return (
    <>
      <div class="tools">
        {tabs.map(([name, title]) => (
          <button key={name} type="button" class="tab" aria-pressed={tab === name} onClick={() => setTab(name)}>
            {title}
          </button>
        ))}
        {tab === 'timeline' && (
          <label>
            <input type="checkbox" checked={withNotes} onChange={() => setWithNotes(!withNotes)} /> decisions to wait
          </label>
        )}
      </div>
      {tab === 'cost' && <CostReport cost={history.cost} />}
      {tab === 'children' && (
        <Table
          caption="Children"
          columns={CHILD_COLUMNS}
          rows={children.slice(0, ROWS_MAX)}
          keyOf={({ id }) => id}
          emptyText={history.isRead ? 'No child order yet.' : READING}
        />
      )}
      {tab === 'timeline' && (
        <Table
          caption="Timeline"
          columns={TIMELINE_COLUMNS}
          rows={entries.slice(0, ROWS_MAX)}
          keyOf={({ seq }) => String(seq)}
          emptyText={history.isRead ? 'No entries.' : READING}
        />
      )}
      {tab === 'timeline' && history.isCut && (
        <p class="empty">The timeline is too long: the newest entries are missing.</p>
      )}
      {tab !== 'cost' && (tab === 'children' ? children : entries).length > ROWS_MAX && (
        <p class="empty">Only the latest {ROWS_MAX} are shown.</p>
      )}
    </>
  );
}

interface ProgressChartsProps {
  readonly history: OrderHistory;
  readonly order: KnownOrder;
  readonly nowMs: number;
  readonly limit: number | null;
}

/** Filled against schedule, and the fills of each leg against arrival price and interval VWAP. */
function ProgressCharts({ history, order: { row, origin }, nowMs, limit }: ProgressChartsProps) {
  const { progress, cost, details } = history;
  const second = Math.floor(Math.min(nowMs, row.endAtMs ?? nowMs) / 1_000);
  const sizes = [progress.fills.length, progress.targets.length, row.quantity, row.endAtMs, second, cost, origin];
  const leading = leadingLegOf(details) ?? 0;
  const { progressData, prices } = useMemo(() => {
    const range = timeRange(row, progress, nowMs);
    const legs = cost?.legs ?? [null];
    return {
      progressData: progressColumns(row, progress, nowMs),
      prices: legs.map((leg, index) => {
        const levels = {
          arrival: leg?.cost?.arrival_price ?? (index === leading ? origin.arrivalPrice : null),
          vwap: leg?.cost?.market.vwap ?? null,
          average: leg?.cost?.average_price ?? null,
          limit: index === leading ? limit : null,
        };
        const fills = progress.fills.filter((fill) => fill.leg === index);
        const title = legs.length === 1 ? 'Fills' : `Fills of ${leg?.side} ${leg?.symbol} on ${leg?.exchange}`;
        return { title, count: fills.length, columns: priceColumns(fills, levels, range) };
      }),
    };
  }, sizes);
  const filled = `${decimalText(row.filled)} of ${decimalText(row.quantity)} filled`;
  return (
    <>
      <Chart
        title={history.isRead ? 'Filled against schedule' : READING}
        description={filled}
        series={PROGRESS_SERIES}
        columns={progressData}
        valueText={priceText}
        height={170}
        group={CHART_GROUP}
      />
      {prices.map(({ title, count, columns }) => (
        <Chart
          key={title}
          title={`${title} against arrival and VWAP`}
          description={`${count} fills`}
          series={PRICE_SERIES}
          columns={columns}
          valueText={priceText}
          height={190}
          group={CHART_GROUP}
        />
      ))}
    </>
  );
}

function CostReport({ cost: report }: { cost: OrderCost | null }) {
  if (report === null) return <p class="empty">Reading the cost report…</p>;
  const { legs, is_final: isFinal } = report;
  if (legs.every(({ cost }) => cost === null)) return <p class="empty">The order has not traded yet.</p>;
  return (
    <>
      {!isFinal && <p class="empty">Preliminary: the order works, or its markouts are not complete yet.</p>}
      {legs.map((leg) => (
        <div key={`${leg.exchange} ${leg.symbol}`}>
          {legs.length > 1 && (
            <h3>
              {leg.side} {leg.symbol} on {leg.exchange}
            </h3>
          )}
          <Facts facts={costFacts(leg)} />
          {leg.cost !== null && <Markouts cost={leg.cost} />}
        </div>
      ))}
    </>
  );
}

function Markouts({ cost }: { cost: NonNullable<OrderCostLeg['cost']> }) {
  const columns = useMemo(() => markoutColumns(cost.markouts), [cost]);
  const labels = cost.markouts.map(({ horizon_ms: ms }) => `after ${spanText(ms)}`);
  const words = cost.markouts.map(({ bps }, index) => `${labels[index]} ${bps === null ? '–' : basisPointsText(bps)}`);
  return (
    <>
      <Chart
        title="Markouts: positive when the market moved the way of the order"
        description={words.join(', ')}
        series={MARKOUT_SERIES}
        columns={columns}
        labels={labels}
        valueText={basisPointsText}
        height={150}
      />
      <p class="figures">{words.join(' · ')}</p>
    </>
  );
}
