import { type EChartsOption, init } from 'echarts';
import type { OrderRun } from '../../src/backtest/backtest-run.js';
import type { Liquidity } from '../../src/domain/order.js';
import type { EpochMs } from '../../src/domain/time.js';
import { scheduleOf, type SchedulePoint } from '../../src/tca/schedule-deviation.js';
import { known, type Observations, valuesOf } from './trial.js';
import { type Answer, bound, titleOf } from './question.js';

interface QualityReport {
  readonly observations: readonly Observations[];
  readonly answers: readonly Answer[];
  readonly specimens: readonly Specimen[];
}

const STYLE = `
  body { font: 15px/1.5 system-ui, sans-serif; max-width: 1120px; margin: 2rem auto; padding: 0 1rem; color: #1f2328; }
  table { border-collapse: collapse; } td, th { padding: .2rem .8rem; text-align: right; border-bottom: 1px solid #d8dee4; }
  td:first-child, th:first-child { text-align: left; } .better { color: #1a7f37; } .worse { color: #cf222e; }
  h2 { margin-top: 3rem; } svg { display: block; }`;

/** Returns a self-contained page: costs by policy, paired differences and charts of sample orders. */
export function qualityPage({ observations, answers, specimens }: QualityReport): string {
  return [
    '<!doctype html><html lang="en"><meta charset="utf-8"><title>Execution quality</title>',
    `<style>${STYLE}</style><h1>Execution quality</h1>`,
    '<p>The same order in the same windows, bought and sold: all-in cost against the mid at its placement,',
    'with fees and the unfilled rest, in basis points; less is better.</p>',
    ...observations.map((one) => section(one, answers, specimens)),
    '</html>\n',
  ].join('\n');
}

function section(one: Observations, answers: readonly Answer[], specimens: readonly Specimen[]): string {
  const { name, task } = one.arena;
  return [
    `<h2>${escaped(name)}: ${escaped(task)}</h2>`,
    costChart(one),
    answerTable(answers.filter(({ arena }) => arena === name)),
    ...specimens
      .filter(({ arena }) => arena === name)
      .map((specimen) => `<h3>${escaped(specimen.policy)}, a purchase</h3>\n${executionChart(specimen)}`),
  ].join('\n');
}

function answerTable(answers: readonly Answer[]): string {
  const rows = answers.map(({ difference: { mean, low, high, count, clusters }, holmP, verdict, ...question }) => {
    const interval = `${bound(low, 3)} … ${bound(high, 3)}`;
    const numbers = [String(count), String(clusters), holmP.toFixed(4)];
    const cells = [titleOf(question), mean.toFixed(3), interval, ...numbers];
    const row = cells.map((cell) => `<td>${escaped(cell)}</td>`).join('');
    return `<tr>${row}<td class="${verdict.replaceAll(' ', '-')}">${verdict}</td></tr>`;
  });
  return `<table><tr><th>paired difference<th>mean, bps<th>95 %<th>windows<th>clusters<th>p by Holm<th></tr>${rows.join('\n')}</table>`;
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
}

const WIDTH = 1_080;
const COLOURS = { mid: '#8a8f98', maker: '#1a7f37', taker: '#cf222e', schedule: '#0969da', cost: '#0969da' };
const QUARTILES = [0, 0.25, 0.5, 0.75, 1];
const HEIGHT_OF_ROW = 30;

/** Draws price and fills above, schedule and filled share below, over the same time. */
function executionChart({ mids, fills, schedule }: Specimen): string {
  const pointsOf = (liquidity: string) =>
    fills.filter((fill) => fill.liquidity === liquidity).map(({ seconds, price }) => [seconds, price]);
  const end = Math.ceil(mids.at(-1)?.[0] ?? 0);
  const done = [[0, 0], ...fills.map(({ seconds, done: share }) => [seconds, share]), [end, fills.at(-1)?.done ?? 0]];
  const upper = { xAxisIndex: 0, yAxisIndex: 0 };
  const lower = { xAxisIndex: 1, yAxisIndex: 1, symbol: 'none' };
  return draw(420, {
    legend: { top: 0, itemGap: 30 },
    grid: [
      { left: 80, right: 20, top: 36, height: 200 },
      { left: 80, right: 20, top: 270, height: 110 },
    ],
    xAxis: [
      { type: 'value', gridIndex: 0, max: end, axisLabel: { show: false } },
      { type: 'value', gridIndex: 1, max: end, name: 'seconds', nameLocation: 'middle', nameGap: 24 },
    ],
    yAxis: [
      { type: 'value', gridIndex: 0, scale: true },
      { type: 'value', gridIndex: 1, max: 1 },
    ],
    series: [
      series('mid', COLOURS.mid, {
        type: 'line',
        step: 'end',
        symbol: 'none',
        lineStyle: { width: 1 },
        data: mids,
        ...upper,
      }),
      series('maker fill', COLOURS.maker, { type: 'scatter', symbolSize: 7, data: pointsOf('MAKER'), ...upper }),
      series('taker fill', COLOURS.taker, { type: 'scatter', symbolSize: 7, data: pointsOf('TAKER'), ...upper }),
      series('schedule', COLOURS.schedule, { type: 'line', data: schedule ?? [], ...lower }),
      series('done', COLOURS.maker, { type: 'line', step: 'end', data: done, ...lower }),
    ] as NonNullable<EChartsOption['series']>,
  });
}

