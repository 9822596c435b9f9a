import { Big } from 'big.js';
import type { Instrument } from '../../client/wire.js';
import type { ConsoleState } from '../console-state.js';
import type { Session } from '../session.js';
import { decimalText } from '../view/figures.js';
import { Badge } from '../view/table.js';
import type { BookLevel } from './market-watch.js';

interface MarketPanelProps {
  readonly state: ConsoleState;
  readonly session: Session;
  /** null: the exchange does not list the symbol. */
  readonly instrument: Instrument | null;
  /** A click on a price; an exact decimal. */
  readonly onPrice: (price: string) => void;
}

/** The market of one leg: the best level of each side, the last price, the grid and the minimums of orders. */
export function MarketPanel({ state, session, instrument, onPrice }: MarketPanelProps) {
  if (instrument === null) return <p class="market quiet">This exchange does not list the symbol.</p>;
  const { exchange, symbol, baseAsset, quoteAsset } = instrument;
  const view = state.market?.view(instrument, session.venuesDown.includes(exchange));
  if (view === undefined) return null;
  const { levels, lastPrice, lastText, staleness } = view;
  return (
    <div
      class={staleness === null ? 'market' : 'market old'}
      role="group"
      aria-label={`Market of ${symbol} on ${exchange}`}
    >
      {staleness !== null && (
        <p role="status">
          <Badge tone="bad">STALE</Badge> {staleness}
        </p>
      )}
      <div class="book">
        {levels.map((level) => (
          <Level key={level.side} level={level} baseAsset={baseAsset} onPrice={onPrice} />
        ))}
        <span class="quiet">Last</span>
        {lastPrice === null ? (
          <span class="number">–</span>
        ) : (
          <PriceButton price={lastPrice} label={`Last price ${decimalText(lastPrice)}`} onPrice={onPrice} />
        )}
        <small>{lastText}</small>
      </div>
      <p class="quiet">{gridText(instrument, quoteAsset)}</p>
    </div>
  );
}

interface LevelProps {
  readonly level: BookLevel;
  readonly baseAsset: string;
  readonly onPrice: (price: string) => void;
}

function Level({ level: { side, price, quantity }, baseAsset, onPrice }: LevelProps) {
  const name = side === 'BID' ? 'Best bid' : 'Best ask';
  return (
    <>
      <span class={side === 'BID' ? 'good' : 'bad'}>{name}</span>
      <PriceButton price={price} label={`${name} ${decimalText(price)}`} onPrice={onPrice} />
      <small>
        {decimalText(quantity)} {baseAsset}
      </small>
    </>
  );
}

interface PriceButtonProps {
  readonly price: number;
  readonly label: string;
  readonly onPrice: (price: string) => void;
}

/** A price that a click makes the limit price. */
function PriceButton({ price, label, onPrice }: PriceButtonProps) {
  return (
    <button
      type="button"
      class="price number"
      title="Use as the limit price"
      aria-label={`${label}: use as the limit price`}
      onClick={() => onPrice(new Big(price).toFixed())}
    >
      {decimalText(price)}
    </button>
  );
}

function gridText(instrument: Instrument, quoteAsset: string): string {
  const { quantityPrecision, pricePrecision, quantityStep, priceStep, minQuantityLimit, minCostLimit } = instrument;
  const grid = `lot ${stepText(quantityPrecision, quantityStep)} · tick ${stepText(pricePrecision, priceStep)}`;
  const least = `${decimalText(minQuantityLimit)} ${instrument.baseAsset} and ${decimalText(minCostLimit)} ${quoteAsset}`;
  return `${grid} · minimum ${least}`;
}

/** One step of a grid: 10^-precision. */
function stepText(precision: number, step = 1): string {
  return new Big(step).times(`1e-${precision}`).toFixed();
}
