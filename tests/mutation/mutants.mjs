// The changes that mutation testing makes to a source file: one operator, constant, pattern, branch or statement each.
import { readFileSync } from 'node:fs';
import ts from 'typescript';

const OPERATORS = {
  '===': ['!=='],
  '!==': ['==='],
  '<': ['<=', '>='],
  '<=': ['<', '>'],
  '>': ['>=', '<='],
  '>=': ['>', '<'],
  '&&': ['||'],
  '||': ['&&'],
  '+': ['-'],
  '-': ['+'],
  '*': ['/'],
  '??': ['&&'],
  '+=': ['-='],
  '-=': ['+='],
};
const METHODS = {
  some: 'every',
  every: 'some',
  startsWith: 'endsWith',
  endsWith: 'startsWith',
  indexOf: 'lastIndexOf',
  lastIndexOf: 'indexOf',
};
/** Of a regular expression: an anchor or `?` is left out, a repetition asks for one more or one less. */
const PATTERN_PARTS = [
  [/(?<!\\)(?<!\[)\^/g, ''],
  [/(?<!\\)\$/g, ''],
  [/(?<![\\(])\*/g, '+'],
  [/(?<![\\(])\+/g, '*'],
  [/(?<![\\(])\?(?![:=!<])/g, ''],
  [/\(\?=/g, '(?!'],
  [/\(\?!/g, '(?='],
  [/\(\?<!/g, '(?<='],
];

/** Every mutant of a file: `[start, end)` of the source becomes `text`. */
export function mutantsOf(file) {
  const source = readFileSync(file, 'utf8');
  const tree = ts.createSourceFile(file, source, ts.ScriptTarget.Latest, true);
  const found = [];
  visit(tree);
  return found;

  function add(node, text) {
    const [start, end] = [node.getStart(tree), node.getEnd()];
    const line = tree.getLineAndCharacterOfPosition(start).line + 1;
    found.push({ file, start, end, line, was: short(source.slice(start, end)), text });
  }

  function visit(node) {
    if (ts.isTypeNode(node) || ts.isImportDeclaration(node) || ts.isInterfaceDeclaration(node)) return;
    if (ts.isTypeAliasDeclaration(node)) return;
    for (const text of changesOf(node, tree)) if (text !== node.getText(tree)) add(node, text);
    ts.forEachChild(node, visit);
  }
}

function* changesOf(node, tree) {
  if (ts.isBinaryExpression(node)) {
    for (const other of OPERATORS[node.operatorToken.getText(tree)] ?? []) {
      yield `(${node.left.getText(tree)} ${other} ${node.right.getText(tree)})`;
    }
  }
  if (ts.isPrefixUnaryExpression(node) && node.operator === ts.SyntaxKind.ExclamationToken) {
    yield node.operand.getText(tree);
  }
  if (ts.isNumericLiteral(node)) yield String(Number(node.getText(tree).replaceAll('_', '')) + 1);
  if (ts.isStringLiteral(node)) yield node.text === '' ? "'x'" : "''";
  if (ts.isTemplateExpression(node)) yield '``';
  if (node.kind === ts.SyntaxKind.TrueKeyword) yield 'false';
  if (node.kind === ts.SyntaxKind.FalseKeyword) yield 'true';
  if (ts.isReturnStatement(node) && node.expression !== undefined) yield 'return undefined;';
  if (ts.isExpressionStatement(node)) yield ';';
  if (ts.isContinueStatement(node) || ts.isBreakStatement(node)) yield ';';
  if (ts.isIdentifier(node) && ts.isPropertyAccessExpression(node.parent) && Object.hasOwn(METHODS, node.text)) {
    yield METHODS[node.text];
  }
  if (isCondition(node)) yield* ['true', 'false'];
  if (ts.isRegularExpressionLiteral(node)) yield* patternsNear(node.text);
}

function isCondition(node) {
  const { parent } = node;
  if (parent === undefined) return false;
  return (
    (ts.isIfStatement(parent) && parent.expression === node) ||
    (ts.isConditionalExpression(parent) && parent.condition === node)
  );
}

function* patternsNear(literal) {
  const last = literal.lastIndexOf('/');
  const [pattern, flags] = [literal.slice(1, last), literal.slice(last + 1)];
  for (const [part, instead] of PATTERN_PARTS) {
    for (const { 0: was, index } of pattern.matchAll(part)) {
      const changed = pattern.slice(0, index) + instead + pattern.slice(index + was.length);
      if (isPattern(changed, flags)) yield `/${changed}/${flags}`;
    }
  }
  if (flags.includes('i')) yield `/${pattern}/${flags.replace('i', '')}`;
}

function isPattern(pattern, flags) {
  try {
    return pattern !== '' && new RegExp(pattern, flags).flags === flags;
  } catch (error) {
    if (error instanceof SyntaxError) return false;
    throw error;
  }
}

function short(text) {
  return text.replaceAll(/\s+/g, ' ').slice(0, 90);
}
