import { useEffect, useRef, useState } from 'preact/hooks';
import uPlot from 'uplot';
import { type ChartColumns, latestPlace, legendValues } from './chart-data.js';

/** One series of a chart. Its colour is a custom property of the style sheet. */
export interface ChartSeries {
  readonly label: string;
  readonly color: string;
  /** line: straight between values; step: a value holds until the next; dots: no line; bars: from zero. */
  readonly shape: 'line' | 'step' | 'dots' | 'bars';
  readonly isDashed?: boolean;
  readonly isFilled?: boolean;
}

export interface ChartProps {
  readonly title: string;
  /** What the chart shows, for screen readers. The values of its series follow it. */
  readonly description: string;
  readonly series: readonly ChartSeries[];
  readonly columns: ChartColumns;
  readonly valueText: (value: number) => string;
  /** Text of an x value; by default the x values are epoch milliseconds. */
  readonly labels?: readonly string[];
  readonly height: number;
  /** Charts of one group share their cursor. */
  readonly group?: string;
}

const DARK = '(prefers-color-scheme: dark)';
const DOT_PX = 6;
const Y_AXIS_PX = 84;
const X_AXIS_PX = 30;
const FONT = '11px system-ui, sans-serif';
/** Margin above and below the values, as a share of their range; for a single value, as a share of the value. */
const VALUE_ROOM = 0.1;
const FLAT_SHARE = 0.001;
const DASHES = [6, 4];
const FILL_ALPHA = '2e';

/** A chart by uPlot. Its legend has the values under the pointer, else the latest ones. */
export function Chart(props: ChartProps) {
  const { title, description, height, labels } = props;
  const { series, columns } = withValues(props);
  const [pointed, setPointed] = useState<number | null>(null);
  const place = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot | null>(null);
  const latest = useRef(props);
  latest.current = { ...props, series, columns };
  const isDark = useColourScheme();
  const shape = JSON.stringify([series, labels, height, isDark]);

  useEffect(() => {
    const parent = place.current;
    if (parent === null) return undefined;
    const options = optionsOf(latest, parent.clientWidth, setPointed);
    const made = new uPlot(options, latest.current.columns as uPlot.AlignedData, parent);
    plot.current = made;
    const observer = new ResizeObserver(() => made.setSize({ width: parent.clientWidth, height }));
    observer.observe(parent);
    return () => {
      observer.disconnect();
      made.destroy();
      plot.current = null;
    };
  }, [shape]);
  useEffect(() => plot.current?.setData(columns as uPlot.AlignedData), [props.columns]);

  const entries = labels === undefined ? legendOf(latest.current, pointed) : [];
  const latestWords = pointed === null ? entries : legendOf(latest.current, null);
  const words = latestWords.map(({ label, text }) => `${label} ${text}`).join(', ');
  return (
    <figure class="chart" role="img" aria-label={`${title}: ${description}${words === '' ? '' : `. Latest: ${words}`}`}>
      <figcaption>{title}</figcaption>
      <div ref={place} />
      {entries.length > 0 && (
        <dl class="legend">
          {entries.map(({ label, text, color }) => (
            <div key={label} class={color}>
              <dt>{label}</dt>
              <dd>{text}</dd>
            </div>
          ))}
        </dl>
      )}
    </figure>
  );
}

/** The place of the latest figures. Lines are plans and levels that reach into the future: they count only alone. */
function presentPlace(series: readonly ChartSeries[], columns: ChartColumns): number {
  const measured = columns.filter((_, index) => series[index]?.shape !== 'line');
  return latestPlace(measured.length > 0 ? measured : columns);
}

/** One name and value of the legend. */
interface LegendEntry {
  readonly label: string;
  readonly text: string;
  readonly color: string;
}

/** The time and the value of each series; empty without a value. */
function legendOf({ series, columns, valueText }: ChartProps, pointed: number | null): readonly LegendEntry[] {
  const { at, values } = legendValues(columns, pointed ?? presentPlace(series, columns.slice(1)));
  if (series.length === 0 || at === null) return [];
  const shown = series.map(({ label, color }, index) => ({ label, color, text: valueText(values[index] ?? 0) }));
  return [{ label: 'UTC', color: 'time', text: clock(at) }, ...shown];
}

