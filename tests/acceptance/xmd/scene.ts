import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { DurableRunHandle, InvokeContext, ResourceInstance, ZoneAttribute } from '@telorun/sdk';
import { isSuspension, parkRun, stampRefIdentity, UNCANCELLABLE_CONTEXT } from '@telorun/sdk';
import { onTestFinished } from 'vitest';
import { Evaluate, Preflight, Profile } from '../../../controllers/xmd/index.ts';
import type { PreflightAnswer } from '../../../controllers/xmd/preflight-answer.ts';
import type { EvaluationResult } from '../../../controllers/xmd/performance/outcome.ts';
import { durableContext, type FakeContext, fakeContext, resource } from '../../support/fake-context.ts';
import type { MemoryRun } from '../../support/memory-handle.ts';
import { fileCalls } from './counting-files.ts';

export interface SceneOptions {
  /** Files below the root, before anything happens. */
  readonly files?: Readonly<Record<string, string>>;
  readonly profile?: Readonly<Record<string, unknown>>;
  readonly allow?: readonly string[];
  readonly text?: string;
  /** Steps that make the text; a target's reference is `{kind, name}`. */
  readonly content?: unknown;
  /** Live targets of host operations, by resource name. */
  readonly targets?: Readonly<Record<string, ResourceInstance>>;
  readonly zones?: Readonly<Record<string, Partial<Record<ZoneAttribute, string>>>>;
}

/** A folder on disk, and what one process makes of a manifest beside it. */
export class Scene {
  readonly folder = mkdtempSync(join(tmpdir(), 'xmd-scene-'));
  readonly options: SceneOptions;

  constructor(options: SceneOptions = {}) {
    this.options = options;
    mkdirSync(join(this.folder, 'work'));
    for (const [path, text] of Object.entries(options.files ?? {})) {
      this.put(path, text);
    }
    fileCalls.length = 0;
    onTestFinished(() => rmSync(this.folder, { recursive: true, force: true }));
  }

  /** Calls of the file provider so far, over all processes of this scene. */
  get calls(): readonly string[] {
    return [...fileCalls];
  }

  put(path: string, text: string): void {
    const file = join(this.folder, 'work', path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
  }

  get(path: string): string | undefined {
    const file = join(this.folder, 'work', path);
    return existsSync(file) ? readFileSync(file, 'utf8') : undefined;
  }

  delete(path: string): void {
    rmSync(join(this.folder, 'work', path));
  }

  /** Fresh instances, as a process that has just booted the manifest has them. */
  process(changes: Partial<SceneOptions> = {}): SceneProcess {
    return new SceneProcess(this, { ...this.options, ...changes });
  }
}

export class SceneProcess {
  readonly ctx: FakeContext;
  readonly profile: ResourceInstance;
  readonly #evaluate: ReturnType<typeof Evaluate.create>;
  readonly #preflight: ReturnType<typeof Preflight.create>;

  constructor(scene: Scene, options: SceneOptions) {
    this.ctx = fakeContext({
      moduleContext: { source: pathToFileURL(join(scene.folder, 'telo.yaml')).href },
      resources: options.targets ?? {},
      ...(options.zones === undefined ? {} : { zones: options.zones }),
    });
    this.profile = Profile.create(
      {
        kind: 'Xmd.Profile',
        metadata: { name: 'workspace', module: 'App' },
        root: './work',
        grants: ['read', 'write'],
        ...options.profile,
      },
      this.ctx,
    );
    stampRefIdentity(this.profile, 'Xmd.Profile', 'workspace', { module: 'App' });
    const stated = {
      ...(options.allow === undefined ? {} : { allow: options.allow }),
      ...(options.text === undefined ? {} : { text: options.text }),
      ...(options.content === undefined ? {} : { content: options.content }),
    };
    this.#evaluate = Evaluate.create({ kind: 'Xmd.Evaluate', metadata: { name: 'apply' }, ...stated }, this.ctx);
    this.#preflight = Preflight.create({ kind: 'Xmd.Preflight', metadata: { name: 'check' }, ...stated }, this.ctx);
  }

  evaluate(inputs: unknown, context: InvokeContext = UNCANCELLABLE_CONTEXT): Promise<EvaluationResult> {
    return this.#evaluate.invoke(inputs, context);
  }

  /** Evaluates inside a run, at `steps/apply` unless told otherwise. */
  evaluateIn(
    handle: DurableRunHandle,
    inputs: unknown,
    at: { readonly path?: string; readonly attempt?: number } = {},
  ): Promise<EvaluationResult> {
    const { path = 'steps/apply', attempt } = at;
    return this.evaluate(inputs, durableContext(handle, path, attempt === undefined ? {} : { attempt }));
  }

  preflight(inputs: unknown): Promise<PreflightAnswer> {
    return this.#preflight.invoke(inputs);
  }

  /** The Xmd.Preflight itself, as a step would invoke it. */
  get preflightInstance(): ResourceInstance & Required<Pick<ResourceInstance, 'invoke'>> {
    return this.#preflight;
  }

  /** The method the command line calls. */
  get evaluateInstance(): ReturnType<typeof Evaluate.create> {
    return this.#evaluate;
  }

  /** The steps of a workflow around one evaluation: it, a later effect, a wait. */
  async workflow(handle: DurableRunHandle, inputs: unknown, later: () => unknown): Promise<unknown> {
    const pinned = await handle.decide('steps/apply/inputs', 'inputs', () => inputs);
    const applied = await handle.step(
      'steps/apply',
      { kind: 'Xmd.Evaluate', name: 'apply', module: 'App' },
      pinned,
      () => this.evaluateIn(handle, pinned),
    );
    await handle.step('steps/later', undefined, {}, async () => later());
    const answer = await handle.step('steps/wait', undefined, {}, () =>
      parkRun(handle, { path: 'steps/wait', resource: 'approval' }, { token: 'T' }),
    );
    return { applied, answer };
  }
}

/** A resource that waits for an answer at the path it is dispatched under, as Durable.Await does. */
export function waiting(name: string, started: string[] = []): ResourceInstance {
  return resource('Durable.Await', name, async (_inputs, context) => {
    started.push(context?.durablePath ?? '');
    if (context?.durable === undefined || context.durablePath === undefined) {
      throw Object.assign(new Error('There is no run to park'), { code: 'ERR_DURABLE_NO_RUN' });
    }
    return parkRun(context.durable, { path: context.durablePath, resource: name }, { token: `token-${name}` });
  });
}

/** Waits until `work` has suspended; anything else it does is the test's failure. */
export async function suspended(work: Promise<unknown>): Promise<void> {
  const ended = await work.then(
    (value) => ({ value }),
    (error: unknown) => ({ error }),
  );
  if (!('error' in ended) || !isSuspension(ended.error)) {
    throw new Error(`Expected a suspension, found ${JSON.stringify(ended)}`, {
      cause: 'error' in ended ? ended.error : '',
    });
  }
}

/** Changes one record of a run in place, as someone with the journal file could. */
export function rewrite(run: MemoryRun, path: string, change: (value: Record<string, unknown>) => unknown): void {
  const entry = run.entries.get(path);
  if (entry?.text === undefined) {
    throw new Error(`Nothing is recorded at ${path}`);
  }
  const value: Record<string, unknown> = JSON.parse(entry.text);
  run.entries.set(path, { ...entry, text: JSON.stringify(change(value)) });
}
