import { expect, it } from 'vitest';
import { takeApproval } from '../../../../controllers/xmd/stated-approval.ts';

const DIGEST = `sha256:${'0'.repeat(64)}.${'1'.repeat(64)}`;
const resource = (more: object = {}) => ({ kind: 'Xmd.Evaluate', metadata: { name: 'apply' }, ...more });

it('AP-01 an approval is stated by the step or by the resource, and by one of them alone', () => {
  expect(takeApproval({ text: 't', approved: DIGEST }, resource())).toEqual({
    approved: DIGEST,
    inputs: { text: 't' },
  });
  expect(takeApproval({ text: 't' }, resource({ approved: DIGEST }))).toEqual({
    approved: DIGEST,
    inputs: { text: 't' },
  });
  expect(takeApproval(undefined, resource())).toEqual({ inputs: undefined });
  const twice = () => takeApproval({ approved: DIGEST }, resource({ approved: DIGEST }));
  expect(twice).toThrow(expect.objectContaining({ code: 'ERR_XMD_INPUT' }));
});
