import { describe, expect, it } from 'vitest';
import { isInvokeError } from '@telorun/sdk';
import { bindVariables } from '../../../../kernel/manifest/bind-variables.ts';
import type { BindingSources } from '../../../../kernel/manifest/bind-variables.ts';
import type { LoadedModule } from '../../../../kernel/manifest/model.ts';
import { APP, LIB, load, sound } from './folder.ts';

const DECLARED = `${APP}variables:
  who: { env: WHO, type: string, default: world, minLength: 2 }
  count: { env: COUNT, type: integer, default: 1 }
  ratio: { env: RATIO, type: number, default: 0.5 }
  loud: { env: LOUD, type: boolean, default: false }
  tags: { env: TAGS, type: array, default: [] }
  shape: { env: SHAPE, type: object, default: {} }
secrets:
  key: { env: KEY, type: string, pattern: "^k-" }
ports:
  http: { env: PORT, default: 8080 }
`;

const application = async (): Promise<LoadedModule> => sound(await load({ 'telo.yaml': DECLARED }));

function problemsOf(module: LoadedModule, sources: BindingSources): readonly string[] {
  try {
    bindVariables(module, sources);
  } catch (error) {
    if (isInvokeError(error) && error.code === 'ERR_MANIFEST_VALIDATION_FAILED') return error.message.split('; ');
    throw error;
  }
  return [];
}

describe('M-08 binding', () => {
  it('M-08 texts of the environment are read by type; what is unset takes its default', async () => {
    const env = {
      WHO: 'me',
      COUNT: '-7',
      RATIO: '1e3',
      LOUD: 'true',
      TAGS: '["a"]',
      SHAPE: '{"a":1}',
      KEY: 'k-1',
      PORT: '81',
    };
    expect(bindVariables(await application(), { env })).toEqual({
      variables: { who: 'me', count: -7, ratio: 1000, loud: true, tags: ['a'], shape: { a: 1 } },
      secrets: { key: 'k-1' },
      ports: { http: 81 },
    });
    expect(bindVariables(await application(), { env: { KEY: 'k-2' } })).toMatchObject({
      variables: { who: 'world', count: 1, loud: false },
      ports: { http: 8080 },
    });
  });

  it('M-08 an override wins over the environment, and an unknown one is refused', async () => {
    const env = { KEY: 'k-1', WHO: 'env' };
    expect(bindVariables(await application(), { env, overrides: { who: 'flag', key: 'k-3' } })).toMatchObject({
      variables: { who: 'flag' },
      secrets: { key: 'k-3' },
    });
    expect(problemsOf(await application(), { env, overrides: { nobody: '1', constructor: '1' } })).toHaveLength(2);
  });

  it.each<[Record<string, string>, string]>([
    [{ COUNT: '1.5' }, 'variables.count (COUNT): is not an integer'],
    [{ COUNT: ' 1' }, 'variables.count (COUNT): is not an integer'],
    [{ RATIO: 'x' }, 'variables.ratio (RATIO): is not a number'],
    [{ LOUD: 'yes' }, 'variables.loud (LOUD): must be true or false'],
    [{ TAGS: '{}' }, 'variables.tags (TAGS): is not a JSON array'],
    [{ SHAPE: '[' }, 'variables.shape (SHAPE): is not JSON'],
    [{ WHO: 'x' }, 'variables.who (WHO): must NOT have fewer than 2 characters'],
    [{ PORT: '70000' }, 'ports.http (PORT): must be <= 65535'],
  ])('M-08 %j is refused', async (env, expected) => {
    const problems = problemsOf(await application(), { env: { KEY: 'k-1', ...env } });
    expect(problems).toEqual([`App cannot start: ${expected}`]);
  });

  it('M-08 all problems come at once, and no secret is repeated', async () => {
    const module = await application();
    const problems = problemsOf(module, { env: { COUNT: 'x', LOUD: 'x', KEY: 'hunter2' } });
    expect(problems).toHaveLength(3);
    expect(problems.join()).not.toContain('hunter2');
    expect(problemsOf(module, { env: {} })).toEqual([
      'App cannot start: secrets.key: the environment variable KEY is not set and there is no default',
    ]);
  });

  it('M-08 a library takes its values from the import', async () => {
    const text = `${LIB}variables:\n  a: { type: string }\n  b: { type: integer, default: 2 }\nsecrets:\n  c: { type: string }\n`;
    const module = sound(await load({ 'telo.yaml': text }));
    expect(bindVariables(module, { imported: { variables: { a: 'x' }, secrets: { c: 'y' } } })).toMatchObject({
      variables: { a: 'x', b: 2 },
      secrets: { c: 'y' },
    });
    expect(problemsOf(module, { imported: { variables: { a: 1, z: 1 }, secrets: {} } })).toHaveLength(3);
  });
});
