import ts from 'typescript';

/** Names that bring a clock, chance, timers or I/O into code that must have none. */
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

/** Lists every place of a source file that is not pure: `line: what`. */
export function impurities(fileName: string, text: string): string[] {
  const source = ts.createSourceFile(fileName, text, ts.ScriptTarget.ES2022, true);
  const found: string[] = [];
  const report = (node: ts.Node, what: string): void => {
    found.push(`${source.getLineAndCharacterOfPosition(node.getStart()).line + 1}: ${what}`);
  };
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
    if (node.kind === ts.SyntaxKind.AsyncKeyword) report(node, 'async');
    if (ts.isAwaitExpression(node)) report(node, 'await');
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}

/** Not the name of a member or of a declared type, but the thing itself. */
function isReference(node: ts.Identifier): boolean {
  const { parent } = node;
  if (ts.isPropertyAccessExpression(parent) && parent.name === node) return false;
  if (ts.isPropertyAssignment(parent) && parent.name === node) return false;
  if (ts.isPropertySignature(parent) || ts.isPropertyDeclaration(parent) || ts.isMethodSignature(parent)) return false;
  return true;
}
