// Mutation testing: changes one operator, constant or branch at a time and runs the tests that should notice.
// Works on the tree it stands in, and puts every file back: run it in a copy.
// Usage: node tests/mutation/mutate.mjs [--seconds 300] [--seed 1] [--tests glob,glob] file.ts ...
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import ts from 'typescript';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    seconds: { type: 'string', default: '300' },
    seed: { type: 'string', default: '1' },
    tests: { type: 'string', default: 'tests/unit/xmd,tests/corpus,tests/acceptance/xmd/records.test.ts' },
  },
});
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
  '??': ['&&'],
  '+=': ['-='],
  '-=': ['+='],
};

const mutants = shuffled(
  positionals.flatMap((file) => mutantsOf(resolve(file))),
  Number(values.seed),
);
if (!passes()) throw new Error('The tests fail without a mutant');
let [killed, run] = [0, 0];
const began = performance.now();
for (const { file, start: from, end, line, was, text } of mutants) {
  if (performance.now() - began > Number(values.seconds) * 1000) break;
  run += 1;
  const original = readFileSync(file, 'utf8');
  try {
    writeFileSync(file, original.slice(0, from) + text + original.slice(end));
    if (!passes()) killed += 1;
    else process.stdout.write(`survived ${file}:${line}  ${was}  ->  ${text}\n`);
  } finally {
    writeFileSync(file, original);
  }
}
process.stdout.write(
  `${run} of ${mutants.length} mutants run, ${killed} killed: ${((100 * killed) / run).toFixed(1)} %\n`,
);

/** A process for each mutant: one that loops for ever ends at its time limit, and counts as killed. */
function passes() {
  const vitest = [
    'node_modules/vitest/vitest.mjs',
    'run',
    '--project',
    'fast',
    '--bail',
    '1',
    ...values.tests.split(','),
  ];
  return spawnSync(process.execPath, vitest, { stdio: 'ignore', timeout: 60_000, killSignal: 'SIGKILL' }).status === 0;
}

function mutantsOf(file) {
  const source = readFileSync(file, 'utf8');
  const tree = ts.createSourceFile(file, source, ts.ScriptTarget.Latest, true);
  const found = [];
  visit(tree);
  return found;

  function add(node, text) {
    const [start, end] = [node.getStart(tree), node.getEnd()];
    const line = tree.getLineAndCharacterOfPosition(start).line + 1;
    found.push({ file, start, end, line, was: source.slice(start, end).replaceAll(/\s+/g, ' ').slice(0, 80), text });
  }

  function visit(node) {
    if (ts.isTypeNode(node) || ts.isImportDeclaration(node) || ts.isInterfaceDeclaration(node)) return;
    if (ts.isBinaryExpression(node)) {
      const operator = node.operatorToken.getText(tree);
      for (const other of OPERATORS[operator] ?? []) {
        add(node, `(${node.left.getText(tree)} ${other} ${node.right.getText(tree)})`);
      }
    }
    if (ts.isPrefixUnaryExpression(node) && node.operator === ts.SyntaxKind.ExclamationToken)
      add(node, node.operand.getText(tree));
    if (ts.isNumericLiteral(node)) add(node, `${Number(node.text) + 1}`);
    if (ts.isStringLiteral(node) && !ts.isTypeNode(node.parent)) add(node, node.text === '' ? "'x'" : "''");
    if (node.kind === ts.SyntaxKind.TrueKeyword) add(node, 'false');
    if (node.kind === ts.SyntaxKind.FalseKeyword) add(node, 'true');
    if (ts.isIfStatement(node) || ts.isConditionalExpression(node)) {
      const condition = ts.isIfStatement(node) ? node.expression : node.condition;
      add(condition, 'true');
      add(condition, 'false');
    }
    if (ts.isReturnStatement(node) && node.expression !== undefined) add(node, 'return undefined;');
    ts.forEachChild(node, visit);
  }
}

function shuffled(list, seed) {
  let state = seed;
  return list
    .map((item) => [(state = (state * 1_103_515_245 + 12_345) % 0x7fff_ffff), item])
    .toSorted(([one], [other]) => one - other)
    .map(([, item]) => item);
}
