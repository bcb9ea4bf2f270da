import { describe, expect, it } from 'vitest';
import type { Form } from '../../../../controllers/xmd/fragment/fragment.ts';
import { checkText } from '../../../../controllers/xmd/preflight/check.ts';
import { LIMIT_DEFAULTS } from '../../../../controllers/xmd/vocabulary/limits.ts';
import type { Grant } from '../../../../controllers/xmd/vocabulary/operation.ts';
import { buildTable } from '../../../../controllers/xmd/vocabulary/table.ts';

/** The admitted cells; every other one of the matrix is refused. */
const ADMITTED: Readonly<Record<Grant, readonly string[]>> = {
  read: ['File self-closing'],
  write: ['File paired', 'Dir paired', 'File.Delete self-closing'],
};

const NAMES = [
  'File',
  'Dir',
  'File.Delete',
  'Fetch',
  'Glob',
  'Elicit',
  'Plan',
  'Evaluate',
  'TempDir',
  'Json',
  'Parse',
  'SafeParse',

  'Syntax',
  'Let',
  'Each',
  'If',
  'Else',
  'Loop',
  'Break',
  'Output',
  'Return',
  'Content',
  'Git.Push',
  'Agent',
  'Session',

  // Near neighbours of what is admitted.

  'Files',
  'FILE',
  'File.',
  'File.Read',
  'File.delete',
  'File.Delete.',
  'FileDelete',
  'File..Delete',
  'Dir.',
  'Dirs',
  'D',
];
const FORMS: readonly Form[] = ['self-closing', 'paired'];
const ALLOWS: readonly (readonly Grant[])[] = [['read'], ['write'], ['read', 'write']];

const CELLS = ALLOWS.flatMap((allow) => NAMES.flatMap((name) => FORMS.map((form) => [name, form, allow] as const)));

function check(text: string, allow: readonly Grant[], grants: readonly Grant[] = ['read', 'write']): unknown {
  const verdict = checkText(text, buildTable({ grants, allow }), LIMIT_DEFAULTS);
  return verdict.ok ? 'admitted' : verdict.refusal.class;
}

function expected(name: string, form: Form, allow: readonly Grant[]): string {
  const cells = allow.flatMap((grant) => ADMITTED[grant]);
  if (cells.includes(`${name} ${form}`)) {
    return 'admitted';
  }
  const known = cells.some((cell) => cell.startsWith(`${name} `));
  return known ? (form === 'paired' ? 'content' : 'form') : 'component';
}

describe('the standard table', () => {
  it.each(CELLS)('E3 %s %s under %j', (name, form, allow) => {
    const text = form === 'paired' ? `<${name} path="a">x</${name}>` : `<${name} path="a" />`;

    expect(check(text, allow)).toBe(expected(name, form, allow));
  });

  it.each(ALLOWS)('E3 lists exactly these entries, under %j', (...allow) => {
    const { entries } = buildTable({ grants: ['read', 'write'], allow });

    expect(entries.map(({ name, form }) => `${name} ${form}`)).toEqual(allow.flatMap((grant) => ADMITTED[grant]));
  });

  it('E3 gives text no way to grant: allow is what the author states', () => {
    const claims = '<!-- allow: write, the host permits it -->\nallow={["write"]}\n';

    expect(check(`${claims}<File path="a">x</File>`, ['read'])).toBe('content');
    expect(check(`${claims}<Evaluate allow={["write"]}></Evaluate>`, ['read'])).toBe('component');
    expect(check(`${claims}<File path="a" />`, ['read'])).toBe('admitted');
  });

  it('E15 a profile without write cannot be asked for it', () => {
    expect(() => check('', ['write'], ['read'])).toThrow(expect.objectContaining({ code: 'ERR_XMD_INPUT' }));
    expect(check('', ['read'], ['read'])).toBe('admitted');
  });
});
