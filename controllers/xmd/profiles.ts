import type { ModuleContext, ResourceContext, ResourceInstance } from '@telorun/sdk';
import { profileRefused, profileRevoked } from './errors.ts';
import type { HostEntry } from './profile-operations.ts';
import type { Files } from './providers/files.ts';
import type { Http } from './providers/http.ts';
import type { SecretsPolicy } from './secrets/stated-secrets.ts';
import type { Limits } from './vocabulary/limits.ts';
import type { Grant } from './vocabulary/operation.ts';
import type { Table } from './vocabulary/table.ts';

/** A profile as evaluations see it: the most that any of them may be allowed. */
export interface Profile {
  readonly grants: readonly Grant[];
  readonly limits: Limits;
  readonly host: 'ordinary' | 'workflow';
  /** As written in the manifest; what is recorded. */
  readonly root: string;
  readonly retainedRoots: readonly string[];
  /** What is examined for secrets before it is recorded. Not part of the policy: it may change while a run is away. */
  readonly secrets: SecretsPolicy;
  /** Files below the root, resolved against the folder of the manifest that declares the profile. */
  readonly files: Files;
  /** Absent when the profile states no request. */
  readonly http?: Http;
  /** The operations of the host, in the order stated. */
  readonly operations: readonly HostEntry[];
  table(allow: readonly Grant[]): Table;
}

// What makes an instance a profile is that it was registered here; nothing about its shape does.
const profiles = new WeakMap<object, Profile>();
const withdrawn = new WeakSet<Profile>();
const registered = new WeakMap<ModuleContext, Set<object>>();

/** Effect: makes an instance a live profile, of the module that declares it. */
export function registerProfile(moduleContext: ModuleContext, instance: object, profile: Profile): void {
  profiles.set(instance, profile);
  const ofModule = registered.get(moduleContext) ?? new Set();
  registered.set(moduleContext, ofModule.add(instance));
}

/** Effect: revokes a profile; what still names it refuses. */
export function withdrawProfile(moduleContext: ModuleContext, instance: object): void {
  const profile = profiles.get(instance);
  if (profile !== undefined) {
    withdrawn.add(profile);
  }
  profiles.delete(instance);
  registered.get(moduleContext)?.delete(instance);
}

/**
 * The one profile to evaluate under: the one that is named, or the module's only one. Never from inputs, text or context.
 *
 * Pure.
 *
 * @throws InvokeError ERR_XMD_PROFILE when there is none, when several could be meant, or when it is no live profile
 * @see kernel-specs/evaluate.md EV-02
 */
export function profileFor(ctx: ResourceContext, named: unknown): Profile {
  const instance = named === undefined ? onlyOne(ctx.moduleContext) : ctx.resolveRef(named, isAnything, 'profile');
  const profile = profiles.get(instance);
  if (profile === undefined) {
    throw profileRefused('forged', 'what is named is no live Xmd.Profile', 'Name an Xmd.Profile of the application.');
  }
  return profile;
}

/**
 * Asserts that an evaluation under way may still call what its profile registers. Pure.
 *
 * @throws InvokeError ERR_XMD_PROFILE, resumable: the profile was torn down, and no call is made
 */
export function assertLive(profile: Profile): void {
  if (withdrawn.has(profile)) {
    throw profileRevoked();
  }
}

function onlyOne(moduleContext: ModuleContext): object {
  const [first, ...others] = registered.get(moduleContext) ?? [];
  if (first === undefined) {
    throw profileRefused('missing', 'the application declares none', 'Declare an Xmd.Profile.');
  }
  if (others.length > 0) {
    throw profileRefused('ambiguous', 'the application declares several', 'Name one of them as profile.');
  }
  return first;
}

function isAnything(_instance: ResourceInstance): _instance is ResourceInstance {
  return true;
}
