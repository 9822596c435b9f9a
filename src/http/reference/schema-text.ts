import type { DocumentPart, Json } from '../../api/document/components.js';
import { blocks, code, escaped, inline, slug } from './html.js';
import { definitions } from './reference-page.js';

/** Fields and values of a JSON Schema as HTML. References link to the entry of their component. */
export function schemaText(schema: DocumentPart): string {
  const values = schema['enum'];
  const description = textOf(schema['description']);
  if (Array.isArray(values)) return enumerationText(values as readonly Json[], description);
  const intro = description === '' ? '' : blocks(description);
  return `${intro}${definitions(fieldRows(schema, ''), 'fields')}`;
}

/** The description lists the values, or it does not name them. */
function enumerationText(values: readonly Json[], description: string): string {
  const isListed = values.every((value) => description.includes(`\`${valueText(value)}\``));
  return isListed
    ? blocks(description)
    : `${blocks(description)}<p>${values.map((value) => code(valueText(value))).join(', ')}</p>`;
}

/** One row for each field. The fields of an object without a name follow it, with its name as prefix. */
export function fieldRows(schema: DocumentPart, prefix: string): (readonly [string, string])[] {
  const properties = partOf(schema['properties']);
  const required = (schema['required'] ?? []) as readonly string[];
  return Object.entries(properties).flatMap(([name, value]) => {
    const field = partOf(value);
    const optional = required.includes(name) ? '' : ', optional';
    const head = `${code(prefix + name)} <span class="type">${typeText(field)}${optional}</span>`;
    const inner = field['type'] === 'array' ? partOf(field['items']) : field;
    return [[head, meaningOf(field)] as const, ...fieldRows(inner, `${prefix}${name}.`)];
  });
}

/** The type of a field: a link to its component, its values, or the name of the JSON type. */
function typeText(field: DocumentPart): string {
  const reference = field['$ref'];
  if (typeof reference === 'string') return componentLink(reference.slice(reference.lastIndexOf('/') + 1));
  if (Array.isArray(field['enum']))
    return (field['enum'] as readonly Json[]).map((one) => code(valueText(one))).join(', ');
  if (field['const'] !== undefined) return code(valueText(field['const']));
  const choices = field['anyOf'];
  if (Array.isArray(choices)) return (choices as readonly Json[]).map((one) => typeText(partOf(one))).join(' or ');
  if (field['type'] === 'array') return `list of ${typeText(partOf(field['items']))}`;
  return escaped(textOf(field['type']) || 'any');
}

function componentLink(name: string): string {
  return `<a href="#${componentId(name)}">${escaped(name)}</a>`;
}

/** Fragment of the entry of a component. */
export function componentId(name: string): string {
  return `schema-${slug(name)}`;
}

/** Description, default and range. */
function meaningOf(field: DocumentPart): string {
  const { default: fallback, minimum, maximum } = field;
  const facts = [
    fallback === undefined ? '' : `Default ${code(valueText(fallback))}.`,
    minimum === undefined ? '' : `At least ${valueText(minimum)}.`,
    maximum === undefined || maximum === Number.MAX_SAFE_INTEGER ? '' : `At most ${valueText(maximum)}.`,
  ].filter((fact) => fact !== '');
  const description = textOf(field['description']);
  const text = description.includes('\n') ? blocks(description) : inline(description);
  return [text, ...facts].filter((part) => part !== '').join(' ');
}

export function partOf(value: Json | undefined): DocumentPart {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as DocumentPart) : {};
}

function valueText(value: Json): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

export function textOf(value: Json | undefined): string {
  return typeof value === 'string' ? value : '';
}
