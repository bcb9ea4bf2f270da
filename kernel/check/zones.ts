import { readTemplate } from '../kinds/template.ts';
import type { FieldPath, LoadedDocument, LoadedModule } from '../manifest/model.ts';
import { isRecord } from '../manifest/record.ts';
import { Reference } from '../manifest/tagged.ts';
import type { Findings } from './findings.ts';
import { extendsKind, isDefinition } from './kinds.ts';
import type { KindLookup, ResolvedKind } from './kinds.ts';
import { resolveReference, slotOf } from './references.ts';
import { isStepList } from './bodies.ts';
import { scopedEntries, scopedTarget, templateEntries } from './scoped.ts';
import type { ScopedEntry } from './scoped.ts';
import { walkConfiguration } from './schema-walk.ts';
import type { Place } from './schema-walk.ts';
import { EVALUATE, doubtsThatPark, onlyProfile } from './evaluation-parks.ts';
import { bodiesOf } from './step-grammar.ts';

type Configuration = Readonly<Record<string, unknown>>;

/** A promise about everything that runs inside one slot of a resource. */
interface Zone {
  readonly kind: ResolvedKind;
  readonly attributes: Readonly<Record<string, string>>;
}

/** Where in the call graph something is reached from, and the zones that are open there. */
interface Site {
  readonly module: LoadedModule;
  readonly document: LoadedDocument;
  readonly path: FieldPath;
  readonly zones: readonly Zone[];
  /** Resources that live inside the one at hand, by name. */
  readonly scoped?: Inside;
}

/** Resources written inside something, with their places in its document. */
type Inside = ReadonlyMap<string, { readonly at: FieldPath; readonly value: Configuration }>;

/** A backoff of this many milliseconds parks the run instead of waiting. */
const PARKING_BACKOFF_MS = 30_000;
const RUN = 'Durable.Run';
const NONE: Inside = new Map();

/**
 * Follows every call from the boot targets and from every workflow, and reports kinds that need a zone that is not
 * open, or that break the promise of one that is. Effect: on `findings`.
 * @see kernel-specs/manifest.md 9
 */
export function checkZones(module: LoadedModule, lookup: KindLookup, findings: Findings): void {
  const checker = new ZoneChecker(lookup, findings);
  const { root } = module;
  const { targets } = root.fields;
  for (const [index, target] of (Array.isArray(targets) ? targets : []).entries()) {
    checker.bootTarget({ module, document: root, path: ['targets', index], zones: [] }, target);
  }
  for (const document of module.documents) {
    const kind = isDefinition(document) ? undefined : lookup(module, document.kind);
    if (kind?.ok === true && extendsKind(kind.kind, RUN)) {
      checker.resource(kind.kind, document, { module, document, path: [], zones: [] });
    }
  }
}

class ZoneChecker {
  readonly #lookup: KindLookup;
  readonly #findings: Findings;
  /** Documents, and resources inside them, with the zones they were followed under. */
  readonly #seen = new Map<object, Set<string>>();
  readonly #reported = new Set<string>();

  constructor(lookup: KindLookup, findings: Findings) {
    this.#lookup = lookup;
    this.#findings = findings;
  }

  bootTarget(site: Site, target: unknown): void {
    const { path } = site;
    if (typeof target === 'string') this.#call(new Reference(target, undefined, site.document.position(path)), site);
    else if (target instanceof Reference) this.#call(target, site);
    else if (isRecord(target) && target['invoke'] !== undefined) this.#step(target, site);
    else if (isRecord(target) && target['ref'] !== undefined)
      this.#call(target['ref'], { ...site, path: [...path, 'ref'] });
  }

  /** What a declared resource does when it is dispatched under `site.zones`. */
  resource(kind: ResolvedKind, document: LoadedDocument, site: Site): void {
    const zones = startsAfresh(kind) ? [] : site.zones;
    if (this.#followed(document, zones)) return;
    this.#configuration(kind, document.fields, { module: site.module, document, path: [], zones });
  }

  /** Whether a thing was followed under these zones before; it counts as followed from now on. */
  #followed(what: object, zones: readonly Zone[]): boolean {
    const key = zones.map((zone) => `${zone.kind.canonical}:${Object.keys(zone.attributes).join()}`).join(' ');
    const seen = this.#seen.get(what) ?? new Set();
    if (seen.has(key)) return true;
    this.#seen.set(what, seen.add(key));
    return false;
  }

