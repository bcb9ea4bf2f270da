import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { extendsKind, kindLookup, moduleNames, resolveKind } from '../../../../kernel/check/kinds.ts';
import { builtinKinds } from '../../../../kernel/kinds/builtin.ts';
import { loadManifest } from '../../../../kernel/manifest/load.ts';
import type { LoadedModule } from '../../../../kernel/manifest/model.ts';
import { APP, folder, sound } from '../manifest/folder.ts';

const BASE = `kind: Telo.Library
metadata: { name: Base }
exports: { kinds: [Root] }
---
kind: Telo.Abstract
metadata: { name: Root }
capability: Telo.Invocable
inputType: { type: object }
---
kind: Telo.Definition
metadata: { name: Secret }
`;
const MIDDLE = `kind: Telo.Library
metadata: { name: Middle }
imports: { Base: ../base }
exports: { kinds: [Leaf, Base.Root] }
---
kind: Telo.Definition
metadata: { name: Leaf, description: A leaf. }
extends: Base.Root
schema: { type: object, properties: { a: { default: "\${{ x }}" } } }
throws: { inherit: true, codes: { ERR_LEAF: { description: Broken. } } }
controllers: ["pkg:telo/local/js?path=./leaf.mjs#Leaf"]
`;

async function application(): Promise<LoadedModule> {
  const root = folder({
    'telo.yaml': `${APP}imports:\n  M: ./middle\n  Run: oci://ghcr.io/telorun/run@1\n`,
    'middle/telo.yaml': MIDDLE,
    'base/telo.yaml': BASE,
  });
  return sound(await loadManifest(path.join(root), { builtins: moduleNames(builtinKinds) }));
}

describe('M-10 kinds', () => {
  it('M-10 a kind of an import has its module’s name, what it states, and what it inherits', async () => {
    const found = resolveKind(await application(), 'M.Leaf', builtinKinds);
    if (!found.ok) throw new Error(found.message);
    const { kind } = found;
    expect(kind.canonical).toBe('Middle.Leaf');
    expect(kind.view).toMatchObject({
      module: 'Middle',
      name: 'Leaf',
      description: 'A leaf.',
      capability: 'Telo.Invocable',
      extends: ['Base.Root'],
      inputType: { type: 'object' },
      throws: { inherit: true, codes: { ERR_LEAF: { description: 'Broken.' } } },
      schema: { type: 'object', properties: { a: { default: '${{ x }}' } } },
    });
    expect(kind.definition?.controllers).toEqual(['pkg:telo/local/js?path=./leaf.mjs#Leaf']);
    expect(extendsKind(kind, 'Base.Root')).toBe(true);
    expect(extendsKind(kind, 'Middle.Leaf')).toBe(true);
    expect(extendsKind(kind, 'Run.Value')).toBe(false);
  });

  it('M-10 a kind that is exported again is the kind of its own module', async () => {
    const found = resolveKind(await application(), 'M.Root', builtinKinds);
    expect(found.ok && [found.kind.canonical, found.kind.view.abstract]).toEqual(['Base.Root', true]);
  });

  it('M-10 built-in kinds are reached by import, those of Telo always', async () => {
    const module = await application();
    const run = resolveKind(module, 'Run.Value', builtinKinds);
    expect(run.ok && run.kind.builtin).toBe(builtinKinds.get('Run.Value'));
    expect(resolveKind(module, 'Telo.JsonSchema', builtinKinds).ok).toBe(true);
  });

  it.each([
    ['M.Nothing', 'UNRESOLVED_KIND', 'Leaf, Base.Root'],
    ['M.Secret', 'UNRESOLVED_KIND', 'Leaf'],
    ['Base.Root', 'UNRESOLVED_KIND', 'built in are'],
    ['Console.WriteLine', 'UNRESOLVED_KIND', 'Add the import Console'],
    ['Run.Nothing', 'UNRESOLVED_KIND', 'Sequence'],
    ['Value', 'UNRESOLVED_KIND', ''],
    ['Run.a.b', 'UNRESOLVED_KIND', ''],
  ])('M-10 %s is refused with what there is', async (authored, code, hint) => {
    const found = kindLookup(builtinKinds)(await application(), authored);
    expect(found).toMatchObject({ ok: false, code });
    expect(found.ok ? '' : (found.hint ?? '')).toContain(hint);
  });
});
