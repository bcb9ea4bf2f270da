import { expect, it } from 'vitest';
import type { HostOperationDeclaration } from '../../../../controllers/xmd/vocabulary/host-operation.ts';
import { hostOperation } from '../../../../controllers/xmd/vocabulary/host-operation.ts';
import { checkText } from '../../../../controllers/xmd/preflight/check.ts';
import { LIMIT_DEFAULTS } from '../../../../controllers/xmd/vocabulary/limits.ts';
import type { Operation } from '../../../../controllers/xmd/vocabulary/operation.ts';
import { policyOf } from '../../../../controllers/xmd/vocabulary/policy.ts';
import { listSymbols } from '../../../../controllers/xmd/vocabulary/symbols.ts';
import type { Table } from '../../../../controllers/xmd/vocabulary/table.ts';
import { buildTable } from '../../../../controllers/xmd/vocabulary/table.ts';

function host(declaration: Partial<HostOperationDeclaration> = {}): Operation {
  return hostOperation(
    { name: 'Approve', form: 'self-closing', grant: 'write', revision: 'unstated', content: 'none', ...declaration },
    {
      target: { module: 'shop', kind: 'Durable.Await', name: 'approval' },
      compileProps: () => (props) => typeof props['to'] === 'string',
    },
  );
}

function table(operations: readonly Operation[], allow: readonly ('read' | 'write')[] = ['read', 'write']): Table {
  return buildTable({ grants: ['read', 'write'], operations, allow });
}

function inputOf(text: string): unknown {
  const verdict = checkText(text, table([host()]), LIMIT_DEFAULTS);
  return verdict.ok ? verdict.value.effects[0]?.input : verdict.refusal;
}

function policy(operations: readonly Operation[]): unknown {
  return policyOf({ table: table(operations, ['read']), limits: LIMIT_DEFAULTS, root: './work' });
}

it('E3 adds host operations behind the standard ones of the same grant', () => {
  const names = table([host(), host({ name: 'Ask', grant: 'read' })]).entries.map((entry) => entry.name);

  expect(names).toEqual(['File', 'Ask', 'File', 'Dir', 'File.Delete', 'Approve']);
});

it.each(['Evaluate', 'Plan', 'Syntax', 'Preflight', 'Profile', 'File', 'Dir', 'File.Delete', 'Fetch', 'If', 'Return'])(
  'E13 refuses a host operation named %s, selected or not',
  (name) => {
    expect(() => table([host({ name })], ['read'])).toThrow(expect.objectContaining({ code: 'ERR_XMD_PROFILE' }));
    expect(table([host({ name: `My${name}` })]).has(`My${name}`)).toBe(true);
  },
);

it.each(['approve', 'A-B', 'A.b', 'A.', '', 'A B', 'Ä'])('E13 refuses a host operation named %j', (name) => {
  expect(() => table([host({ name })])).toThrow(expect.objectContaining({ code: 'ERR_XMD_PROFILE' }));
});

it('E13 refuses a name and form that is stated twice', () => {
  expect(() => table([host(), host()])).toThrow(expect.objectContaining({ code: 'ERR_XMD_PROFILE' }));
  expect(table([host(), host({ form: 'paired', content: 'text' })]).has('Approve')).toBe(true);
});

it('E9 gives a host operation the identity of its target', () => {
  expect(host({ revision: '3' }).identity).toEqual({
    kind: 'host',
    origin: 'shop',
    key: 'Durable.Await/approval',
    revision: '3',
  });
});

it('E9 refuses a form and a content that do not agree', () => {
  expect(() => host({ content: 'text' })).toThrow(expect.objectContaining({ code: 'ERR_XMD_PROFILE' }));
  expect(() => host({ form: 'paired' })).toThrow(expect.objectContaining({ code: 'ERR_XMD_PROFILE' }));
});

it('E8 hands a host operation the props as written, when its schema admits them', () => {
  expect(inputOf('<Approve to="you" now n={[1]} />')).toEqual({ to: 'you', now: true, n: [1] });
  expect(inputOf('x <Approve to={1} />')).toEqual({ class: 'props', line: 1, column: 3 });
});

it('E17 lists what preflight admits, with everything a reader needs', () => {
  const symbols = listSymbols(table([host({ description: 'Asks.' })]));

  expect(symbols.map((symbol) => symbol.name)).toEqual(['File', 'File', 'Dir', 'File.Delete', 'Approve']);
  expect(symbols.at(-1)).toEqual({
    name: 'Approve',
    form: 'self-closing',
    props: { type: 'object', properties: {}, required: [], additionalProperties: false },
    grant: 'write',
    origin: 'host',
    description: 'Asks.',
    available: true,
  });
});

it('R5 states the whole policy as JSON, and only what allow selects', () => {
  expect(policy([])).toEqual({
    version: 2,
    allow: ['read'],
    allowed: [
      {
        name: 'File',
        identity: { kind: 'standard', origin: 'Xmd', key: 'File:read', revision: '1' },
        forms: ['self-closing'],
      },
    ],
    requests: [],
    addresses: [],
    paths: {},
    limits: LIMIT_DEFAULTS,
    root: './work',
  });
  expect(policy([host()])).toEqual(policy([]));
  expect(policy([host({ grant: 'read' })])).not.toEqual(policy([]));
});
