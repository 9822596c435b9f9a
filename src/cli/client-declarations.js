/**
 * Writes the declarations of the published client. The types of messages derive from the schemas of the API. They are
 * written out as plain object types, so that a user of the package needs neither the schemas nor their library. The
 * schemas give each field its comment: meaning, unit, default and range. Plain JavaScript, because it is part of the
 * build.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { basename } from 'node:path';
import ts from 'typescript';
import { commentOf } from './schema-comment.js';

const MESSAGES = 'wire';
/** Type functions that derive a message from its schema. */
const DERIVATIONS = new Set(['Received', 'Sent']);
/** Types that only serve the derivations. */
const HELPERS = new Set([...DERIVATIONS, 'Frozen', 'Loose', 'OptionalOf']);

/** Writes a declaration file for each module of src/client. `base` is the symbol key of a described schema. */
export async function writeDeclarations(root, output, base) {
  const folder = `${root}src/client/`;
  const program = programOf(root, `${folder}index.ts`);
  const messages = await Messages.of(program, root, base);
  for (const source of program.getSourceFiles().filter(({ fileName }) => fileName.startsWith(folder))) {
    const name = basename(source.fileName).replace(/(\.d)?\.ts$/, '');
    const path = `${output}${name}.d.ts`;
    if (source.isDeclarationFile) writeFileSync(path, readFileSync(source.fileName));
    else program.emit(source, (_, text) => writeFileSync(path, name === MESSAGES ? messages.written(text) : text));
  }
}

function programOf(root, entry) {
  const { config } = ts.readConfigFile(`${root}tsconfig.json`, ts.sys.readFile);
  const { options } = ts.parseJsonConfigFileContent(config, ts.sys, root);
  const emitting = { noEmit: false, declaration: true, emitDeclarationOnly: true };
  return ts.createProgram([entry], { ...options, ...emitting });
}

/** The types of messages with their schemas. */
class Messages {
  #checker;
  #base;
  /** Type and schema of each derived message, by its name. */
  #derived = new Map();
  /** Names of the types of enumerations and texts, by the title of the schema. */
  #names = new Map();

  constructor(checker, base) {
    this.#checker = checker;
    this.#base = base;
  }

  static async of(program, root, base) {
    const source = program.getSourceFile(`${root}src/client/${MESSAGES}.ts`);
    const messages = new Messages(program.getTypeChecker(), base);
    const modules = await modulesOf(source, root);
    for (const statement of source.statements) {
      if (!ts.isTypeAliasDeclaration(statement)) continue;
      const schema = schemaOf(statement.type, modules);
      if (schema !== null) messages.#add(statement, schema);
    }
    return messages;
  }

