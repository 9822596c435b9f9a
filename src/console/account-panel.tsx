import { useState } from 'preact/hooks';
import { type AccountHoldings, type AtExchange, balanceTotals, positionTotals } from './account-holdings.js';
import type { BalanceTotal, PositionTotal, SilentExchange } from './account-holdings.js';
import type { Balance, Position } from '../client/wire.js';
import { type LiveMode, markOf } from './live-mode.js';
import { BALANCE_COLUMNS, POSITION_COLUMNS, type TableColumn } from './view/columns.js';
import { clockText, decimalText } from './view/figures.js';
import { ModeBadge, Table } from './view/table.js';

export interface AccountPanelProps {
  readonly account: AccountHoldings;
  /** undefined: not known yet. */
  readonly modeOf: (exchange: string) => LiveMode | undefined;
}

const ALL = '';

/** Balances and positions on all exchanges, or on one. */
export function AccountPanel({ account, modeOf }: AccountPanelProps) {
  const [chosen, setChosen] = useState(ALL);
  const isShown = ({ exchange }: { readonly exchange: string }): boolean => chosen === ALL || exchange === chosen;
  const [positions, balances] = [account.positions.filter(isShown), account.balances.filter(isShown)];
  const mode = chosen === ALL ? undefined : modeOf(chosen);
  const exchangeColumn = {
    title: 'Exchange',
    cell: ({ exchange }: { readonly exchange: string }) => {
      const own = modeOf(exchange) ?? null;
      return own === null ? { text: exchange } : { text: exchange, mark: markOf(own) };
    },
  };
  return (
    <section class="account" aria-label="Account">
      <div class="tools">
        <h2>Account</h2>
        <label>
          on{' '}
          <select value={chosen} onChange={(event) => setChosen(event.currentTarget.value)}>
            <option value={ALL}>all exchanges</option>
            {account.exchanges.map((name) => (
              <option key={name}>{name}</option>
            ))}
          </select>
        </label>
        {mode !== undefined && mode !== null && <ModeBadge mark={markOf(mode)} />}
      </div>
      {account.silent.filter(isShown).map((silent) => (
        <p key={silent.exchange} class="outcome silent" role="status">
          {silentText(silent)}
        </p>
      ))}
      <h3>Positions</h3>
      <Table
        caption="Positions"
        columns={[exchangeColumn, ...POSITION_COLUMNS] satisfies readonly TableColumn<AtExchange<Position>>[]}
        rows={positions}
        keyOf={({ exchange, symbol }) => `${exchange} ${symbol}`}
        emptyText={account.isRead ? 'No open positions.' : 'Reading the positions…'}
      />
      {positions.length > 0 && (
        <Table
          caption="Total of the positions"
          columns={POSITION_TOTAL_COLUMNS}
          rows={positionTotals(positions)}
          keyOf={({ currency }) => currency}
          emptyText=""
        />
      )}
      <h3>Balances</h3>
      {chosen === ALL && balances.length > 0 && (
        <Table
          caption="Total of the balances"
          columns={BALANCE_TOTAL_COLUMNS}
          rows={balanceTotals(balances)}
          keyOf={({ asset }) => asset}
          emptyText=""
        />
      )}
      <Table
        caption="Balances"
        columns={[exchangeColumn, ...BALANCE_COLUMNS] satisfies readonly TableColumn<AtExchange<Balance>>[]}
        rows={balances}
        keyOf={({ exchange, symbol }) => `${exchange} ${symbol}`}
        emptyText={account.isRead ? 'No balances.' : 'Reading the balances…'}
      />
    </section>
  );
}

const POSITION_TOTAL_COLUMNS: readonly TableColumn<PositionTotal>[] = [
  { title: 'Total', cell: ({ count }) => ({ text: count === 1 ? '1 position' : `${count} positions` }) },
  { title: 'In', cell: ({ currency }) => ({ text: currency }) },
  { title: 'Worth', cell: ({ gross }) => ({ text: decimalText(gross) }), isNumber: true },
  { title: 'Long − short', cell: ({ net }) => ({ text: decimalText(net) }), isNumber: true },
  {
    title: 'Unrealised',
    cell: ({ unrealizedPnl: pnl }) => ({ text: decimalText(pnl), tone: pnl.startsWith('-') ? 'bad' : 'good' }),
    isNumber: true,
  },
];

const BALANCE_TOTAL_COLUMNS: readonly TableColumn<BalanceTotal>[] = [
  { title: 'Total of', cell: ({ asset }) => ({ text: asset }) },
  { title: 'Exchanges', cell: ({ exchangeCount }) => ({ text: String(exchangeCount) }), isNumber: true },
  { title: 'Total', cell: ({ total }) => ({ text: decimalText(total) }), isNumber: true },
  { title: 'Free', cell: ({ free }) => ({ text: decimalText(free) }), isNumber: true },
];

function silentText({ exchange, answeredAtMs: atMs, why }: SilentExchange): string {
  return atMs === null
    ? `${exchange} has not answered: its rows are missing, in the totals too. ${why}`
    : `${exchange} does not answer: its rows are those of ${clockText(atMs)} UTC, in the totals too. ${why}`;
}