  #configuration(kind: ResolvedKind, configuration: Configuration, around: Site): void {
    this.#template(kind, around.zones);
    const inside = insideOf(scopedEntries(kind, configuration), around.path);
    const site = { ...around, scoped: new Map([...(around.scoped ?? []), ...inside]) };
    const targets = inside.size > 0 && Array.isArray(configuration['targets']) ? configuration['targets'] : [];
    for (const [index, target] of targets.entries())
      this.#call(target, { ...site, path: [...site.path, 'targets', index] });
    if (kind.canonical === EVALUATE && configuration['profile'] === undefined) this.#onlyProfile(site);
    for (const path of doubtsThatPark(kind, configuration)) this.#doubt({ ...site, path: [...site.path, ...path] });
    walkConfiguration(kind.view.schema, configuration, (value, place) => {
      const inner = { ...site, path: [...site.path, ...place.path], zones: [...site.zones, ...provided(kind, place)] };
      if (isStepList(value, place)) {
        this.#steps(value, inner);
        return false;
      }
      if (place.schemas.some((schema) => schema['x-telo-scope'] === true)) return false;
      const slot = place.schemas.map(slotOf).find((one) => one !== undefined);
      if (slot === undefined || Array.isArray(value)) return true;
      if (slot.use === 'call') this.#call(value, inner);
      else if (slot.use === 'detached' || slot.use.startsWith('trigger.')) {
        if (slot.use === 'detached') this.#detach(inner);
        this.#call(value, { ...inner, zones: [] });
      }
      return false;
    });
  }

  /** An Evaluate that names no profile has its application's only one. */
  #onlyProfile(site: Site): void {
    const profile = onlyProfile(site.module, this.#lookup);
    if (profile !== undefined) this.resource(profile.kind, profile.document, site);
  }

  /** Where nothing is recorded, as in a region that is repeated whole, there is no doubt about a call either. */
  #doubt(site: Site): void {
    const open = (attribute: string) => site.zones.findLast((zone) => zone.attributes[attribute] !== undefined);
    const promise = open('noSuspend');
    if (promise === undefined || open('replayed') === undefined) return;
    if (open('idempotent') !== undefined || open('atomic') !== undefined) return;
    const message = `A call in doubt would park the run, inside a zone of ${promise.kind.canonical} that must not: ${promise.attributes['noSuspend']}`;
    this.#report('ZONE_ATTRIBUTE_VIOLATED', message, site, 'State inDoubt as retry, or evaluate outside of that zone.');
  }

  /** What an instance of a template does when it is dispatched: what of it answers. It is told of in the template. */
  #template({ definition }: ResolvedKind, zones: readonly Zone[]): void {
    const template = definition === undefined ? undefined : readTemplate(definition.document.fields);
    if (definition === undefined || template === undefined) return;
    const { module, document } = definition;
    if (this.#followed(document, zones)) return;
    const scoped = insideOf(templateEntries(template.resources), []);
    const { form } = template;
    if (form === 'invoke' || form === 'run')
      this.#call(document.fields[form], { module, document, path: [form], zones, scoped });
  }

  /** A replayed region would begin detached work anew each time it is gone through. */
  #detach(site: Site): void {
    const zone = site.zones.findLast((one) => one.attributes['replayed'] !== undefined);
    if (zone === undefined) return;
    const message = `This begins work that nobody waits for, and can be reached inside a ${zone.kind.canonical}: ${zone.attributes['replayed']}`;
    const hint = 'Invoke the target as a step, or detach it outside of the workflow.';
    this.#report('DURABLE_DETACH_FORBIDDEN', message, site, hint);
  }

  #steps(steps: readonly unknown[], site: Site): void {
    for (const [index, step] of steps.entries()) {
      if (isRecord(step)) this.#step(step, { ...site, path: [...site.path, index] });
    }
  }

  #step(step: Configuration, site: Site): void {
    for (const body of bodiesOf(step, site.path)) {
      if (Array.isArray(body.steps)) this.#steps(body.steps, { ...site, path: body.path });
    }
    if (step['invoke'] === undefined) return;
    this.#call(step['invoke'], { ...site, path: [...site.path, 'invoke'] });
    const promise = site.zones.findLast((zone) => zone.attributes['noSuspend'] !== undefined);
    if (promise === undefined || !parksBetweenAttempts(step['retry'])) return;
    const message = `This retry may wait by parking the run, inside a zone of ${promise.kind.canonical} that must not: ${promise.attributes['noSuspend']}`;
    this.#report('ZONE_ATTRIBUTE_VIOLATED', message, { ...site, path: [...site.path, 'retry'] });
  }

  /** `written`: where the configuration of what is called stands, if not at the call. */
  #call(value: unknown, site: Site, written: FieldPath = site.path): void {
    const scoped = scopedTarget(site.scoped ?? NONE, value);
    if (scoped !== undefined) {
      if (!this.#followed(scoped.value, site.zones)) this.#call(scoped.value, site, scoped.at);
    } else if (value instanceof Reference) {
      const found = resolveReference(site.module, value, this.#lookup);
      if (!found.ok) return;
      const { kind, name, resource } = found.target;
      this.#admit(kind, name, site);
      if (resource !== undefined) this.resource(kind, resource.document, { ...site, module: resource.module });
    } else if (isRecord(value) && typeof value['kind'] === 'string') {
      const found = this.#lookup(site.module, value['kind']);
      if (!found.ok) return;
      const { kind: _kind, metadata: _metadata, ...configuration } = value;
      this.#admit(found.kind, found.kind.canonical, site);
      const zones = startsAfresh(found.kind) ? [] : site.zones;
      this.#configuration(found.kind, configuration, { ...site, zones, path: written });
    }
  }

  /** Whether what is called here finds the zones it needs, and none that it breaks. */
  #admit(kind: ResolvedKind, name: string, site: Site): void {
    const { schema } = kind.view;
    const needed = requirement(kind, this.#lookup);
    if (needed !== undefined && !site.zones.some((zone) => satisfies(zone, needed))) {
      const message = `${name} (${kind.canonical}) must run inside a ${needed.zone}, and can be reached here outside of one`;
      this.#report('ZONE_REQUIREMENT_UNSATISFIED', message, site, needed.reason);
    }
    // What an evaluation may wait for is in its profile and its content, which are followed.
    const broken = kind.canonical === EVALUATE ? undefined : schema['x-telo-violates-zone'];
    for (const attribute of isRecord(broken) ? Object.keys(broken) : []) {
      const zone = site.zones.findLast((one) => one.attributes[attribute] !== undefined);
      if (zone === undefined) continue;
      const message = `${name} (${kind.canonical}) cannot run here: ${zone.kind.canonical} promises ${attribute}: ${zone.attributes[attribute]}`;
      this.#report('ZONE_ATTRIBUTE_VIOLATED', message, site);
    }
  }

  #report(code: string, message: string, site: Site, hint?: string): void {
    const key = JSON.stringify([code, message, site.path, site.document.position(site.path)]);
    if (this.#reported.has(key)) return;
    this.#reported.add(key);
    this.#findings.add(site.document, { code, message, path: site.path, hint });
  }
}

