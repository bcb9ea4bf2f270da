import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { Writable } from 'node:stream';
import { onTestFinished } from 'vitest';
import type { KernelEvent } from '../../../../../kernel/events.ts';
import { openKernel } from '../../../../../kernel/index.ts';
import type { Kernel, KernelOptions } from '../../../../../kernel/index.ts';

/** A kernel on real files in a folder of its own, with what it printed and told. */
export interface Application {
  readonly kernel: Kernel;
  readonly folder: string;
  readonly stdout: () => string;
  readonly stderr: () => string;
  readonly events: readonly KernelEvent[];
}

/** Writes files into a fresh folder that is removed when the test ends. Effect. */
export function folderWith(files: Readonly<Record<string, string>>): string {
  const folder = mkdtempSync(join(tmpdir(), 'telo-xmd-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
  return folder;
}

/** Makes `@telorun/sdk` reachable from bundles in `folder`, as the package's own folder does for its bundles. Effect. */
export function linkSdk(
  folder: string,
  sdk = resolve(import.meta.dirname, '../../../../../node_modules/@telorun/sdk'),
): void {
  mkdirSync(join(folder, 'node_modules/@telorun'), { recursive: true });
  symlinkSync(sdk, join(folder, 'node_modules/@telorun/sdk'));
}

/** Opens a kernel on `telo.yaml` of a folder; it is closed when the test ends. Effect. */
export async function open(folder: string, options: Omit<KernelOptions, 'manifest'> = {}): Promise<Application> {
  const events: KernelEvent[] = [];
  const out = collector();
  const err = collector();
  const kernel = await openKernel({
    manifest: folder,
    stdout: out.stream,
    stderr: err.stream,
    onEvent: (event) => events.push(event),
    ...options,
  });
  onTestFinished(() => kernel.close());
  return { kernel, folder, stdout: out.text, stderr: err.text, events };
}

/** Writes `telo.yaml` (and other files), opens a kernel on it and boots its targets. Effect. */
export async function boot(
  manifest: string,
  files: Readonly<Record<string, string>> = {},
  options: Omit<KernelOptions, 'manifest'> = {},
): Promise<Application> {
  const application = await open(folderWith({ 'telo.yaml': manifest, ...files }), options);
  await application.kernel.boot();
  return application;
}

/** The header of an application that imports the built-in modules, with its targets. Pure. */
export function header(targets: string, more = ''): string {
  return `kind: Telo.Application
metadata: { name: Probe, version: 0.1.0 }
imports:
  Run: oci://ghcr.io/telorun/run@0.25.0
  Console: oci://ghcr.io/telorun/console@0.1.0
  Assert: oci://ghcr.io/telorun/assert@0.1.0
${more}targets: ${targets}
`;
}

function collector(): { stream: Writable; text: () => string } {
  const chunks: string[] = [];
  const stream = new Writable({
    write(chunk, _encoding, done) {
      chunks.push(String(chunk));
      done();
    },
  });
  return { stream, text: () => chunks.join('') };
}
