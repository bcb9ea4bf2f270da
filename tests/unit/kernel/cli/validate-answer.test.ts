import { expect, it } from 'vitest';
import { validateAnswer } from '../../../../kernel/cli/validate-answer.ts';

it('CL-07 says in a line each what is wrong with an answer, and nothing of one that fits', () => {
  const schema = { type: 'object', required: ['agreed'], properties: { agreed: { type: 'boolean' } } };
  expect(validateAnswer(schema, { agreed: true })).toEqual([]);
  expect(validateAnswer(schema, { agreed: 'yes' })).toEqual(['/agreed must be boolean']);
  expect(validateAnswer(schema, 1)).toEqual(['(the answer) must be object']);
  expect(validateAnswer(undefined, 1)).toEqual([]);
});

it('CL-07 M-40 an answer that its schema cannot be held to within bounds does not fit', () => {
  const pattern = { type: 'string', pattern: '(a|b)*(a|b)*(a|b)*c' };
  expect(validateAnswer(pattern, 'abc')).toEqual([]);
  expect(validateAnswer(pattern, 'ab'.repeat(500_000))).toEqual([expect.stringMatching(/^\(the answer\) /)]);
});
