/**
 * Makes src/wire/generated from proto/*.proto: static encoders and decoders of the messages, and their types. Makes
 * only what is not newer than its sources. The build and the tests need the code; the static checks also need the
 * types, which take four times as long (--code leaves them out). Plain JavaScript, because it runs before anything is
 * built.
 */
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync } from 'node:fs';
import { renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const ROOT = join(dirname(fileURLToPath(import.meta.url)), '../..');
const PROTO = join(ROOT, 'proto');
const GENERATED = join(ROOT, 'src/wire/generated');
const CODE = join(GENERATED, 'messages.js');
const TYPES = join(GENERATED, 'messages.d.ts');
const MARK = '// Generated from proto/*.proto by src/cli/generate-messages.js. Do not edit.\n';

/** Options for the parts that the codec uses: encode, decode and the types. */
const FLAGS = (
  '--target static-module --wrap esm --root sluice --dependency protobufjs/minimal.js --null-semantics ' +
  '--no-create --no-verify --no-convert --no-delimited --no-typeurl --no-service'
).split(' ');

/** Makes the encoders and decoders when they are missing, or older than a source. */
export async function generateCodeIfNeeded() {
  if (isCodeCurrent()) return;
  replace(CODE, withoutOwnChecks(withPlainKinds(withoutLong(await generated('messages.js', '--no-comments')))));
}

/** The same with the types, which stand in the comments of the code. */
export async function generateIfNeeded() {
  await generateCodeIfNeeded();
  if (!isCurrent(TYPES)) replace(TYPES, withoutLong(await generated('messages.d.ts', '--dts')));
}

/** True when the encoders and decoders are newer than their sources. */
export function isCodeCurrent() {
  return isCurrent(CODE);
}

/** The installed package has no sources: its output is current. */
function isCurrent(output) {
  if (modifiedMs(PROTO) === 0) return true;
  // package.json has the versions of the packages.
  const sources = [fileURLToPath(import.meta.url), join(ROOT, 'package.json'), PROTO, ...protoFiles()];
  return modifiedMs(output) > Math.max(...sources.map(modifiedMs));
}

/** Two processes may do so at once. */
function replace(path, text) {
  mkdirSync(GENERATED, { recursive: true });
  const draft = `${path}.${process.pid}`;
  writeFileSync(draft, MARK + text);
  renameSync(draft, path);
}

/** Time of the latest change of a file; 0: there is none. */
export function modifiedMs(path) {
  return statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;
}

function protoFiles() {
  const names = readdirSync(PROTO).filter((name) => name.endsWith('.proto'));
  return names.sort().map((name) => join(PROTO, name));
}

/** The text of an output that pbjs makes with an additional option. */
async function generated(name, option) {
  const { pbjs } = await import('protobufjs-cli');
  const folder = mkdtempSync(join(tmpdir(), 'sluice-messages-'));
  try {
    await promisify(pbjs.main)([...FLAGS, option, '--out', join(folder, 'messages.js'), ...protoFiles()]);
    return readFileSync(join(folder, name), 'utf8');
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/**
 * Turns `kind` into a plain property. A decoder sets `message.kind = "childFilled"` when it reads a member of a
 * oneof. pbjs makes `kind` an accessor: its setter deletes every other member, and its getter searches all keys. That
 * takes a microsecond for each event. A plain property has the same value, which is the last member on the wire.
 */
function withPlainKinds(code) {
  const accessors = /\n( *\/\/ Virtual OneOf[^\n]*\n)? *\$Object\.defineProperty\([^;]*oneOfGetter[^;]*;\n/g;
  const plain = code
    .replace(accessors, '')
    .replace(/\n *let \$oneOfFields;\n/g, '')
    .replace(/\n *message\._\w+ = "\w+";/g, '');
  if (plain.includes('oneOf')) throw new Error('pbjs writes a oneof in another way than withPlainKinds knows');
  return plain;
}

/**
 * Removes the encoder's check that each field is the message's own. The codec encodes plain objects, and a default is
 * not written either way. The check took a quarter of the time.
 */
function withoutOwnChecks(code) {
  const plain = code.replace(/ && \$Object\.hasOwnProperty\.call\(message, "[\w$]+"\)/g, '');
  if (plain.includes('hasOwnProperty')) throw new Error('pbjs checks for own fields in another way than is known here');
  return plain;
}

/** No message has a 64-bit integer, so neither the code nor the types need `long`. */
function withoutLong(text) {
  const plain = text.replace('import Long = require("long");\n', '');
  if (plain.includes('Long'))
    throw new Error('a .proto has a 64-bit integer: use double, or text for what may exceed 2^53');
  return plain;
}

if (realpathSync(process.argv[1] ?? '.') === fileURLToPath(import.meta.url)) {
  await (process.argv.includes('--code') ? generateCodeIfNeeded() : generateIfNeeded());
}
