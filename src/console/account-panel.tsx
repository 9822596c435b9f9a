import { TRADING_EXCHANGES } from '../client/wire.js';
import type { AccountView } from './account-view.js';
import { type LiveMode, markOf } from './live-mode.js';
import { BALANCE_COLUMNS, POSITION_COLUMNS } from './view/columns.js';
import { ModeBadge, Table } from './view/table.js';

export interface AccountPanelProps {
  readonly account: AccountView | null;
  /** False before the first snapshot: the empty table has no meaning until then. */
  readonly isRead: boolean;
  readonly venue: string;
  /** undefined: not known yet. */
  readonly mode: LiveMode | undefined;
  readonly onChoose: (venue: string) => void;
}

/** Balances and positions on one exchange. */
export function AccountPanel({ account, isRead, venue, mode, onChoose }: AccountPanelProps) {
  return (
    <section class="account" aria-label="Account">
      <div class="tools">
        <h2>Account</h2>
        <label>
          on{' '}
          <select value={venue} onChange={(event) => onChoose(event.currentTarget.value)}>
            {TRADING_EXCHANGES.map((name) => (
              <option key={name}>{name}</option>
            ))}
          </select>
        </label>
        {mode !== undefined && mode !== null && <ModeBadge mark={markOf(mode)} />}
      </div>
      <h3>Positions</h3>
      <Table
        caption="Positions"
        columns={POSITION_COLUMNS}
        rows={account?.positions ?? []}
        keyOf={({ symbol }) => symbol}
        emptyText={isRead ? 'No open positions.' : 'Reading the positions…'}
      />
      <h3>Balances</h3>
      <Table
        caption="Balances"
        columns={BALANCE_COLUMNS}
        rows={account?.balances ?? []}
        keyOf={({ symbol }) => symbol}
        emptyText={isRead ? 'No balances.' : 'Reading the balances…'}
      />
    </section>
  );
}
