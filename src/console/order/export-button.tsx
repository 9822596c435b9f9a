import { useRef, useState } from 'preact/hooks';
import type { ConsoleState } from '../console-state.js';
import type { BoardView, OrderFilter } from './order-filter.js';

interface ExportButtonProps {
  readonly state: ConsoleState;
  readonly view: BoardView;
  readonly filter: OrderFilter;
}

/** The browser has read the file by then. */
const STORED_MS = 10_000;

/** Reads the list from the service and stores it as a file. */
export function ExportButton({ state, view, filter }: ExportButtonProps) {
  const [isBusy, setBusy] = useState(false);
  const link = useRef<HTMLAnchorElement>(null);
  const store = async (): Promise<void> => {
    setBusy(true);
    const file = await state.exportList(view, filter);
    setBusy(false);
    if (file === null || link.current === null) return;
    const url = URL.createObjectURL(new Blob([file.text], { type: 'text/csv' }));
    link.current.href = url;
    link.current.download = file.name;
    link.current.click();
    link.current.removeAttribute('href');
    setTimeout(() => URL.revokeObjectURL(url), STORED_MS);
  };
  return (
    <>
      <button type="button" disabled={isBusy} onClick={() => void store()}>
        {isBusy ? 'Reading…' : 'Export CSV'}
      </button>
      <a ref={link} hidden />
    </>
  );
}
