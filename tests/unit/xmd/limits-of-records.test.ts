import { expect, it } from 'vitest';
import { Scene } from '../../acceptance/xmd/scene.ts';
import { readRecord } from '../../../controllers/xmd/admission/read-record.ts';
import { MemoryRun } from '../../support/memory-handle.ts';

it('A-10 an element on record names an entry that is there: the last one is, the one behind it is not', async () => {
  const run = new MemoryRun();
  const scene = new Scene({ allow: ['read'], files: { f: 'x' } });
  await scene.process().evaluateIn(run.open(), { text: '<File path="f" />' });
  const record: unknown = run.value('steps/apply/generated_xmd');
  const naming = (index: number): unknown => ({ ...Object(record), named: [index] });

  expect(readRecord(naming(0), 'p')).toMatchObject({ decision: 'admitted', named: [0] });
  expect(() => readRecord(naming(1), 'p')).toThrow(expect.objectContaining({ code: 'ERR_XMD_RECORD_UNREADABLE' }));
});
