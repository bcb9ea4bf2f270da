import { readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { PassThrough } from 'node:stream';
import { expect, it } from 'vitest';
import { openKernel } from '../../../../kernel/index.ts';

const FOLDER = resolve(import.meta.dirname, '../../../manifests/run');

it.each(readdirSync(FOLDER).filter((name) => name.endsWith('.yaml')))(
  'RT-01 %s holds what it asserts',
  async (name) => {
    const kernel = await openKernel({ manifest: join(FOLDER, name), env: {}, stdout: new PassThrough().resume() });
    await kernel.boot();
    await kernel.idle();
    await kernel.close();
    expect(kernel.exitCode).toBe(0);
  },
);
