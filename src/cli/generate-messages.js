/**
 * Makes src/wire/generated from proto/*.proto: static encoders and decoders of the messages, and their types. Does
 * nothing when they are newer than their sources. The build, the tests and the static checks run it. Plain JavaScript,
 * because it runs before anything is built.
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
const OUTPUTS = ['messages.js', 'messages.d.ts'].map((name) => join(GENERATED, name));
const MARK = '// Generated from proto/*.proto by src/cli/generate-messages.js. Do not edit.\n';

/** Options for the parts that the codec uses: encode, decode and the types. */
const FLAGS = (
  '--target static-module --wrap esm --root sluice --dependency protobufjs/minimal.js --null-semantics ' +
  '--no-create --no-verify --no-convert --no-delimited --no-typeurl --no-service --dts'
).split(' ');

/** Makes the files when one is missing, or older than a source. Two processes may do so at once. */
export async function generateIfNeeded() {
  if (areMessagesCurrent()) return;
  const texts = await generate();
  mkdirSync(GENERATED, { recursive: true });
  OUTPUTS.forEach((path, index) => {
    const draft = `${path}.${process.pid}`;
    writeFileSync(draft, texts[index]);
    renameSync(draft, path);
  });
}

/** True when all files are newer than their sources. The installed package has no sources: its files are current. */
export function areMessagesCurrent() {
  if (modifiedMs(PROTO) === 0) return true;
  // package.json has the versions of the packages.
  const sources = [fileURLToPath(import.meta.url), join(ROOT, 'package.json'), PROTO, ...protoFiles()];
  return Math.min(...OUTPUTS.map(modifiedMs)) > Math.max(...sources.map(modifiedMs));
}

/** Time of the latest change of a file; 0: there is none. */
export function modifiedMs(path) {
  return statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;
}

function protoFiles() {
  const names = readdirSync(PROTO).filter((name) => name.endsWith('.proto'));
  return names.sort().map((name) => join(PROTO, name));
}

/** Texts of the outputs. */
async function generate() {
  const { pbjs } = await import('protobufjs-cli');
  const folder = mkdtempSync(join(tmpdir(), 'sluice-messages-'));
  try {
    await promisify(pbjs.main)([...FLAGS, '--out', join(folder, 'messages.js'), ...protoFiles()]);
    const [code, types] = ['messages.js', 'messages.d.ts'].map((name) => readFileSync(join(folder, name), 'utf8'));
    return [MARK + withoutOwnChecks(withPlainKinds(code)), MARK + withoutLong(types)];
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

/** No message has a 64-bit integer, so the types need no import of `long`. */
function withoutLong(types) {
  const plain = types.replace('import Long = require("long");\n', '');
  if (plain.includes('Long'))
    throw new Error('a .proto has a 64-bit integer: use double, or text for what may exceed 2^53');
  return plain;
}

if (realpathSync(process.argv[1] ?? '.') === fileURLToPath(import.meta.url)) await generateIfNeeded();
