import { resolve } from 'node:path';
import { isInvokeError } from '@telorun/sdk';
import type { ResourceInstance } from '@telorun/sdk';
import { Findings } from '../check/findings.ts';
import type { Diagnostic } from '../manifest/model.ts';
import type { Kernel } from '../runtime/kernel.ts';
import type { CommandWorld } from './command.ts';

const EVALUATE = 'Xmd.Evaluate';

/**
 * Says of each `text` that a manifest writes out how `Xmd.Evaluate` will refuse it. A manifest whose profiles and
 * evaluations do not come to life on their own is passed over: what they will be is known when it runs.
 *
 * Effect: brings profiles and evaluations to life, and nothing else; no fragment is performed.
 * @see kernel-specs/command-line.md CL-03
 */
export async function checkTexts(manifest: string, world: CommandWorld): Promise<readonly Diagnostic[]> {
  const kernel = await openQuietly(resolve(world.cwd, manifest), world);
  if (kernel === undefined) return [];
  try {
    const findings = new Findings();
    for (const { name, instance } of kernel.instancesOfKind(EVALUATE)) {
      const document = kernel.module.documents.find((one) => one.name === name);
      if (document === undefined || typeof document.fields['text'] !== 'string') continue;
      const refusal = await refusalOf(instance);
      if (refusal === undefined) continue;
      findings.add(document, {
        code: 'XMD_TEXT_REFUSED',
        message: `The text of ${name} will be refused: ${refusal}`,
        path: ['text'],
        hint: 'Correct the text, or state in the profile and in allow what it needs.',
      });
    }
    return findings.diagnostics;
  } finally {
    await kernel.close();
  }
}

async function openQuietly(manifest: string, world: CommandWorld): Promise<Kernel | undefined> {
  const { openKernel } = await import('../runtime/kernel.ts');
  try {
    return await openKernel({
      manifest,
      env: world.env,
      stdout: world.stderr,
      stderr: world.stderr,
      only: ({ kind }) => kind === EVALUATE || kind === 'Xmd.Profile',
    });
  } catch (error) {
    if (isInvokeError(error)) return undefined;
    throw error;
  }
}

/** How the resource refuses its own text: class and place, or the rule of a secret; never a word of it. */
async function refusalOf(instance: ResourceInstance): Promise<string | undefined> {
  if (!('preflight' in instance) || typeof instance.preflight !== 'function') return undefined;
  let answer: unknown;
  try {
    answer = await Reflect.apply(instance.preflight, instance, [{}]);
  } catch (error) {
    if (isInvokeError(error)) return undefined;
    throw error;
  }
  const refusal = memberOf(answer, 'refusal');
  const secret = memberOf(answer, 'secret');
  if (refusal !== undefined) {
    return `${String(memberOf(refusal, 'class'))}, at line ${String(memberOf(refusal, 'line'))}, column ${String(memberOf(refusal, 'column'))} of it`;
  }
  return secret === undefined
    ? undefined
    : `it holds what the rule ${String(memberOf(secret, 'rule'))} takes for a secret`;
}

function memberOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
}