/** The series that have a value, with their columns. */
function withValues({ series, columns }: ChartProps): Pick<ChartProps, 'series' | 'columns'> {
  const isShown = series.map((_, index) => columns[index + 1]?.some((value) => value !== null) ?? false);
  return {
    series: series.filter((_, index) => isShown[index]),
    columns: columns.filter((_, index) => index === 0 || isShown[index - 1]),
  };
}

function useColourScheme(): boolean {
  const [isDark, setDark] = useState(() => matchMedia(DARK).matches);
  useEffect(() => {
    const query = matchMedia(DARK);
    const onChange = (): void => setDark(query.matches);
    query.addEventListener('change', onChange);
    return () => query.removeEventListener('change', onChange);
  }, []);
  return isDark;
}

function optionsOf(
  latest: { readonly current: ChartProps },
  width: number,
  onPoint: (place: number | null) => void,
): uPlot.Options {
  const { series, height, labels, group } = latest.current;
  const styles = getComputedStyle(document.documentElement);
  const color = (name: string): string => styles.getPropertyValue(`--${name}`).trim();
  const axis = {
    stroke: color('quiet'),
    font: FONT,
    grid: { stroke: color('line') },
    ticks: { stroke: color('line') },
  };
  const isTime = labels === undefined;
  return {
    width,
    height,
    ms: 1,
    tzDate: (ms) => uPlot.tzDate(new Date(ms), 'Etc/UTC'),
    scales: {
      x: { time: isTime, ...(isTime ? {} : { range: [-0.5, (labels.length || 1) - 0.5] }) },
      y: { range: valueRange },
    },
    axes: [
      isTime
        ? { ...axis, size: X_AXIS_PX, values: (_plot, splits) => splits.map(axisClock) }
        : { ...axis, size: X_AXIS_PX, splits: () => labels.map((_, index) => index), values: () => [...labels] },
      { ...axis, size: Y_AXIS_PX, values: (_plot, splits) => splits.map((value) => latest.current.valueText(value)) },
    ],
    series: [{}, ...series.map((one) => ({ ...styleOf(one, color(one.color)), label: one.label }))],
    cursor: { drag: { x: false, y: false }, ...(group === undefined ? {} : { sync: { key: group } }) },
    legend: { show: false },
    hooks: { setCursor: [({ cursor: { idx } }) => onPoint(idx ?? null)] },
  };
}

/** The range of the values with a margin. A single price is in the middle of a narrow range, not above 0. */
function valueRange(_plot: uPlot, low: number | null, high: number | null): uPlot.Range.MinMax {
  if (low === null || high === null) return [null, null];
  const room = low === high ? Math.abs(low) * FLAT_SHARE : 0;
  return room > 0 ? [low - room, high + room] : uPlot.rangeNum(low, high, VALUE_ROOM, true);
}

function styleOf({ shape, isDashed, isFilled }: ChartSeries, stroke: string): uPlot.Series {
  const points = { show: shape === 'dots', size: DOT_PX, fill: stroke };
  const base = { stroke, points, ...(isFilled === true ? { fill: `${stroke}${FILL_ALPHA}` } : {}) };
  const paths = uPlot.paths;
  switch (shape) {
    case 'dots':
      return { ...base, paths: () => null };
    case 'bars':
      return { ...base, fill: `${stroke}${FILL_ALPHA}`, ...pathsOf(paths.bars?.({ size: [0.4, 64] })) };
    case 'step':
      return { ...base, width: 2, ...pathsOf(paths.stepped?.({ align: 1 })) };
    case 'line':
      return { ...base, width: 1.5, spanGaps: true, ...(isDashed === true ? { dash: DASHES } : {}) };
  }
}

function pathsOf(builder: uPlot.Series.PathBuilder | undefined): { readonly paths?: uPlot.Series.PathBuilder } {
  return builder === undefined ? {} : { paths: builder };
}

function clock(ms: number): string {
  return new Date(ms).toISOString().slice(11, 19);
}

/** Seconds only where they are not zero. */
function axisClock(ms: number): string {
  return clock(ms).replace(/:00$/, '');
}
