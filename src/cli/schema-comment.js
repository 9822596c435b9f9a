/** Comments of published types from JSON Schemas. Plain JavaScript, because it is part of the build. */

const PRINT_WIDTH = 120;

/** The comment before a field or a type; '' when the schema says nothing. */
export function commentOf(schema, indent) {
  if (schema === undefined) return '';
  const lines = [...(schema.description ?? '').split('\n'), ...factsOf(schema)].filter((line) => line !== '');
  const [only = ''] = lines;
  if (only === '') return '';
  const text = safe(only);
  if (lines.length === 1 && indent.length + text.length + '/**  */'.length <= PRINT_WIDTH)
    return `${indent}/** ${text} */\n`;
  const wrapped = lines.flatMap((line) => wrap(safe(line), PRINT_WIDTH - indent.length - ' * '.length));
  return `${indent}/**\n${wrapped.map((line) => `${indent} * ${line}\n`).join('')}${indent} */\n`;
}

/** Default, range, length and example, each as a sentence. */
function factsOf(schema) {
  const { default: fallback, examples = [], maxLength, maxItems, type } = schema;
  const facts = [
    fallback === undefined ? '' : `Default: ${JSON.stringify(fallback)}.`,
    rangeOf(schema),
    maxLength === undefined ? '' : `At most ${maxLength} characters.`,
    maxItems === undefined ? '' : `At most ${maxItems} entries.`,
    type === 'object' || examples.length === 0 ? '' : `Example: ${JSON.stringify(examples[0])}.`,
  ].filter((fact) => fact !== '');
  return facts.length === 0 ? [] : [facts.join(' ')];
}

function rangeOf({ minimum, maximum }) {
  const most = maximum === Number.MAX_SAFE_INTEGER ? undefined : maximum;
  if (minimum !== undefined && most !== undefined) return `Range: ${minimum} to ${most}.`;
  if (minimum !== undefined) return `At least ${minimum}.`;
  return most === undefined ? '' : `At most ${most}.`;
}

function safe(text) {
  return text.replaceAll('*/', '*\\/');
}

/** Breaks a line at blanks. The lines of a list entry are indented. */
function wrap(line, width) {
  const indent = line.startsWith('- ') ? '  ' : '';
  const lines = [];
  let current = '';
  for (const word of line.split(' ')) {
    if (current !== '' && current.trim() !== '' && current.length + 1 + word.length > width) {
      lines.push(current);
      current = indent + word;
    } else {
      current = current === '' ? word : `${current} ${word}`;
    }
  }
  return [...lines, current];
}
