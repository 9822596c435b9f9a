import type { DocumentPart, Json } from '../../api/document/components.js';
import { asciiUpper } from '../../domain/letter-case.js';
import { blocks, code, escaped, inline, slug } from './html.js';
import { definitions, type Entry, referencePage, type Section } from './reference-page.js';
import { componentId, partOf, schemaText, textOf } from './schema-text.js';

/** A rule of a socket: an entry of its description, `- **Name**: text` or `- **Name** is the subject of the text`. */
interface Rule {
  readonly name: string;
  readonly text: string;
}

interface Socket {
  /** Key of the channel in the document. */
  readonly channel: 'stream' | 'trade';
  readonly title: string;
  /** Words before the rules. */
  readonly lead: string;
  readonly rules: readonly Rule[];
  readonly address: string;
}

const CLOSE_CODES = 'Close codes';

/** What a client does after a close, by code. */
const AFTER_CLOSE: Readonly<Record<string, string>> = {
  1001: 'Connect again after a pause that grows with each try. Subscribe with `resume_from`, or send `auth` with `resume`.',
  1008: 'The client broke a rule, or its key is no longer valid. Correct the client or the key before the next try.',
  1009: 'Send smaller frames: split a batch.',
  1013: 'Connect again, subscribe with `resume_from`, and read faster: less work for each frame, or fewer topics on a connection.',
};

/** The WebSocket reference for people, from the AsyncAPI document. */
export function webSocketPage(document: DocumentPart): string {
  const streams = socketOf(document, 'stream', 'Streams', partOf(document['info']));
  const trade = socketOf(document, 'trade', 'Order entry', channelOf(document, 'trade'));
  return referencePage({
    title: 'WebSocket reference',
    lead: `<p>Two sockets: ${addressLink(streams)} sends what happens to your orders and the market, ${addressLink(trade)} takes orders.
Every frame is JSON text. Programs read <a href="../asyncapi.json">asyncapi.json</a>.</p>`,
    sections: [
      topicSection(document),
      ruleSection(streams),
      messageSection(document, streams),
      ruleSection(trade),
      messageSection(document, trade),
      closeSection([streams, trade]),
      ...componentSections(document),
    ],
  });
}

function addressLink({ title, address }: Socket): string {
  return `<a href="#${slug(title)}">${code(address)}</a>`;
}

function channelOf(document: DocumentPart, name: Socket['channel']): DocumentPart {
  return partOf(partOf(document['channels'])[name]);
}

/** `described`: the part of the document whose description has the rules of the socket. */
function socketOf(document: DocumentPart, channel: Socket['channel'], title: string, described: DocumentPart): Socket {
  const lines = textOf(described['description']).split('\n');
  const rules = lines.flatMap((line) => {
    const [, name, text] = /^- \*\*(.+?)\*\*(.+)$/.exec(line) ?? [];
    if (name === undefined || text === undefined) return [];
    return [{ name, text: text.startsWith(': ') ? capitalized(text.slice(2)) : name + text }];
  });
  const lead = lines.filter((line) => !line.startsWith('- **')).join('\n');
  return { channel, title, lead, rules, address: textOf(channelOf(document, channel)['address']) };
}

function capitalized(text: string): string {
  return asciiUpper(text.slice(0, 1)) + text.slice(1);
}

/** The rules of a socket without its close codes, which have a section of their own. */
function ruleSection({ title, lead, rules, address }: Socket): Section {
  return {
    title,
    lead: `<p class="address">${code(`GET ${address}`)}, upgraded to a WebSocket</p>${blocks(lead)}`,
    entries: rules
      .filter(({ name }) => name !== CLOSE_CODES)
      .map(({ name, text }) => ({ id: slug(`${title} ${name}`), title: name, body: sentences(text) })),
  };
}

/** A long text as a list of its sentences and clauses, a short one as a paragraph. Parentheses stay whole. */
function sentences(text: string): string {
  const parts: string[] = [];
  for (const part of text.split(/(?<=[.;]) (?=\S)/)) {
    const last = parts.at(-1) ?? '';
    if (last.split('(').length > last.split(')').length) parts[parts.length - 1] = `${last} ${part}`;
    else parts.push(part);
  }
  return parts.length < 3
    ? `<p>${inline(text)}</p>`
    : `<ul>${parts.map((part) => `<li>${inline(part)}</li>`).join('')}</ul>`;
}

/** Messages of both directions. */
function messageSection(document: DocumentPart, { channel, title, address }: Socket): Section {
  return {
    title: `${title}: messages`,
    entries: [
      ...messagesOf(document, channel, 'receive').map((name) =>
        messageEntry(document, channel, name, 'Sent by a client'),
      ),
      ...messagesOf(document, channel, 'send').map((name) =>
        messageEntry(document, channel, name, 'Sent by the service'),
      ),
    ].filter(({ id }, index, all) => all.findIndex((other) => other.id === id) === index),
    lead: `<p>On ${code(address)}.</p>`,
  };
}

/** Names of the messages that the service receives or sends on a channel. */
function messagesOf(document: DocumentPart, channel: Socket['channel'], action: string): readonly string[] {
  const operations = Object.values(partOf(document['operations'])).map((one) => partOf(one));
  const own = operations.filter(
    (operation) =>
      operation['action'] === action && textOf(partOf(operation['channel'])['$ref']).endsWith(`/channels/${channel}`),
  );
  return own.flatMap((operation) =>
    ((operation['messages'] ?? []) as readonly Json[]).map((message) => lastName(partOf(message)['$ref'])),
  );
}

