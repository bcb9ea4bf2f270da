import type { DecisionKind, DurableRunHandle } from '@telorun/sdk';
import { NEVER_CANCELLED } from '@telorun/sdk';
import type { EffectScope } from '../../../../controllers/xmd/operations/performer.ts';
import type { PlannedEffect } from '../../../../controllers/xmd/preflight/plan.ts';
import type { Files } from '../../../../controllers/xmd/providers/files.ts';
import type { JsonObject } from '../../../../controllers/xmd/values/json.ts';

export const EFFECT = 'steps/apply/xmd[0]/File';

export interface MemoryRun {
  readonly handle: DurableRunHandle;
  readonly entries: Map<string, unknown>;
}

/** A run that keeps decisions as JSON; `withRecorded: false` is a handle of SDK 0.80. */
export function memoryRun(recorded: Record<string, unknown> = {}, options: { withRecorded?: boolean } = {}): MemoryRun {
  const entries = new Map(Object.entries(recorded));
  const handle: DurableRunHandle = {
    runId: 'r1',
    step: (_path, _target, _inputs, execute) => execute(),
    decide: async <T>(path: string, _kind: DecisionKind, compute: () => T): Promise<T> => {
      if (!entries.has(path)) {
        entries.set(path, JSON.parse(JSON.stringify(compute())));
      }
      // A journal answers what it holds, whatever the asker expects: through JSON, as a journal would.
      return JSON.parse(JSON.stringify(entries.get(path)));
    },
    park: () => Promise.reject(new Error('nothing parks here')),
    writesInside: () => false,
    ...(options.withRecorded === false ? {} : { recorded: (path: string) => entries.has(path) }),
  };
  return { handle, entries };
}

export function aScope(overrides: Partial<EffectScope> = {}): EffectScope {
  return {
    path: EFFECT,
    attempt: 0,
    content: '',
    cancellation: NEVER_CANCELLED,
    limits: {
      textBytes: 1_048_576,
      elements: 1_000,
      depth: 32,
      fileBytes: 1_048_576,
      responseBytes: 1_048_576,
      resultBytes: 8_388_608,
      effectMs: 60_000,
    },
    ...overrides,
  };
}

export function anEffect(input: JsonObject): PlannedEffect {
  return {
    kind: 'effect',
    operation: {
      name: 'File',
      form: 'self-closing',
      grant: 'read',
      origin: 'standard',
      identity: { kind: 'standard', origin: 'Xmd', key: 'File:read', revision: '1' },
      description: '',
      props: {},
      content: 'none',
      braces: 'prose',
      children: 'none',
      plan: () => ({ ok: true, value: { input } }),
    },
    input,
    segment: 'xmd[0]/File',
    place: { line: 1, column: 1 },
    children: [],
  };
}

/** Files that list the calls made to them. */
export function counting(files: Files): { files: Files; calls: string[] } {
  const calls: string[] = [];
  return {
    calls,
    files: {
      guarantee: files.guarantee,
      read: (path, limit) => (calls.push('read'), files.read(path, limit)),
      observe: (path) => (calls.push('observe'), files.observe(path)),
      inspect: (path, options) => (calls.push('inspect'), files.inspect(path, options)),
      write: (path, text) => (calls.push('write'), files.write(path, text)),
      remove: (path) => (calls.push('remove'), files.remove(path)),
      ensureDirectory: (path) => (calls.push('ensureDirectory'), files.ensureDirectory(path)),
      persist: (path) => (calls.push('persist'), files.persist(path)),
    },
  };
}
