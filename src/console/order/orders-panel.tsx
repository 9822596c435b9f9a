import type { RefObject } from 'preact';
import { useEffect, useMemo, useState } from 'preact/hooks';
import { orderColumns, type TableColumn } from '../view/columns.js';
import type { ConsoleState } from '../console-state.js';
import { decimalText } from '../view/figures.js';
import type { BoardView } from './order-board.js';
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
const BY_ID = 'Order';

/** The orders of the account: open, quarantined, in need of attention, ended. */
export function OrdersPanel({ state, session, filter }: OrdersPanelProps) {
  const [view, setView] = useState<BoardView>('open');
  const [text, setText] = useState('');
  const [sorted, setSorted] = useState({ title: BY_ID, isDescending: true });
  const columns = useMemo(() => orderColumns(() => state.serviceMs), [state]);
  const rank = columns.find(({ title }) => title === sorted.title)?.rank ?? (({ row }: KnownOrder) => row.orderId);
  const words = text.split(/\s+/).filter((word) => word !== '');
  const { orders, hiddenCount, counts } = session.board.page({ view, words, rank, ...sorted, rowsMax: ROWS_MAX });
  useEffect(() => session.origins.want(orders));
  const sortBy = ({ title }: TableColumn<KnownOrder>): void =>
    setSorted((now) => ({ title, isDescending: title === now.title ? !now.isDescending : true }));

  return (
    <section class="orders" aria-label="Orders">
      <div class="tools">
        {VIEWS.map((tab) => (
          <button
            key={tab.view}
            type="button"
            class={ALARMING.has(tab.view) && counts[tab.view] > 0 ? 'tab bad' : 'tab'}
            aria-pressed={tab.view === view}
            onClick={() => setView(tab.view)}
          >
            {tab.title} {decimalText(counts[tab.view])}
          </button>
        ))}
        <input
          ref={filter}
          type="search"
          placeholder="Filter ( / )"
          aria-label="Filter orders"
          onInput={(event) => setText(event.currentTarget.value)}
        />
        <button
          type="button"
          class="danger"
          disabled={counts.open === 0 || session.mayTrade === false}
          onClick={() => state.proposeCancelAll(counts.open)}
        >
          Cancel all…
        </button>
      </div>
      <Table
        caption="Orders"
        columns={columns}
        rows={orders}
        keyOf={({ row }) => String(row.orderId)}
        emptyText={session.isRead ? 'No orders here.' : 'Reading the orders…'}
        onOpen={({ row }) => state.openOrder(row.orderId)}
        openKey={session.order === null ? null : String(session.order.orderId)}
        onSort={sortBy}
        sorted={sorted}
      />
      {hiddenCount > 0 && <p class="empty">{decimalText(hiddenCount)} more match: filter to see them.</p>}
    </section>
  );
}
