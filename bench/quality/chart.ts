import { init, type EChartsOption } from 'echarts';
import { known, valuesOf, type Observations } from './observation.js';
import type { Specimen } from './specimen.js';

const WIDTH = 1_080;
const COLOURS = { mid: '#8a8f98', maker: '#1a7f37', taker: '#cf222e', schedule: '#0969da', cost: '#0969da' };
const QUARTILES = [0, 0.25, 0.5, 0.75, 1];
const HEIGHT_OF_ROW = 30;

/** Price and fills above, schedule and what was done below, over the same time. */
export function executionChart({ mids, fills, schedule }: Specimen): string {
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

/** All-in cost of every policy: a box from quartile to quartile over the windows, its median in it, whiskers to the ends. */
export function costChart(observations: Observations): string {
  const policies = [...observations.byPolicy.keys()].toReversed();
  const boxes = policies.map((policy) => quartilesOf(known(valuesOf(observations, policy, 'allIn'))));
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

/** As SVG text, without a browser. */
function draw(height: number, option: EChartsOption): string {
  const chart = init(null, null, { renderer: 'svg', ssr: true, width: WIDTH, height });
  chart.setOption({ animation: false, backgroundColor: 'transparent', ...option });
  const svg = chart.renderToSVGString();
  chart.dispose();
  return svg;
}
