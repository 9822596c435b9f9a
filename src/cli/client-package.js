/**
 * Makes the published client in dist/client: one module without the code of the service, and self-contained declarations.
 * The types of messages derive from the schemas of the API. Their declarations are written out as plain object types, so
 * that a user of the package needs neither the schemas nor their library. Plain JavaScript, because it is part of the build.
 */
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'rolldown';
import ts from 'typescript';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const OUTPUT = `${ROOT}dist/client/`;
const CLIENT = `${ROOT}src/client/`;
const MESSAGES = 'wire';
/** Type functions that derive a message from its schema. */
const DERIVATIONS = new Set(['Received', 'Sent']);
/** Types that only serve the derivations. */
const HELPERS = new Set([...DERIVATIONS, 'Frozen', 'Loose', 'OptionalOf']);

rmSync(OUTPUT, { recursive: true, force: true });
mkdirSync(OUTPUT, { recursive: true });
await build({
  input: `${ROOT}dist/src/client/index.js`,
  external: ['ws'],
  platform: 'node',
  output: { file: `${OUTPUT}index.js` },
});
writeDeclarations();

function writeDeclarations() {
  const { options } = ts.parseJsonConfigFileContent(
    ts.readConfigFile(`${ROOT}tsconfig.json`, ts.sys.readFile).config,
    ts.sys,
    ROOT,
  );
  const program = ts.createProgram([`${CLIENT}index.ts`], {
    ...options,
    noEmit: false,
    declaration: true,
    emitDeclarationOnly: true,
    incremental: false,
  });
  const sources = program.getSourceFiles().filter(({ fileName }) => fileName.startsWith(CLIENT));
  for (const source of sources) {
    const name = basename(source.fileName).replace(/(\.d)?\.ts$/, '');
    if (source.isDeclarationFile) writeFileSync(`${OUTPUT}${name}.d.ts`, readFileSync(source.fileName));
    else
      program.emit(source, (_path, text) => writeFileSync(`${OUTPUT}${name}.d.ts`, declarationOf(name, text, program)));
  }
}

function declarationOf(name, text, program) {
  return name === MESSAGES ? withoutSchemas(text, typesOf(program)) : text;
}

/** Messages as plain object types, by the name of their alias. */
function typesOf(program) {
  const checker = program.getTypeChecker();
  const source = program.getSourceFile(`${CLIENT}${MESSAGES}.ts`);
  const derived = source.statements.filter(
    (statement) => ts.isTypeAliasDeclaration(statement) && isDerived(statement.type),
  );
  return new Map(
    derived.map((alias) => [alias.name.text, typeText(checker, checker.getTypeAtLocation(alias.name), alias)]),
  );
}

function isDerived(node) {
  if (ts.isTypeReferenceNode(node) && DERIVATIONS.has(node.typeName.getText()))
    return node.typeArguments[0].kind === ts.SyntaxKind.TypeQuery;
  return ts.forEachChild(node, (child) => isDerived(child) || undefined) === true;
}

/** The emitted declarations with the written types, without the imports of schemas and without the helpers. */
function withoutSchemas(text, types) {
  const source = ts.createSourceFile('wire.d.ts', text, ts.ScriptTarget.ES2022, true);
  return source.statements
    .filter((statement) => !ts.isImportDeclaration(statement) && !HELPERS.has(statement.name?.text))
    .map((statement) => {
      const type = types.get(statement.name?.text);
      const full = statement.getFullText();
      return type === undefined ? full : full.replace(statement.type.getText(), () => type);
    })
    .join('');
}

/** Writes a type of JSON: literals, unions, arrays, objects and records. Throws on any other type. */
function typeText(checker, type, at, indent = '') {
  const inner = `${indent}  `;
  const write = (part, into = inner) => typeText(checker, part, at, into);
  const { Unknown, String, Number, Boolean, Null, Undefined, Never } = ts.TypeFlags;
  if ((type.flags & (Unknown | String | Number | Boolean | Null | Undefined | Never)) !== 0 || type.isLiteral())
    return checker.typeToString(type);
  if (isBoolean(type)) return checker.typeToString(type);
  if (type.isUnion()) return unionText(checker, type, (part) => write(part, indent));
  if (checker.isTupleType(type) || checker.isArrayType(type)) {
    const parts = checker.getTypeArguments(type).map((part) => write(part, indent));
    return checker.isTupleType(type) ? `readonly [${parts.join(', ')}]` : `readonly (${parts.join()})[]`;
  }
  if ((type.flags & ts.TypeFlags.Object) === 0 && !type.isIntersection())
    throw new Error(`no plain type for ${checker.typeToString(type)}`);
  const records = checker
    .getIndexInfosOfType(type)
    .map((info) => `${inner}readonly [name: ${write(info.keyType)}]: ${write(info.type)};\n`);
  const members = checker.getPropertiesOfType(type).map((member) => {
    const mark = (member.flags & ts.SymbolFlags.Optional) !== 0 ? '?' : '';
    return `${inner}readonly ${member.name}${mark}: ${write(checker.getTypeOfSymbolAtLocation(member, at))};\n`;
  });
  return `{\n${[...records, ...members].join('')}${indent}}`;
}

function isBoolean(type) {
  return (type.flags & ts.TypeFlags.BooleanLiteral) !== 0;
}

/** `true | false` is boolean. */
function unionText(checker, { types }, write) {
  const others = types.filter((part) => !isBoolean(part)).map(write);
  const booleans = types.filter(isBoolean);
  const first = booleans.length === 2 ? ['boolean'] : booleans.map(write);
  return [...first, ...others].join(' | ');
}
