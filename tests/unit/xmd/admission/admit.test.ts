import { describe, expect, it } from 'vitest';
import type { Admission } from '../../../../controllers/xmd/admission/admission.ts';
import { admit } from '../../../../controllers/xmd/admission/admit.ts';
import { readRecord } from '../../../../controllers/xmd/admission/read-record.ts';
import { encodeRecord } from '../../../../controllers/xmd/admission/record.ts';
import { checkText } from '../../../../controllers/xmd/preflight/check.ts';
import { LIMIT_DEFAULTS } from '../../../../controllers/xmd/vocabulary/limits.ts';
import { policyOf } from '../../../../controllers/xmd/vocabulary/policy.ts';
import { buildTable } from '../../../../controllers/xmd/vocabulary/table.ts';
import { MemoryRun } from '../../../support/memory-handle.ts';

const PATH = 'steps/a/generated_xmd';

function admission(text: string): { admission: Admission; checks: () => number } {
  const table = buildTable({ grants: ['read', 'write'], allow: ['read'] });
  let checks = 0;
  return {
    checks: () => checks,
    admission: {
      text,
      allow: table.allow,
      entries: table.entries,
      retainedRoots: [],
      policy: policyOf({ table, limits: LIMIT_DEFAULTS, root: '.' }),
      check: () => {
        checks += 1;
        return checkText(text, table, LIMIT_DEFAULTS);
      },
    },
  };
}

describe('admit', () => {
  it('EV-25 records one decision, and walks the text once in each process', async () => {
    const run = new MemoryRun();
    for (const _ of [0, 1]) {
      const { admission: asked, checks } = admission('<File path="a" />');
      const plan = await admit(asked, { handle: run.open(), path: PATH, occurrence: 0 });
      expect(plan.effects).toHaveLength(1);
      expect(checks()).toBe(1);
    }
    expect(run.counts.computed).toBe(1);
    expect(run.entries.get(PATH)).toMatchObject({ kind: 'decision', decision: 'value' });
  });

  it('EV-25 records a refusal as a value, and does not walk again to repeat it', async () => {
    const run = new MemoryRun();
    const first = admission('x <Nope />');
    const error = { code: 'ERR_XMD_REFUSED', data: { class: 'component', line: 1, column: 3 } };
    await expect(admit(first.admission, { handle: run.open(), path: PATH, occurrence: 0 })).rejects.toMatchObject(
      error,
    );
    const second = admission('another text, and a good one');
    await expect(admit(second.admission, { handle: run.open(), path: PATH, occurrence: 0 })).rejects.toMatchObject(
      error,
    );
    expect([first.checks(), second.checks()]).toEqual([1, 0]);
  });

  it('A-40 reads an untagged record for occurrence 0 only', async () => {
    const text = '<File path="a" />';
    const identity = '@executablemd/core#File:read';
    const record = {
      decision: 'admitted',
      source: text,
      named: [{ name: 'File', identity, form: 'self-closing' }],
      policy: {
        allow: ['read'],
        roots: ['r'],
        selectedRoot: 'r',
        allowed: [{ name: 'File', identity, forms: ['self-closing'] }],
        requests: [],
      },
    };
    const run = new MemoryRun();
    run.entries.set(PATH, { path: PATH, kind: 'decision', decision: 'value', text: JSON.stringify(record) });
    const asked = { ...admission(text).admission, retainedRoots: ['r'] };
    await expect(admit(asked, { handle: run.open(), path: PATH, occurrence: 0 })).resolves.toBeDefined();
    await expect(admit(asked, { handle: run.open(), path: PATH, occurrence: 1 })).rejects.toMatchObject({
      code: 'ERR_XMD_RECORD_UNREADABLE',
    });
  });

  it('A-30 names the first member of the policy that differs', async () => {
    const run = new MemoryRun();
    const asked = admission('prose').admission;
    await admit(asked, { handle: run.open(), path: PATH, occurrence: 0 });
    const moved = { ...asked, policy: { ...asked.policy, root: './other', paths: { under: 'x' } } };
    await expect(admit(moved, { handle: run.open(), path: PATH, occurrence: 0 })).rejects.toMatchObject({
      code: 'ERR_XMD_POLICY_CHANGED',
      data: { changed: 'paths', resumable: true },
    });
    const both = { ...moved, text: 'other' };
    await expect(admit(both, { handle: run.open(), path: PATH, occurrence: 0 })).rejects.toMatchObject({
      code: 'ERR_XMD_TEXT_CHANGED',
    });
  });
});

describe('the record', () => {
  const { admission: asked } = admission('');
  const record = { decision: 'admitted', occurrence: 2, text: 't', policy: asked.policy, named: [0] } as const;
  const refusal = { decision: 'refused', occurrence: 0, refusal: { class: 'block', line: 3, column: 4 } } as const;

  it('A-01 A-02 reads what it wrote', () => {
    expect(readRecord(encodeRecord(record), PATH)).toEqual(record);
    expect(readRecord(encodeRecord(refusal), PATH)).toEqual(refusal);
  });

  it('A-02 holds the entries that allow selected, and no others', () => {
    expect(asked.policy['allowed']).toMatchObject([{ name: 'File', forms: ['self-closing'] }]);
  });

  it('A-04 states its version and that of the reader, and reads no other', () => {
    const written = encodeRecord(record);
    expect(written).toMatchObject({ version: 2, reader: 1 });
    for (const other of [{ version: 1 }, { version: 3 }, { reader: 0 }, { reader: '1' }]) {
      expect(() => readRecord({ ...written, ...other }, PATH)).toThrow(
        expect.objectContaining({ code: 'ERR_XMD_RECORD_UNREADABLE' }),
      );
    }
  });

  it.each(Object.keys(encodeRecord(record)))('A-10 without %s it is unreadable', (member) => {
    const rest = Object.fromEntries(Object.entries(encodeRecord(record)).filter(([name]) => name !== member));
    expect(() => readRecord(rest, PATH)).toThrow(
      expect.objectContaining({
        code: 'ERR_XMD_RECORD_UNREADABLE',
        data: expect.objectContaining({ resumable: true }),
      }),
    );
  });
});