function lastName(reference: Json | undefined): string {
  const text = textOf(reference);
  return text.slice(text.lastIndexOf('/') + 1);
}

function messageOf(document: DocumentPart, name: string): DocumentPart {
  return partOf(partOf(partOf(document['components'])['messages'])[name]);
}

function schemaNamed(document: DocumentPart, name: string): DocumentPart {
  return partOf(partOf(partOf(document['components'])['schemas'])[name]);
}

function messageEntry(document: DocumentPart, channel: string, name: string, direction: string): Entry {
  const examples = (messageOf(document, name)['examples'] ?? []) as readonly Json[];
  const shown = examples.map((example) => exampleText(name, partOf(example)['payload'] ?? null));
  return {
    id: messageId(channel, name),
    title: name,
    isCode: true,
    body: `<p class="kind">${direction}</p>${schemaText(schemaNamed(document, name))}${shown.join('')}`,
  };
}

function messageId(channel: string, name: string): string {
  return slug(`${channel} ${name}`);
}

function exampleText(name: string, payload: Json): string {
  const label = `Example of ${escaped(name)}`;
  return `<pre role="region" tabindex="0" aria-label="${label}"><code>${escaped(JSON.stringify(payload, null, 1))}</code></pre>`;
}

/** One entry for each topic, from the frames whose `topic` is one value and the subscriptions that offer it. */
function topicSection(document: DocumentPart): Section {
  const subscriptions = messagesOf(document, 'stream', 'receive');
  const entries = messagesOf(document, 'stream', 'send').flatMap((name): Entry[] => {
    const schema = schemaNamed(document, name);
    const topic = textOf(partOf(partOf(schema['properties'])['topic'])['const']);
    const subscription = subscriptions.find((one) => topicsOf(document, one).includes(topic));
    if (topic === '' || subscription === undefined) return [];
    const rows = [
      ['Subscribe', messageLink(subscription)],
      ['Frame', messageLink(name)],
    ] as const;
    const body = `<p>${inline(textOf(schema['description']))}</p>${definitions(rows, 'facts')}`;
    return [{ id: `topic-${topic}`, title: topic, isCode: true, body }];
  });
  return { title: 'Topics', lead: `<p>${SUBSCRIBING}</p>`, entries };
}

const SUBSCRIBING = inline(
  'Connect with a listen key and send a subscription for each topic and exchange; market data also names a symbol.',
);

function messageLink(name: string): string {
  return `<a href="#${messageId('stream', name)}">${code(name)}</a>`;
}

/** The topics that a subscription offers. */
function topicsOf(document: DocumentPart, subscription: string): readonly Json[] {
  const topic = partOf(partOf(schemaNamed(document, subscription)['properties'])['topic']);
  const choices = schemaNamed(document, lastName(topic['$ref']))['enum'];
  return Array.isArray(choices) ? (choices as readonly Json[]) : [];
}

/** One entry for each close code, with its causes on each socket. */
function closeSection(sockets: readonly Socket[]): Section {
  const causes = sockets.flatMap((socket) => causesOf(socket).map(([number, cause]) => ({ socket, number, cause })));
  const numbers = [...new Set(causes.map(({ number }) => number))].toSorted(
    (one, other) => Number(one) - Number(other),
  );
  return {
    title: CLOSE_CODES,
    lead: `<p>${inline('A close with 1001 by the service follows a frame of topic `server`.')}</p>`,
    entries: numbers.map((number) => ({
      id: `close-${number}`,
      title: number,
      isCode: true,
      body: definitions(
        [
          ...causes
            .filter((one) => one.number === number)
            .map(({ socket, cause }) => [escaped(socket.title), inline(cause)] as const),
          ['What to do', inline(AFTER_CLOSE[number] ?? 'Connect again after a pause.')],
        ],
        'facts',
      ),
    })),
  };
}

/** Codes with their causes, from a rule like `1001 silence, 1008 no auth, a wrong key`. */
function causesOf({ rules }: Socket): readonly (readonly [code: string, cause: string])[] {
  const text = rules.find(({ name }) => name === CLOSE_CODES)?.text ?? '';
  return text.split(/,? (?=1\d{3} )|^(?=1\d{3} )/).flatMap((part) => {
    const [, number, cause] = /^(1\d{3}) (.*?)\.?$/.exec(part) ?? [];
    return number === undefined || cause === undefined ? [] : [[number, `${capitalized(cause)}.`] as const];
  });
}

/** Parts of messages, and enumerations. */
function componentSections(document: DocumentPart): readonly Section[] {
  const messages = Object.keys(partOf(partOf(document['components'])['messages']));
  const parts = Object.entries(partOf(partOf(document['components'])['schemas'])).filter(
    ([name]) => !messages.includes(name),
  );
  return [
    { title: 'Parts of messages', entries: parts.filter(hasFields).map(componentEntry) },
    { title: 'Values', entries: parts.filter((part) => !hasFields(part)).map(componentEntry) },
  ];
}

type Component = readonly [name: string, schema: Json];

function hasFields([, schema]: Component): boolean {
  return partOf(schema)['properties'] !== undefined;
}

function componentEntry([name, schema]: Component): Entry {
  return { id: componentId(name), title: name, isCode: true, body: schemaText(partOf(schema)) };
}
