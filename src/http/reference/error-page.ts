import { Components } from '../../api/document/components.js';
import { ERROR_CATALOGUE } from '../../api/document/error-catalogue.js';
import { REASON_MEANINGS } from '../../api/field/error-code.js';
import { ReasonDetail } from '../../api/order/reason.js';
import { Answer } from '../../api/stream/frame-schema.js';
import { REASONS } from '../../domain/reason.js';
import { code, inline } from './html.js';
import { definitions, type Entry, referencePage, type Section } from './reference-page.js';
import { partOf, schemaText } from './schema-text.js';

/** The catalogue of all codes for people, from the tables of codes. */
export function errorPage(): string {
  return referencePage({
    title: 'Error codes',
    lead: LEAD.map((line) => `<p>${inline(line)}</p>`).join('\n'),
    sections: [ERRORS, CAUSES, STREAMS, DECISIONS],
  });
}

const LEAD = [
  'A request that the service refuses has an HTTP status of 400 or more, and the body `{"error_code":…,"message":…,"request_id":…}`. The message names the field, its value and the rule.',
  'An order that cannot be placed is no error of HTTP: a create answers 201 with `"status": "REJECTED"`, and a change that cannot be made answers 200. Both have `error_code` and `message`. An order that ends early has them in its details and frames.',
  '**HTTP status** is that of a refused request, **In orders** says whether an order can have the code.',
];

const ERRORS: Section = {
  title: 'Errors',
  lead: `<p>${inline('`error_code` of answers, of orders and of their frames.')}</p>`,
  entries: ERROR_CATALOGUE.map((entry): Entry => ({
    id: entry.code,
    title: entry.code,
    isCode: true,
    body: `<p>${inline(entry.meaning)}</p>${definitions(
      [
        ['HTTP status', entry.statuses.length === 0 ? 'none' : entry.statuses.join(', ')],
        ['In orders', entry.isOfOrders ? 'yes' : 'no'],
        ['What to do', inline(entry.action)],
      ],
      'facts',
    )}`,
  })),
};

const CAUSES: Section = {
  title: 'Reasons of errors',
  lead: `<p>${inline('`reason` of answers and summaries, where a code has several causes.')}</p>`,
  entries: Object.entries(REASON_MEANINGS).map(([reason, meaning]) => entryOf(`reason-${reason}`, reason, meaning)),
};

/** `0: acknowledged. 7001: the stream ended.` as pairs. */
const STREAM_CODES = [...(Answer.properties.code.description ?? '').matchAll(/(\d+): (.+?\.)(?= \d|$)/g)];

const STREAMS: Section = {
  title: 'Codes of stream answers',
  lead: `<p>${inline('`code` of the answer to a subscription.')} The <a href="websocket#close-codes">close codes</a> are in the WebSocket reference.</p>`,
  entries: STREAM_CODES.map(([, number = '', meaning = '']) => entryOf(`stream-${number}`, number, meaning)),
};

const PARTS = new Components();
PARTS.place(ReasonDetail);

const DECISIONS: Section = {
  title: 'Reasons of child orders',
  lead: `<p>${inline('`reason` of a child order, of its cancel, or of a deliberate inaction. `detail` has the figures.')}</p>`,
  entries: [
    ...Object.entries(REASONS).map(([reason, { meaning, figures }]) => ({
      ...entryOf(`decision-${reason}`, reason, meaning),
      ...(figures.length > 0 && {
        body: `<p>${inline(meaning)}</p>${definitions([['Figures', figures.map(code).join(', ')]], 'facts')}`,
      }),
    })),
    {
      id: 'figures',
      title: 'Figures of detail',
      body: schemaText(partOf(PARTS.schemas['ReasonDetail'])),
    },
  ],
};

function entryOf(id: string, title: string, meaning: string): Entry {
  return { id, title, isCode: true, body: `<p>${inline(meaning)}</p>` };
}
