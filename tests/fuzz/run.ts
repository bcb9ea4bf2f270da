import * as fc from 'fast-check';
import { INPUTS } from './inputs.ts';
import { TARGETS } from './targets.ts';

/**
 * Holds a target to its promise for `numRuns` inputs. Effect: prints the seed, which `FUZZ_SEED` takes to run the same
 * inputs again.
 */
export async function fuzz(name: string, numRuns: number): Promise<void> {
  const [target, inputs] = [TARGETS[name], INPUTS[name]];
  if (target === undefined || inputs === undefined) throw new TypeError(`There is no target ${name}`);
  const stated = process.env['FUZZ_SEED'];
  const seed = stated === undefined ? Math.trunc(Math.random() * 0x7fff_ffff) : Number(stated);
  process.stdout.write(`fuzz ${name}: ${numRuns} inputs, FUZZ_SEED=${seed}\n`);
  await fc.assert(
    fc.asyncProperty(inputs, async (input) => target(input)),
    { numRuns, seed },
  );
}
