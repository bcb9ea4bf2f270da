import { isInvokeError } from '../../sdk/index.ts';
import type { Admission } from '../../controllers/xmd/admission/admission.ts';
import { readRecord } from '../../controllers/xmd/admission/read-record.ts';
import { compareLegacyRecord, isLegacyRecord } from '../../controllers/xmd/admission/legacy-record.ts';
import { encodeRecord } from '../../controllers/xmd/admission/record.ts';
import { isSameJson } from '../../controllers/xmd/admission/shape.ts';
import { checkText } from '../../controllers/xmd/preflight/check.ts';
import { readOutcome } from '../../controllers/xmd/performance/read-outcome.ts';
import { DEFAULT_PATH_LIMITS, pathLimits } from '../../controllers/xmd/values/path-limits.ts';
import { isPathPattern } from '../../controllers/xmd/values/path-pattern.ts';
import { readRelativePath } from '../../controllers/xmd/values/relative-path.ts';
import { readStrictJson } from '../../controllers/xmd/values/strict-json.ts';
import { LIMIT_CEILINGS, LIMIT_DEFAULTS } from '../../controllers/xmd/vocabulary/limits.ts';
import { policyOf } from '../../controllers/xmd/vocabulary/policy.ts';
import { buildTable } from '../../controllers/xmd/vocabulary/table.ts';
import { compileCel, CelSyntaxError } from '../../kernel/cel/expression.ts';
import type { Diagnostic } from '../../kernel/manifest/model.ts';
import { readDocuments } from '../../kernel/manifest/yaml-file.ts';
import { disagreement } from '../property/readers-agree.ts';

const TABLE = buildTable({ grants: ['read', 'write'], allow: ['read', 'write'] });
const AT = { file: '/m/telo.yaml', line: 1, column: 1 };
const LEGACY_CODES = ['ERR_XMD_RECORD_UNREADABLE', 'ERR_XMD_REFUSED', 'ERR_XMD_TEXT_CHANGED', 'ERR_XMD_POLICY_CHANGED'];
const ADMISSION: Admission = {
  text: '',
  allow: TABLE.allow,
  entries: TABLE.entries,
  retainedRoots: ['/w'],
  policy: policyOf({ table: TABLE, limits: LIMIT_DEFAULTS, root: '.' }),
  check: () => checkText('', TABLE, LIMIT_DEFAULTS),
};
const SCOPE = { a: 1, b: 2n, s: 'text', l: [1, 2], m: { k: 'v' } };

/** What holds of a reader for any input: nothing is thrown but what `target` says, and what it promises is true. */
export type Target = (input: string) => void | Promise<void>;

/** The readers of hostile input, each with the promise that fuzzing holds it to. */
export const TARGETS: Readonly<Record<string, Target>> = {
  fragment(text) {
    const difference = disagreement(text);
    if (difference !== undefined) throw new Error(`The two readers differ: ${JSON.stringify(difference)}`);
    const verdict = checkText(text, TABLE, LIMIT_CEILINGS);
    if (verdict.ok || (verdict.refusal.line >= 1 && verdict.refusal.column >= 1)) return;
    throw new Error('A refusal has no place');
  },
  record(text) {
    const value = parsed(text);
    only(['ERR_XMD_RECORD_UNREADABLE'], () => {
      const record = readRecord(value, 'p');
      if (record.decision === 'refused' && !isSameJson(value, encodeRecord(record))) {
        throw new Error('A record that was read is written otherwise');
      }
    });
    only(['ERR_XMD_RECORD_UNREADABLE'], () => readOutcome(value, 'p'));
    if (isLegacyRecord(value)) only(LEGACY_CODES, () => compareLegacyRecord(value, ADMISSION, 'p'));
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
      if (read !== '.' && DEFAULT_PATH_LIMITS.permits('read', read) && parts.some((part) => part.startsWith('.'))) {
        throw new Error('A name that begins with a dot is inside');
      }
      if (isPathPattern(read) && pathLimits({ read: { deny: [read] } }).permits('read', read)) {
        throw new Error('A path that is denied as it is written may be read');
      }
    }
  },
  json(text) {
    const read = readStrictJson(text, 0);
    if (read?.end !== text.length) return;
    const host: unknown = JSON.parse(text);
    if (JSON.stringify(host) !== JSON.stringify(read.value)) throw new Error('The strict reader reads another value');
  },
  async manifest(text) {
    const diagnostics: Diagnostic[] = [];
    const documents = await readDocuments({
      file: AT.file,
      text,
      report: (diagnostic) => diagnostics.push(diagnostic),
      includeText: () => text,
    });
    if (documents === undefined && diagnostics.length === 0) throw new Error('It is no manifest, and nothing says why');
    for (const { code, message, position } of diagnostics) {
      const placed = position.line >= 1 && position.column >= 1 && position.line <= text.split('\n').length + 1;
      if (!placed || code === '' || message === '') throw new Error(`A diagnostic without a place: ${code} ${message}`);
    }
    for (const document of documents ?? []) {
      document.position(['metadata', 'name']);
      if (diagnostics.length === 0 && document.canonical() === '') throw new Error('A document has no normal form');
    }
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

function only(codes: readonly string[], read: () => unknown): void {
  try {
    read();
  } catch (error) {
    if (isInvokeError(error) && codes.includes(error.code)) return;
    throw error;
  }
}
