import { describe, expect, it } from 'vitest';
import type { Form } from '../../../../controllers/xmd/fragment/fragment.ts';
import { checkText } from '../../../../controllers/xmd/preflight/check.ts';
import { LIMIT_DEFAULTS } from '../../../../controllers/xmd/vocabulary/limits.ts';
import type { Grant, Operation } from '../../../../controllers/xmd/vocabulary/operation.ts';
import { readRequestLimits } from '../../../../controllers/xmd/vocabulary/request-limits.ts';
import { standardOperations } from '../../../../controllers/xmd/vocabulary/standard.ts';
import { buildTable } from '../../../../controllers/xmd/vocabulary/table.ts';

const URL = 'https://example.org/';
const REQUESTS = readRequestLimits([{ url: URL }]);
const FORMS: readonly Form[] = ['self-closing', 'paired'];
const ALLOWS: readonly (readonly Grant[])[] = [['read'], ['write'], ['read', 'write']];
const EVERYTHING = standardOperations(REQUESTS);

/** Names of the table, and what is next to them. */
const NAMES = [
  ...new Set(
    EVERYTHING.flatMap(({ name }) => [
      name,
      `${name}s`,
      `${name}.`,
      `${name}.Read`,
      name.slice(0, -1),
      name.toUpperCase(),
      name.replace('.', ''),
      name.replace('.', '_'),
      `X${name}`,
      name.charAt(0) + name.slice(1).toUpperCase(),
    ]),
  ),
];

/** An element with the props that the operation of this name wants. */
function written(name: string, form: Form): string {
  const needed = EVERYTHING.find((operation) => operation.name === name);
  const props = Object(needed?.props['properties'] ?? { path: {} });
  const prop = 'url' in props ? `url="${URL}"` : 'path="a"';
  return form === 'paired' ? `<${name} ${prop}>x</${name}>` : `<${name} ${prop} />`;
}

function expectedOf(name: string, form: Form, admitted: readonly Operation[]): string {
  if (admitted.some((operation) => operation.name === name && operation.form === form)) return 'admitted';
  const known = admitted.some((operation) => operation.name === name);
  return known ? (form === 'paired' ? 'content' : 'form') : 'component';
}

describe.each([
  ['without requests', []],
  ['with requests', REQUESTS],
] as const)('the standard table of a profile %s', (_name, requests) => {
  const cells = ALLOWS.flatMap((allow) => NAMES.flatMap((name) => FORMS.map((form) => ({ allow, name, form }))));

  it.each(cells)('E3 $name $form under $allow', ({ allow, name, form }) => {
    const admitted = standardOperations(requests).filter(({ grant }) => allow.includes(grant));
    const verdict = checkText(
      written(name, form),
      buildTable({ grants: ['read', 'write'], allow, requests }),
      LIMIT_DEFAULTS,
    );
    expect(verdict.ok ? 'admitted' : verdict.refusal.class).toBe(expectedOf(name, form, admitted));
  });

  it('E3 holds Fetch exactly when requests are stated and reading is allowed', () => {
    const holding = ALLOWS.map((allow) => buildTable({ grants: ['read', 'write'], allow, requests }).has('Fetch'));
    expect(holding).toEqual(requests.length === 0 ? [false, false, false] : [true, false, true]);
  });
});

it('E3 the whole table, in the order that policies list it', () => {
  const names = (requests: typeof REQUESTS) => standardOperations(requests).map(({ name, form }) => `${name} ${form}`);
  expect(names([])).toEqual(['File self-closing', 'File paired', 'Dir paired', 'File.Delete self-closing']);
  expect(names(REQUESTS).toSpliced(1, 1)).toEqual(names([]));
  expect(names(REQUESTS)[1]).toBe('Fetch self-closing');
});

it('E17 Fetch lists the URLs that are stated, and no header of them', () => {
  const limits = readRequestLimits([
    { url: URL, headers: { authorization: 'canary' } },
    { url: `${URL}v1/`, match: 'prefix' },
  ]);
  const fetching = standardOperations(limits).find(({ name }) => name === 'Fetch');
  expect(fetching?.props).toMatchObject({
    properties: { url: { examples: [URL, `${URL}v1/...`] } },
    required: ['url'],
    additionalProperties: false,
  });
  expect(fetching?.identity).toEqual({ kind: 'standard', origin: 'Xmd', key: 'Fetch', revision: '1' });
  expect(JSON.stringify(fetching)).not.toContain('canary');
});
