import { defaultServerConditions } from 'vite';
import { defineConfig } from 'vitest/config';

export default defineConfig({
  ssr: { resolve: { conditions: ['source', ...defaultServerConditions] } },
  test: {
    globalSetup: ['./build.mjs'],
    // Most of the time goes by in processes that a test starts; one worker would leave a core idle.
    maxWorkers: 2,
    coverage: {
      include: ['sdk/**/*.ts', 'controllers/**/*.ts', 'kernel/**/*.ts', 'manifests/*/dist/*.mjs'],
      exclude: ['sdk/dist/**', 'dist/**'],
    },
    projects: [
      {
        extends: true,
        test: {
          name: 'fast',
          include: ['tests/**/*.test.ts'],
          exclude: ['tests/sweep/**'],
          testTimeout: 240_000,
          hookTimeout: 120_000,
        },
      },
      {
        extends: true,
        test: {
          name: 'sweep',
          include: ['tests/sweep/**/*.test.ts'],
          pool: 'forks',
          // Room for young objects: what linear.test.ts measures is the reading, not the copying of what it made.
          execArgv: ['--expose-gc', '--min-semi-space-size=256', '--max-semi-space-size=256'],
          testTimeout: 3_600_000,
          fileParallelism: false,
        },
      },
    ],
  },
});
