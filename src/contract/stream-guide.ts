import type { TSchema } from '@sinclair/typebox';
import { BASE } from './field.js';
import { CLIENT_MESSAGES, SERVER_MESSAGES, STREAM_GUIDE, STREAM_PATH } from './asyncapi.js';

const VALUES_SHOWN_MAX = 4;

/** The streams in Markdown, for readers of the page, which shows operations only. */
export function streamGuideText(): string {
  return [
    `\`GET ${STREAM_PATH}\`, upgraded to a WebSocket; \`/asyncapi.json\` describes it to programs.`,
    STREAM_GUIDE,
    '### Sent by a client',
    ...CLIENT_MESSAGES.map(messageText),
    '### Sent by the service',
    ...SERVER_MESSAGES.map(messageText),
  ].join('\n\n');
}

function messageText(schema: TSchema): string {
  const { title = '', description = '', examples } = schema;
  const shown = ((examples ?? []) as readonly unknown[]).map((example) => `    ${JSON.stringify(example)}`);
  const table = ['| Field | Type | |', '|---|---|---|', ...fieldRows(schema, '')].join('\n');
  return [`**${title}.** ${description}`, ...(shown.length === 0 ? [] : [shown.join('\n')]), table].join('\n\n');
}

/** A row for each field; those of an object inside follow it, with its name before theirs. */
function fieldRows(schema: TSchema, prefix: string): string[] {
  const properties = (schema['properties'] ?? {}) as Readonly<Record<string, TSchema>>;
  const required = (schema['required'] ?? []) as readonly string[];
  return Object.entries(properties).flatMap(([name, field]) => {
    const optional = required.includes(name) ? '' : ', optional';
    const row = `| \`${prefix}${name}\` | ${typeText(field)}${optional} | ${wordsOf(field)} |`;
    return [row, ...fieldRows(field, `${prefix}${name}.`)];
  });
}

/** Short enumerations by their values, long ones by the name of the component that lists them. */
function typeText(field: TSchema): string {
  const names = field['enum'] as readonly string[] | undefined;
  if (names !== undefined)
    return names.length > VALUES_SHOWN_MAX ? (field.title ?? '') : names.map(codeText).join(', ');
  if (field['const'] !== undefined) return codeText(field['const']);
  const choices = field['anyOf'] as readonly TSchema[] | undefined;
  return choices === undefined ? (field['type'] as string) : choices.map(typeText).join(', ');
}

function codeText(value: unknown): string {
  return `\`${String(value)}\``;
}

/** In one line; what a named enumeration says of itself is read at its own place. */
function wordsOf(field: TSchema): string {
  const isOfItself = field['enum'] !== undefined && !(BASE in field);
  return isOfItself ? '' : (field.description ?? '').replaceAll('\n', ' ');
}
