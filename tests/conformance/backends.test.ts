import { describe, expect, it } from 'vitest';
import { conformanceCases } from '../../conformance/index.ts';
import { backends } from './backends.ts';

describe.each(backends)('$name', (backend) => {
  it.each(conformanceCases(backend).filter(({ skip }) => skip === undefined))('$title', async ({ run }) => {
    await expect(run()).resolves.toBeUndefined();
  });
});
