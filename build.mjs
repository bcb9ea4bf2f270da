// Builds what Node runs: the SDK, the kernel with its command line, and one bundle per controller module.
// @telorun/sdk stays external everywhere, so that one process holds one copy of it.
import { chmodSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'esbuild';

const shared = {
  absWorkingDir: import.meta.dirname,
  bundle: true,
  format: 'esm',
  platform: 'node',
  target: 'node20',
  sourcemap: true,
  logLevel: 'warning',
  write: false,
};

/** Each file appears whole: another process may be loading the one it replaces. */
async function bundle(options) {
  const { outputFiles } = await build({ ...shared, ...options });
  for (const { path, contents } of outputFiles) {
    const temporary = `${path}.${process.pid}.tmp`;
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(temporary, contents);
    // npm sets this once, at an install; a folder that links to this one starts what a later build wrote.
    if (basename(path) === 'main.mjs') chmodSync(temporary, 0o755);
    renameSync(temporary, path);
  }
}

// The rules for secrets load a cryptography library for files of one format. Texts have no file.
const withoutFileFormats = {
  name: 'without-file-formats',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^\.\// }, ({ kind, importer }) =>
      kind === 'dynamic-import' && importer.includes('secretlint-rule-preset-recommend')
        ? { path: 'file-formats', namespace: 'without' }
        : undefined,
    );
    onLoad({ filter: /.*/, namespace: 'without' }, () => ({ contents: 'export {}' }));
  },
};

export async function setup() {
  await Promise.all([
    bundle({ entryPoints: ['./sdk/index.ts', './sdk/journal.ts'], outdir: 'sdk/dist' }),
    bundle({
      splitting: true,
      packages: 'external',
      external: ['#xmd'],
      entryPoints: { index: './kernel/index.ts', main: './kernel/main.ts', conformance: './conformance/index.ts' },
      outdir: 'dist/kernel',
      outExtension: { '.js': '.mjs' },
    }),
    ...[
      ['xmd', 'manifests/xmd/dist'],
      ['journal-sqlite', 'manifests/durable-journal-sqlite/dist'],
      // A kind that Telo has of its own: no manifest of ours declares it.
      ['journal-file', 'dist/controllers'],
    ].map(([controller, outdir]) =>
      bundle({
        external: ['@telorun/sdk'],
        plugins: [withoutFileFormats],
        entryPoints: { [controller]: `./controllers/${controller}/index.ts` },
        outdir,
        outExtension: { '.js': '.mjs' },
      }),
    ),
  ]);
}

// Chunks of a former build are removed on request only: another process may still be loading them.
if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
  if (process.argv.includes('--clean')) rmSync(`${import.meta.dirname}/dist/kernel`, { recursive: true, force: true });
  await setup();
}
