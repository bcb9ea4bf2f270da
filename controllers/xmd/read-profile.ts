import { dirname, isAbsolute, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { ResourceContext, ResourceManifest } from '@telorun/sdk';
import { profileRefused } from './errors.ts';
import type { HostEntry, StatedOperation } from './profile-operations.ts';
import { readStatedOperations, resolveOperation } from './profile-operations.ts';
import type { Profile } from './profiles.ts';
import { openHostFiles } from './providers/host-files.ts';
import { openHttp } from './providers/http-client.ts';
import { readSecretsPolicy } from './secrets/stated-secrets.ts';
import { readGrants } from './vocabulary/allow.ts';
import { readLimits } from './vocabulary/limits.ts';
import { readRequestLimits } from './vocabulary/request-limits.ts';
import { readStatedAddresses } from './vocabulary/stated-addresses.ts';
import { readPathLimits } from './vocabulary/stated-paths.ts';
import { buildTable } from './vocabulary/table.ts';

/** Reads what a manifest states as a profile. Pure, but for the closures it answers. @throws InvokeError ERR_XMD_PROFILE */
export function readProfile(resource: ResourceManifest, ctx: ResourceContext): Profile {
  const { root, host = 'ordinary' } = resource;
  if (typeof root !== 'string' || root === '') {
    throw profileRefused('root', 'its root is not a path', 'State the folder that fragments may reach as root.');
  }
  if (host !== 'ordinary' && host !== 'workflow') {
    throw profileRefused('host', 'its host is neither ordinary nor workflow', 'State host as ordinary or workflow.');
  }
  const grants = readGrants(resource['grants']);
  const stated = readStatedOperations(resource['operations']);
  const requests = readRequestLimits(resource['requests']);
  const addresses = readStatedAddresses(resource['addresses']);
  const paths = readPathLimits(resource['paths']);
  const files = openHostFiles({
    root: resolveRoot(root, ctx.moduleContext.source),
    protectedPaths: protectedPathsOf(ctx),
    permits: (access, path) => paths.permits(access, path),
  });
  const operations = resolvedOnce(stated, ctx, resource.metadata.module ?? '');
  return {
    grants,
    limits: readLimits(resource['limits']),
    host,
    root,
    retainedRoots: readRetainedRoots(resource['retainedRoots']),
    secrets: readSecretsPolicy(resource['secrets']),
    files,
    ...(requests.length === 0 ? {} : { http: openHttp({ addresses }) }),
    get operations() {
      return operations();
    },
    table: (allow) =>
      buildTable({
        grants,
        allow,
        requests,
        addresses,
        paths,
        operations: operations().map(({ operation }) => operation),
      }),
  };
}

/** Targets are looked up when first needed: one of them may itself evaluate under this profile. */
function resolvedOnce(
  stated: readonly StatedOperation[],
  ctx: ResourceContext,
  ownModule: string,
): () => readonly HostEntry[] {
  let entries: readonly HostEntry[] | undefined;
  return () => (entries ??= stated.map((one) => resolveOperation(one, ctx, ownModule)));
}

function readRetainedRoots(value: unknown): readonly string[] {
  if (value === undefined) {
    return [];
  }
  if (!Array.isArray(value) || !value.every((root): root is string => typeof root === 'string' && root !== '')) {
    throw profileRefused('retainedRoots', 'its retainedRoots are not a list of names', 'State retainedRoots as names.');
  }
  return value;
}

function resolveRoot(root: string, source: string): string {
  const manifest = fileOf(source);
  if (manifest === undefined && !isAbsolute(root)) {
    throw profileRefused('root', 'its root is relative to a manifest that is no file', 'State an absolute root.');
  }
  return manifest === undefined ? root : resolve(dirname(manifest), root);
}

/**
 * The own places of a resource never change; what the kernel protects may join late, so it is asked each time. A frozen
 * list that it answers again is the same list.
 */
function protectedPathsOf(ctx: ResourceContext): () => readonly string[] {
  let own: readonly string[] | undefined;
  let last: { readonly told: readonly string[]; readonly all: readonly string[] } | undefined;
  return () => {
    const told = ctx.protectedPaths?.() ?? NOTHING_TOLD;
    if (last?.told === told) {
      return last.all;
    }
    own ??= [ctx.moduleContext.source, ctx.getEntryUrl(), import.meta.url].flatMap((source) => fileOf(source) ?? []);
    const all = [...told, ...own];
    last = Object.isFrozen(told) ? { told, all } : undefined;
    return all;
  };
}

const NOTHING_TOLD: readonly string[] = Object.freeze([]);

/** The path of a file URL or of an absolute path; undefined for any other URL. Pure. */
function fileOf(source: string): string | undefined {
  if (source.startsWith('file:')) {
    return fileURLToPath(source);
  }
  return /^[a-z][a-z0-9+.-]+:/i.test(source) ? undefined : resolve(source);
}
