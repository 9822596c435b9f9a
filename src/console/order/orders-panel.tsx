import type { RefObject } from 'preact';
import { useEffect, useMemo, useState } from 'preact/hooks';
import type { TableColumn } from '../view/columns.js';
import type { ConsoleState } from '../console-state.js';
import { decimalText } from '../view/figures.js';
import { ExportButton } from './export-button.js';
import { FilterBar } from './filter-bar.js';
import { orderColumns } from './order-columns.js';
import { type BoardView, fragmentOf, isFiltering, listOf, NO_FILTER, type OrderFilter } from './order-filter.js';
import { SEARCH_ORDERS_MAX } from './order-search.js';
import type { KnownOrder } from './order-row.js';
import type { Session } from '../session.js';
import { Table } from '../view/table.js';

export interface OrdersPanelProps {
  readonly state: ConsoleState;
  readonly session: Session;
  readonly filter: RefObject<HTMLInputElement | null>;
}

/** Rows in the table at once; the filter finds the others. */
const ROWS_MAX = 200;
const VIEWS: readonly { readonly view: BoardView; readonly title: string }[] = [
  { view: 'open', title: 'Open' },
  { view: 'quarantined', title: 'Quarantined' },
  { view: 'attention', title: 'Attention' },
  { view: 'ended', title: 'Ended' },
];
const ALARMING = new Set<BoardView>(['quarantined', 'attention']);
/** The page has every open order, and of the others only the latest. */
const SEARCHED = new Set<BoardView>(['attention', 'ended']);
const BY_ID = 'Order';
/** The address follows the filter after this time without a change. */
const ADDRESS_MS = 300;

/** The orders of the account: open, quarantined, in need of attention, ended. */
export function OrdersPanel({ state, session, filter: textField }: OrdersPanelProps) {
  const { view, filter, show } = useList();
  const [sorted, setSorted] = useState({ title: BY_ID, isDescending: true });
  const columns = useMemo(() => orderColumns(() => state.serviceMs), [state]);
  const rank = columns.find(({ title }) => title === sorted.title)?.rank ?? (({ row }: KnownOrder) => row.orderId);
  const page = session.board.page({ view, filter, rank, ...sorted, rowsMax: ROWS_MAX });
  const { orders, hiddenCount, counts, matchCounts } = page;
  const hasFilter = isFiltering(filter);
  useEffect(() => session.origins.want(orders));
  useEffect(() => {
    if (session.isRead && hasFilter && SEARCHED.has(view)) session.search.want(filter);
  });
  const sortBy = ({ title }: TableColumn<KnownOrder>): void =>
    setSorted((now) => ({ title, isDescending: title === now.title ? !now.isDescending : true }));
  const countText = (name: BoardView): string =>
    hasFilter ? `${decimalText(matchCounts[name])} of ${decimalText(counts[name])}` : decimalText(counts[name]);

  return (
    <section class="orders" aria-label="Orders">
      <div class="tools">
        {VIEWS.map((tab) => (
          <button
            key={tab.view}
            type="button"
            class={ALARMING.has(tab.view) && counts[tab.view] > 0 ? 'tab bad' : 'tab'}
            aria-pressed={tab.view === view}
            onClick={() => show(tab.view, filter)}
          >
            {tab.title} {countText(tab.view)}
          </button>
        ))}
        <ExportButton state={state} view={view} filter={filter} />
        <button
          type="button"
          class="danger"
          disabled={counts.open === 0 || session.mayTrade === false}
          onClick={() => state.proposeCancelAll(counts.open)}
        >
          Cancel all…
        </button>
      </div>
      <FilterBar filter={filter} onFilter={(next) => show(view, next)} textField={textField} />
      <Table
        caption="Orders"
        columns={columns}
        rows={orders}
        keyOf={({ row }) => String(row.orderId)}
        emptyText={emptyText(session, hasFilter)}
        onOpen={({ row }) => state.openOrder(row.orderId)}
        openKey={session.order === null ? null : String(session.order.orderId)}
        onSort={sortBy}
        sorted={sorted}
      />
      {orders.length === 0 && hasFilter && (
        <p class="empty">
          <button type="button" onClick={() => show(view, NO_FILTER)}>
            Show all orders of this list
          </button>
        </p>
      )}
      {hiddenCount > 0 && <p class="empty">{decimalText(hiddenCount)} more match: filter to see them.</p>}
      {hasFilter && SEARCHED.has(view) && <SearchNotice session={session} />}
    </section>
  );
}

/** The list and its filter. The address of the page has them, so that it opens the same list again. */
function useList() {
  const [list, setList] = useState(() => listOf(location.hash));
  useEffect(() => {
    const read = (): void => setList(listOf(location.hash));
    addEventListener('hashchange', read);
    return () => removeEventListener('hashchange', read);
  }, []);
  const fragment = fragmentOf(list.view, list.filter);
  useEffect(() => {
    // Browsers limit the changes of an address: a text is not stored with each letter.
    const timer = setTimeout(() => {
      history.replaceState(null, '', fragment === '' ? location.pathname : `#${fragment}`);
    }, ADDRESS_MS);
    return () => clearTimeout(timer);
  }, [fragment]);
  return { ...list, show: (view: BoardView, filter: OrderFilter): void => setList({ view, filter }) };
}

function emptyText(session: Session, hasFilter: boolean): string {
  if (!session.isRead) return 'Reading the orders…';
  return hasFilter ? 'No order of this list matches the filters.' : 'No orders here.';
}

/** How far the search beyond the loaded orders is. */
function SearchNotice({ session: { search } }: { session: Session }) {
  const { progress } = search;
  switch (progress.state) {
    case 'IDLE':
    case 'COMPLETE':
      return null;
    case 'READING':
      return (
        <p class="empty" role="status">
          Reading earlier orders…
        </p>
      );
    case 'CUT':
      return (
        <p class="empty" role="status">
          Only the newest {decimalText(SEARCH_ORDERS_MAX)} orders of the interval are searched: set an earlier end.
        </p>
      );
    case 'FAILED':
      return (
        <p class="empty bad" role="alert">
          Earlier orders are not listed. {progress.why}{' '}
          <button type="button" onClick={() => search.reset()}>
            Try again
          </button>
        </p>
      );
  }
}
