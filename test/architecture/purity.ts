import ts from 'typescript';

/** Global names that give code a clock, randomness, timers or I/O. */
const FORBIDDEN_GLOBALS = new Set([
  'performance',
  'process',
  'setTimeout',
  'setInterval',
  'setImmediate',
  'queueMicrotask',
  'fetch',
  'Atomics',
  'SharedArrayBuffer',
  'Promise',
  'crypto',
  'console',
]);
const FORBIDDEN_MEMBERS = new Set(['Date.now', 'Math.random']);
/** A signature is a pure function of key and bytes. */
const ALLOWED_NODE_MODULES = new Set(['node:crypto']);
const FORBIDDEN_CRYPTO = new Set(['randomBytes', 'randomUUID', 'randomInt', 'webcrypto', 'getRandomValues']);

/** Lists every impure place of a source file as `line: what`. `mayCache`: calls may share an object of the module. */
export function impurities(fileName: string, text: string, mayCache = false): string[] {
  const source = ts.createSourceFile(fileName, text, ts.ScriptTarget.ES2022, true);
  const found: string[] = [];
  const report = (node: ts.Node, what: string): void => {
    found.push(`${source.getLineAndCharacterOfPosition(node.getStart()).line + 1}: ${what}`);
  };
  const names = namesOfModule(source);
  const visit = (node: ts.Node): void => {
    if (ts.isImportDeclaration(node) && ts.isStringLiteral(node.moduleSpecifier)) {
      const name = node.moduleSpecifier.text;
      if (name.startsWith('node:') && !ALLOWED_NODE_MODULES.has(name)) report(node, `import of ${name}`);
    }
    if (ts.isIdentifier(node) && isReference(node)) {
      if (FORBIDDEN_GLOBALS.has(node.text)) report(node, node.text);
      if (FORBIDDEN_CRYPTO.has(node.text)) report(node, node.text);
    }
    if (ts.isPropertyAccessExpression(node) && FORBIDDEN_MEMBERS.has(node.getText())) report(node, node.getText());
    if (ts.isNewExpression(node) && node.expression.getText() === 'Date' && (node.arguments?.length ?? 0) === 0) {
      report(node, 'new Date()');
    }
    const changed = mayCache ? null : changedObject(node, names);
    if (changed !== null) report(node, `change of ${changed}, which later calls share`);
    if (node.kind === ts.SyntaxKind.AsyncKeyword) report(node, 'async');
    if (ts.isAwaitExpression(node)) report(node, 'await');
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}

/** False for the name of a member or of a declared member. */
function isReference(node: ts.Identifier): boolean {
  const { parent } = node;
  if (ts.isPropertyAccessExpression(parent) && parent.name === node) return false;
  if (ts.isPropertyAssignment(parent) && parent.name === node) return false;
  if (ts.isPropertySignature(parent) || ts.isPropertyDeclaration(parent) || ts.isMethodSignature(parent)) return false;
  return true;
}

/** Names that the module imports or declares as constants. */
function namesOfModule(source: ts.SourceFile): ReadonlySet<string> {
  const names = new Set<string>();
  for (const statement of source.statements) {
    if (ts.isVariableStatement(statement)) {
      for (const { name } of statement.declarationList.declarations) if (ts.isIdentifier(name)) names.add(name.text);
    }
    const bindings = ts.isImportDeclaration(statement) ? statement.importClause?.namedBindings : undefined;
    if (bindings !== undefined && ts.isNamedImports(bindings)) {
      for (const { name } of bindings.elements) names.add(name.text);
    }
  }
  return names;
}

/** The object of the module that the expression changes, as in `TARGET.quantity = 1`; null when it changes none. */
function changedObject(node: ts.Node, names: ReadonlySet<string>): string | null {
  let target: ts.Node;
  if (ts.isBinaryExpression(node)) {
    const { kind } = node.operatorToken;
    if (kind < ts.SyntaxKind.FirstAssignment || kind > ts.SyntaxKind.LastAssignment) return null;
    target = node.left;
  } else if (ts.isPrefixUnaryExpression(node) || ts.isPostfixUnaryExpression(node)) {
    if (node.operator !== ts.SyntaxKind.PlusPlusToken && node.operator !== ts.SyntaxKind.MinusMinusToken) return null;
    target = node.operand;
  } else {
    return null;
  }
  while (
    ts.isPropertyAccessExpression(target) ||
    ts.isElementAccessExpression(target) ||
    ts.isNonNullExpression(target)
  ) {
    target = target.expression;
  }
  if (!ts.isIdentifier(target) || !names.has(target.text)) return null;
  // A statement outside every function runs once.
  return isLocal(target) || !isInFunction(node) ? null : target.text;
}

function isInFunction(node: ts.Node): boolean {
  for (let scope = node.parent; !ts.isSourceFile(scope); scope = scope.parent)
    if (ts.isFunctionLike(scope)) return true;
  return false;
}

/** True when an enclosing function has a parameter or a variable of that name. */
function isLocal({ text, parent }: ts.Identifier): boolean {
  for (let scope = parent; !ts.isSourceFile(scope); scope = scope.parent) {
    if (ts.isFunctionLike(scope) && scope.parameters.some(({ name }) => bindsName(name, text))) return true;
    if (!ts.isBlock(scope)) continue;
    const declarations = scope.statements.flatMap((one) =>
      ts.isVariableStatement(one) ? [...one.declarationList.declarations] : [],
    );
    if (declarations.some(({ name }) => bindsName(name, text))) return true;
  }
  return false;
}

function bindsName(name: ts.BindingName, text: string): boolean {
  if (ts.isIdentifier(name)) return name.text === text;
  return name.elements.some((element) => ts.isBindingElement(element) && bindsName(element.name, text));
}