/** Draws the all-in cost of each policy over the windows: quartiles, median and extremes. */
function costChart(observations: Observations): string {
  const policies = [...observations.byPolicy.keys()].toReversed();
  const boxes = policies.map((policy) =>
    quartilesOf(known(valuesOf(observations, policy, 'allIn')).map(({ value }) => value)),
  );
  return draw(70 + HEIGHT_OF_ROW * policies.length, {
    grid: { left: 200, right: 20, top: 10, bottom: 50 },
    xAxis: { type: 'value', scale: true, name: 'all-in cost, bps', nameLocation: 'middle', nameGap: 28 },
    yAxis: { type: 'category', data: policies.map(({ name }) => name) },
    series: [{ type: 'boxplot', layout: 'vertical', data: boxes, itemStyle: { borderColor: COLOURS.cost } }],
  });
}

function series(name: string, color: string, rest: object): object {
  return { name, color, ...rest };
}

function quartilesOf(values: readonly number[]): number[] {
  const sorted = values.toSorted((one, other) => one - other);
  return QUARTILES.map((share) => sorted[Math.round(share * (sorted.length - 1))] ?? 0);
}

/** Renders SVG text without a browser. */
function draw(height: number, option: EChartsOption): string {
  const chart = init(null, null, { renderer: 'svg', ssr: true, width: WIDTH, height });
  chart.setOption({ animation: false, backgroundColor: 'transparent', ...option });
  const svg = chart.renderToSVGString();
  chart.dispose();
  return svg;
}

/** Data of one order's chart: seconds from its start, prices in quote units, quantities as shares of the whole. */
export interface Specimen {
  readonly arena: string;
  readonly policy: string;
  readonly mids: readonly (readonly [seconds: number, price: number])[];
  readonly fills: readonly SpecimenFill[];
  /** Planned share over time; null for a strategy without a schedule. */
  readonly schedule: readonly (readonly [seconds: number, share: number])[] | null;
}

interface SpecimenFill {
  readonly seconds: number;
  readonly price: number;
  /** Filled share of the whole after this fill. */
  readonly done: number;
  readonly liquidity: Liquidity;
}

const POINTS_COUNT = 400;

export function specimenOf(arena: string, policy: string, { state, execution, market }: OrderRun): Specimen {
  const { startMs, quantity, fills } = execution;
  const { order } = state;
  const endMs = Math.max(order.endAtMs ?? execution.endMs, execution.endMs);
  const secondsOf = (atMs: number): number => (atMs - startMs) / 1_000;
  const priceOf = (ticks: number): number => ticks / 10 ** order.legs[0].pricePrecision;
  const instants = Array.from(
    { length: POINTS_COUNT + 1 },
    (_, point) => startMs + ((endMs - startMs) * point) / POINTS_COUNT,
  );
  let filled = 0;
  return {
    arena,
    policy,
    mids: instants.map((atMs) => [secondsOf(atMs), priceOf(market.mids.at(atMs) ?? execution.arrivalMid)]),
    fills: fills.map((fill) => {
      filled += fill.quantity;
      const { atMs, price, liquidity } = fill;
      return { seconds: secondsOf(atMs), price: priceOf(price), done: filled / quantity, liquidity };
    }),
    schedule: pointsOf(scheduleOf(order, startMs), startMs),
  };
}

function pointsOf(schedule: readonly SchedulePoint[] | null, startMs: EpochMs): Specimen['schedule'] {
  return schedule?.map(({ atMs, share }) => [(atMs - startMs) / 1_000, share] as const) ?? null;
}
