import { isInvokeError } from '../../sdk/index.ts';
import { readRecord } from '../../controllers/xmd/admission/read-record.ts';
import { isLegacyRecord } from '../../controllers/xmd/admission/legacy-record.ts';
import { checkText } from '../../controllers/xmd/preflight/check.ts';
import { readOutcome } from '../../controllers/xmd/performance/read-outcome.ts';
import { readRelativePath } from '../../controllers/xmd/values/relative-path.ts';
import { readStrictJson } from '../../controllers/xmd/values/strict-json.ts';
import { LIMIT_CEILINGS } from '../../controllers/xmd/vocabulary/limits.ts';
import { buildTable } from '../../controllers/xmd/vocabulary/table.ts';
import { compileCel, CelSyntaxError } from '../../kernel/cel/expression.ts';

const TABLE = buildTable({ grants: ['read', 'write'], allow: ['read', 'write'] });
const AT = { file: '/m/telo.yaml', line: 1, column: 1 };
const SCOPE = { a: 1, b: 2n, s: 'text', l: [1, 2], m: { k: 'v' } };

/** What holds of a reader for any input: nothing is thrown but what `target` says, and what it promises is true. */
export type Target = (input: string) => void;

/** The readers of hostile input, each with the promise that fuzzing holds it to. */
export const TARGETS: Readonly<Record<string, Target>> = {
  fragment(text) {
    const verdict = checkText(text, TABLE, LIMIT_CEILINGS);
    if (verdict.ok || (verdict.refusal.line >= 1 && verdict.refusal.column >= 1)) return;
    throw new Error('A refusal has no place');
  },
  record(text) {
    const value = parsed(text);
    isLegacyRecord(value);
    for (const read of [readRecord, readOutcome]) only('ERR_XMD_RECORD_UNREADABLE', () => read(value, 'p'));
  },
  path(text) {
    for (const kind of ['file', 'directory'] as const) {
      const read = readRelativePath(text, kind);
      if (read === undefined) continue;
      const parts = read.split('/');
      if (read.startsWith('/') || parts.includes('..') || parts.includes('') || /[\0\\]/.test(read)) {
        throw new Error(`The path check lets ${JSON.stringify(text)} pass`);
      }
      if (readRelativePath(read, kind) !== read) throw new Error('A path that was read is read otherwise again');
    }
  },
  json(text) {
    const read = readStrictJson(text, 0);
    if (read?.end !== text.length) return;
    const host: unknown = JSON.parse(text);
    if (JSON.stringify(host) !== JSON.stringify(read.value)) throw new Error('The strict reader reads another value');
  },
  cel(text) {
    let expression;
    try {
      expression = compileCel(text, AT);
    } catch (error) {
      if (error instanceof CelSyntaxError) return;
      throw error;
    }
    try {
      expression.evaluate(SCOPE);
    } catch (error) {
      if (error instanceof Error && error.message.startsWith('Expression ${{ ')) return;
      throw error;
    }
  },
};

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return text;
    throw error;
  }
}

function only(code: string, read: () => unknown): void {
  try {
    read();
  } catch (error) {
    if (isInvokeError(error) && error.code === code) return;
    throw error;
  }
}
