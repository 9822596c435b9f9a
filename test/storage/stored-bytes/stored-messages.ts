import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import protobuf from 'protobufjs';

const PROTO = join(import.meta.dirname, '../../../proto');
const PACKAGE = 'sluice.v1';
/** Messages that are stored: the payload of a journal entry, and the state of an order. */
const STORED = ['EventEnvelope', 'ParentState'];

/**
 * One line for each field and each enum value of all stored messages, in a fixed order. The text changes with every
 * change of the stored bytes or of their names.
 */
export function storedMessages(): string {
  const root = new protobuf.Root();
  root.resolvePath = (_origin, target) => join(PROTO, target.split('/').at(-1)!);
  root.loadSync(
    readdirSync(PROTO)
      .filter((name) => name.endsWith('.proto'))
      .sort(),
    { keepCase: true },
  );
  root.resolveAll();
  const namespace = root.lookup(PACKAGE) as protobuf.Namespace;
  const lines = new Map<string, string[]>();
  const add = (type: protobuf.Type | protobuf.Enum): void => {
    if (lines.has(type.name)) return;
    if (type instanceof protobuf.Enum) {
      lines.set(
        type.name,
        Object.entries(type.values).map(([name, value]) => `${type.name} ${value} ${name}`),
      );
      return;
    }
    const fields = type.fieldsArray.toSorted((one, other) => one.id - other.id);
    lines.set(
      type.name,
      fields.map(({ id, type: kind, name, repeated, partOf }) => {
        const marks = [repeated ? 'repeated' : '', partOf === null ? '' : `in ${partOf.name}`].filter(Boolean);
        return [type.name, id, kind, name, ...marks].join(' ');
      }),
    );
    for (const { resolvedType } of fields) if (resolvedType !== null) add(resolvedType);
  };
  for (const name of STORED) add(namespace.lookupType(name));
  return `${[...lines.keys()]
    .sort()
    .flatMap((name) => lines.get(name)!)
    .join('\n')}\n`;
}