  #add(alias, schema) {
    const name = alias.name.text;
    this.#derived.set(name, { type: this.#checker.getTypeAtLocation(alias.name), schema, at: alias });
    if (schema.title !== undefined && schema.type === 'string') this.#names.set(schema.title, name);
  }

  /** The emitted declarations with the written types, without the imports of schemas and without the helpers. */
  written(text) {
    const source = ts.createSourceFile(`${MESSAGES}.d.ts`, text, ts.ScriptTarget.ES2022, true);
    return source.statements
      .filter((statement) => !ts.isImportDeclaration(statement) && !HELPERS.has(statement.name?.text))
      .map((statement) => this.#statement(statement))
      .join('');
  }

  #statement(statement) {
    const full = statement.getFullText();
    const message = this.#derived.get(statement.name?.text);
    if (message === undefined) return full;
    const { type, schema, at } = message;
    const written = full.replace(statement.type.getText(), () => this.#type(type, schema, { at, indent: '' }));
    // The comment of the source says more than the description of the schema.
    if (ts.getLeadingCommentRanges(full, 0) !== undefined) return written;
    return `\n${commentOf(schema, '')}${written.trimStart()}`;
  }

  /** Writes a type of JSON: literals, unions, arrays, objects and records. Throws on any other type. */
  #type(type, schema, place) {
    const { Unknown, String, Number, Boolean, Null, Undefined, Never } = ts.TypeFlags;
    if ((type.flags & (Unknown | String | Number | Boolean | Null | Undefined | Never)) !== 0 || type.isLiteral())
      return this.#checker.typeToString(type);
    if (isBoolean(type)) return this.#checker.typeToString(type);
    if (type.isUnion()) return this.#union(type, schema, place);
    if (this.#checker.isTupleType(type) || this.#checker.isArrayType(type)) return this.#array(type, schema, place);
    if ((type.flags & ts.TypeFlags.Object) === 0 && !type.isIntersection())
      throw new Error(`no plain type for ${this.#checker.typeToString(type)}`);
    return this.#object(type, schema, place);
  }

  #array(type, schema, place) {
    const parts = this.#checker.getTypeArguments(type).map((part) => this.#value(part, schema?.items, place));
    return this.#checker.isTupleType(type) ? `readonly [${parts.join(', ')}]` : `readonly (${parts.join()})[]`;
  }

  /** `true | false` is boolean. */
  #union(type, schema, place) {
    const others = type.types.filter((part) => !isBoolean(part));
    const booleans = type.types.filter(isBoolean);
    const first = booleans.length === 2 ? ['boolean'] : booleans.map((part) => this.#checker.typeToString(part));
    return [...first, ...others.map((part) => this.#type(part, this.#branch(part, schema), place))].join(' | ');
  }

  /** The schema of a part of a union: the one with the same fields. */
  #branch(type, schema) {
    if (schema?.anyOf === undefined || schema.properties !== undefined) return schema;
    const names = this.#checker.getPropertiesOfType(type).map(({ name }) => name);
    return schema.anyOf.find(({ properties }) => properties !== undefined && names.every((name) => name in properties));
  }

  #object(type, schema, { at, indent }) {
    const place = { at, indent: `${indent}  ` };
    const records = this.#checker.getIndexInfosOfType(type).map((info) => {
      const of = Object.values(schema?.patternProperties ?? {})[0];
      const key = this.#checker.typeToString(info.keyType);
      return `${place.indent}readonly [name: ${key}]: ${this.#value(info.type, of, place)};\n`;
    });
    const members = this.#checker.getPropertiesOfType(type).map((member) => {
      const mark = (member.flags & ts.SymbolFlags.Optional) !== 0 ? '?' : '';
      const of = schema?.properties?.[member.name];
      const value = this.#value(this.#checker.getTypeOfSymbolAtLocation(member, at), of, place);
      const isNamed = value.split(' | ')[0] === this.#names.get(titleOf(of, this.#base));
      // The type with the name has the description, unless the field has its own one.
      const comment = isNamed && of[this.#base] === undefined ? '' : commentOf(of, place.indent);
      return `${comment}${place.indent}readonly ${member.name}${mark}: ${value};\n`;
    });
    return `{\n${[...records, ...members].join('')}${indent}}`;
  }

  /** The name of an enumeration or a text that has one, otherwise the type. */
  #value(type, schema, place) {
    const name = this.#names.get(titleOf(schema, this.#base));
    if (name === undefined) return this.#type(type, schema, place);
    const isUndefined = type.isUnion() && type.types.some(({ flags }) => (flags & ts.TypeFlags.Undefined) !== 0);
    return isUndefined ? `${name} | undefined` : name;
  }
}

function isBoolean(type) {
  return (type.flags & ts.TypeFlags.BooleanLiteral) !== 0;
}

function titleOf(schema, base) {
  return (schema?.[base] ?? schema)?.title;
}

/** The modules of the API that a source imports, by the local name: the export, or all exports of a namespace. */
async function modulesOf(source, root) {
  const names = new Map();
  for (const statement of source.statements.filter((one) => ts.isImportDeclaration(one))) {
    const path = statement.moduleSpecifier.text;
    if (!path.startsWith('../')) continue;
    const module = await import(`${root}dist/src/${path.slice('../'.length)}`);
    const { namedBindings: bindings } = statement.importClause;
    if (ts.isNamespaceImport(bindings)) names.set(bindings.name.text, module);
    else
      for (const { name, propertyName } of bindings.elements) names.set(name.text, module[(propertyName ?? name).text]);
  }
  return names;
}

/** The schema from which a type derives; null: it does not derive from one directly. */
function schemaOf(node, modules) {
  if (ts.isTypeReferenceNode(node) && DERIVATIONS.has(node.typeName.getText())) {
    const [argument] = node.typeArguments;
    return ts.isTypeQueryNode(argument) ? valueOf(argument.exprName, modules) : null;
  }
  if (!ts.isIndexedAccessTypeNode(node)) return null;
  return schemaOf(node.objectType, modules)?.items ?? null;
}

/** The value of a name like `schemas.OrderFrame`. */
function valueOf(name, modules) {
  return ts.isIdentifier(name) ? modules.get(name.text) : valueOf(name.left, modules)[name.right.text];
}