function insideOf(entries: readonly ScopedEntry[], path: FieldPath): Inside {
  return new Map(
    entries.flatMap(({ name, value, at }) =>
      name !== undefined && isRecord(value) ? [[name, { at: [...path, ...at], value }] as const] : [],
    ),
  );
}

interface Requirement {
  /** Canonical. */
  readonly zone: string;
  readonly attributes: readonly string[];
  readonly reason: string | undefined;
}

function requirement(kind: ResolvedKind, lookup: KindLookup): Requirement | undefined {
  const annotation = kind.view.schema['x-telo-requires-zone'];
  const spec = typeof annotation === 'string' ? { zone: annotation } : annotation;
  if (!isRecord(spec) || typeof spec['zone'] !== 'string') return undefined;
  const found = kind.definition === undefined ? undefined : lookup(kind.definition.module, spec['zone']);
  const { attributes, reason } = spec;
  return {
    zone: found?.ok === true ? found.kind.canonical : spec['zone'],
    attributes: Array.isArray(attributes) ? attributes.filter((one) => typeof one === 'string') : [],
    reason: typeof reason === 'string' ? reason : undefined,
  };
}

function satisfies(zone: Zone, needed: Requirement): boolean {
  return (
    extendsKind(zone.kind, needed.zone) &&
    needed.attributes.every((attribute) => zone.attributes[attribute] !== undefined)
  );
}

function provided(kind: ResolvedKind, place: Place): Zone[] {
  const annotation = place.schemas
    .map((schema) => schema['x-telo-provides-zone'])
    .find((one) => one !== undefined && one !== false);
  if (annotation === undefined) return [];
  const { key: _key, ...attributes } = isRecord(annotation) ? annotation : {};
  return [
    {
      kind,
      attributes: Object.fromEntries(Object.entries(attributes).map(([name, reason]) => [name, String(reason)])),
    },
  ];
}

/** A workflow's body and a service run on contexts of their own: no zone of a caller reaches into them. */
function startsAfresh(kind: ResolvedKind): boolean {
  return extendsKind(kind, RUN) || kind.view.capability === 'Telo.Service';
}

function parksBetweenAttempts(retry: unknown): boolean {
  if (!isRecord(retry)) return false;
  const number = (name: string, otherwise: number): number => {
    const value = retry[name];
    return typeof value === 'number' ? value : otherwise;
  };
  const attempts = number('attempts', 0);
  const longest = number('initialDelay', 250) * number('factor', 2) ** (attempts - 1);
  return attempts > 0 && Math.min(longest, number('maxDelay', 32_000)) >= PARKING_BACKOFF_MS;
}
