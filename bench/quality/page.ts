import { costChart, executionChart } from './chart.js';
import type { Observations } from './observation.js';
import { titleOf, type Answer } from './question.js';
import type { Specimen } from './specimen.js';

export interface QualityReport {
  readonly observations: readonly Observations[];
  readonly answers: readonly Answer[];
  readonly specimens: readonly Specimen[];
}

const STYLE = `
  body { font: 15px/1.5 system-ui, sans-serif; max-width: 1120px; margin: 2rem auto; padding: 0 1rem; color: #1f2328; }
  table { border-collapse: collapse; } td, th { padding: .2rem .8rem; text-align: right; border-bottom: 1px solid #d8dee4; }
  td:first-child, th:first-child { text-align: left; } .better { color: #1a7f37; } .worse { color: #cf222e; }
  h2 { margin-top: 3rem; } svg { display: block; }`;

/** One file that needs nothing else: costs by policy, what was asked of them, and orders as they went. */
export function qualityPage({ observations, answers, specimens }: QualityReport): string {
  return [
    '<!doctype html><html lang="en"><meta charset="utf-8"><title>Execution quality</title>',
    `<style>${STYLE}</style><h1>Execution quality</h1>`,
    '<p>The same order in the same windows, once to buy and once to sell: all-in cost against the mid when it was placed,',
    'fees and the unfilled rest included, in basis points; less is better.</p>',
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
  const rows = answers.map(({ difference: { mean, low, high, count }, verdict, ...question }) => {
    const cells = [titleOf(question), mean.toFixed(3), `${low.toFixed(3)} … ${high.toFixed(3)}`, String(count)];
    const row = cells.map((cell) => `<td>${escaped(cell)}</td>`).join('');
    return `<tr>${row}<td class="${verdict.replaceAll(' ', '-')}">${verdict}</td></tr>`;
  });
  return `<table><tr><th>paired difference<th>mean, bps<th>95 %<th>windows<th></tr>${rows.join('\n')}</table>`;
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
}
