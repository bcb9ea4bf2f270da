import { existsSync, realpathSync } from 'node:fs';
import { createRequire } from 'node:module';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { InvokeError, isInvokeError } from '@telorun/sdk';
import type { ControllerModule } from '@telorun/sdk';

const SCHEME = 'pkg:telo/local/js?';

export interface ControllerSource {
  /** Canonical kind, for messages. */
  readonly kind: string;
  /** Package URLs in authored order; the first hostable one counts. */
  readonly controllers: readonly string[];
  /** Folder of the manifest that defines the kind. */
  readonly directory: string;
}

/** Where a controller's prebuilt bundle is, and which of its exports is meant. */
export interface ControllerPlace {
  readonly file: string;
  readonly fragment: string | undefined;
}

/**
 * Reads `pkg:telo/local/js?path=<bundle>#<Export>`. Pure.
 *
 * @throws InvokeError ERR_CONTROLLER_NOT_FOUND
 */
export function controllerPlace(source: ControllerSource): ControllerPlace {
  const purl = source.controllers.find((candidate) => candidate.startsWith(SCHEME));
  if (purl === undefined) {
    throw notFound(
      source,
      `none of its controllers is ${SCHEME}path=…`,
      'Add a controller of the form pkg:telo/local/js?path=./dist/x.mjs#Export.',
    );
  }
  const [query = '', fragment] = purl.slice(SCHEME.length).split('#', 2);
  const path = new URLSearchParams(query).get('path');
  if (path === null || path === '')
    throw notFound(source, `"${purl}" is missing a "path" qualifier`, 'State path= in the controller.');
  return { file: resolve(source.directory, path), fragment: fragment === '' ? undefined : fragment };
}

/**
 * Loads the module that creates instances of a kind. Effect: imports the bundle, once for each process.
 *
 * @throws InvokeError ERR_CONTROLLER_NOT_FOUND, ERR_CONTROLLER_INVALID, ERR_CONTROLLER_SDK_MISMATCH
 */
export async function loadController(source: ControllerSource): Promise<ControllerModule> {
  const { file, fragment } = controllerPlace(source);
  if (!existsSync(file))
    throw notFound(source, `bundle not found at "${file}"`, 'Build the bundle, or correct the path.');
  assertSameSdk(source, file);
  const loaded = await importBundle(source, file);
  const found: unknown = fragment === undefined ? loaded : loaded[fragment];
  if (found === undefined) throw invalid(source, `"${file}" has no export named "${fragment ?? ''}"`);
  if (!isControllerModule(found)) throw invalid(source, `what "${file}" exports has no function "create"`);
  return found;
}

async function importBundle(source: ControllerSource, file: string): Promise<Readonly<Record<string, unknown>>> {
  try {
    return await import(/* @vite-ignore */ pathToFileURL(file).href);
  } catch (error) {
    if (isInvokeError(error)) throw error;
    throw invalid(
      source,
      `"${file}" cannot be loaded: ${error instanceof Error ? error.message : String(error)}`,
      error,
    );
  }
}

/** A second copy of the SDK has its own suspension latch, and a swallowed park would go unseen. */
function assertSameSdk(source: ControllerSource, file: string): void {
  const theirs = sdkSeenFrom(file);
  const ours = sdkSeenFrom(import.meta.url);
  if (theirs === undefined || theirs === ours) return;
  throw new InvokeError(
    'ERR_CONTROLLER_SDK_MISMATCH',
    `Cannot load the controller of "${source.kind}": "${file}" would use the SDK at "${theirs}", not the kernel's own`,
    { kind: source.kind, file, theirs, ours, hint: 'Remove the second copy of @telorun/sdk beside the bundle.' },
  );
}

/** Absent when nothing of that name is reachable: a bundle that needs none loads all the same. */
function sdkSeenFrom(from: string): string | undefined {
  try {
    return realpathSync(createRequire(from).resolve('@telorun/sdk'));
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'MODULE_NOT_FOUND') return undefined;
    throw error;
  }
}

function isControllerModule(value: unknown): value is ControllerModule {
  return typeof value === 'object' && value !== null && 'create' in value && typeof value.create === 'function';
}

function notFound(source: ControllerSource, state: string, hint: string): InvokeError {
  return new InvokeError('ERR_CONTROLLER_NOT_FOUND', `Cannot find the controller of "${source.kind}": ${state}`, {
    kind: source.kind,
    hint,
  });
}

function invalid(source: ControllerSource, state: string, cause?: unknown): InvokeError {
  const data = { kind: source.kind, hint: 'Export one namespace for each kind, with a function create.' };
  return new InvokeError('ERR_CONTROLLER_INVALID', `Cannot use the controller of "${source.kind}": ${state}`, data, {
    cause,
  });
}
