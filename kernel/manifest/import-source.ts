import { existsSync, statSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

/** Where an import source leads: a module of this program, a file, or nowhere. */
export type ImportTarget =
  | { readonly kind: 'builtin'; readonly module: string }
  | { readonly kind: 'file'; readonly file: string }
  | { readonly kind: 'refused'; readonly message: string };

const PIN = /#sha256-([A-Za-z0-9_-]{43}=?)$/;

/** Splits `source#sha256-<base64url>`; a fragment that is no pin is `malformed`. Pure. */
export function splitPin(source: string): {
  readonly source: string;
  readonly pin?: string;
  readonly malformed?: true;
} {
  const found = PIN.exec(source);
  if (found?.[1] !== undefined) return { source: source.slice(0, found.index), pin: found[1].replace('=', '') };
  return source.includes('#') ? { source, malformed: true } : { source };
}

/**
 * Resolves an import source, without its pin, as written in a manifest below `directory`.
 * Effect: looks whether a path is a directory.
 */
export function resolveImport(source: string, directory: string, builtins: ReadonlySet<string>): ImportTarget {
  if (source.startsWith('.') || path.isAbsolute(source)) return fileTarget(path.resolve(directory, source));
  if (source.startsWith('file:')) return fileTarget(fileURLToPath(source));
  const module = pascal(lastSegment(source));
  const remote = /^[a-z][a-z0-9+.-]*:/i.exec(source)?.[0];
  if ((remote === undefined || remote === 'oci:') && builtins.has(module)) return { kind: 'builtin', module };
  return { kind: 'refused', message: `Cannot import '${source}': ${builtInText(builtins)}` };
}

/** One sentence that says what can be imported without a path. Pure. */
export function builtInText(builtins: ReadonlySet<string>): string {
  const names = [...builtins].map(kebab).toSorted().join(', ');
  return `nothing is fetched from a network; built in are ${names}; anything else is imported by its path`;
}

function fileTarget(file: string): ImportTarget {
  const target = existsSync(file) && statSync(file).isDirectory() ? path.join(file, 'telo.yaml') : file;
  if (existsSync(target)) return { kind: 'file', file: target };
  return { kind: 'refused', message: `Cannot import '${target}': there is no such file` };
}

/** `oci://ghcr.io/telorun/durable-local@0.3.0` is `durable-local`. */
function lastSegment(source: string): string {
  const [withoutDigest = ''] = source.replace(/^oci:\/\//, '').split('@');
  const segment = withoutDigest.split('/').at(-1) ?? '';
  return segment.split(':')[0] ?? '';
}

function pascal(segment: string): string {
  return segment.replace(/(?:^|-)([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
}

/** `DurableLocal` is `durable-local`. Pure. */
export function kebab(module: string): string {
  return module.replace(/(?<=[a-z0-9])[A-Z]/g, (letter) => `-${letter}`).toLowerCase();
}
