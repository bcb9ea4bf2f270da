import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { ResourceInstance } from '@telorun/sdk';
import { deriveContext, stampRefIdentity } from '@telorun/sdk';
import { Evaluate, Profile } from '#xmd';
import type { Acting } from '../stage.ts';
import { hostIn } from './program.ts';
import { resource } from './resource-context.ts';

const MODULE = 'Conformance';
const PROPS = { type: 'object', properties: { of: { type: 'string' } }, additionalProperties: false };

/** Where the fragments of the suite are evaluated. */
export const APPLY = 'steps/apply';
const TARGET = { kind: 'Xmd.Evaluate', name: 'apply', module: MODULE };

/** What differs from the usual profile and request, for one evaluation. */
export interface Changes {
  readonly allow?: readonly string[];
  readonly root?: string;
  readonly limits?: Readonly<Record<string, number>>;
  /** Revision of the operation Ask. */
  readonly revision?: string;
  /** Resource behind the operation Ask. */
  readonly ask?: string;
}

/**
 * A folder that fragments work on, and the host's operations `Ask` (reads, counted), `Hold` (lets the case pause) and
 * `Wait` (parks). Fresh instances of profile and evaluator for each evaluation, as a process that has booted has them.
 */
export class Workspace {
  /** Calls of `Ask` so far, over all executions. */
  readonly asked: string[] = [];
  readonly #folder = mkdtempSync(join(tmpdir(), 'conformance-'));

  constructor(files: Readonly<Record<string, string>> = {}) {
    mkdirSync(join(this.#folder, 'work'));
    mkdirSync(join(this.#folder, 'elsewhere'));
    for (const [path, text] of Object.entries(files)) this.put(path, text);
  }

  put(path: string, text: string): void {
    const file = join(this.#folder, 'work', path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
  }

  /** The text of a file; undefined where there is none. */
  get(path: string): string | undefined {
    const file = join(this.#folder, 'work', path);
    return existsSync(file) ? readFileSync(file, 'utf8') : undefined;
  }

  dispose(): void {
    rmSync(this.#folder, { recursive: true, force: true });
  }

  /** Evaluates a fragment below `steps/apply`, as the step of a workflow does. Durable. */
  evaluate(text: string, acting: Acting, changes: Changes = {}): Promise<unknown> {
    const { allow = ['read', 'write'], ask = 'ask' } = changes;
    const resources = this.#resources(acting, ask);
    const host = hostIn(acting, {
      resources,
      moduleContext: { source: pathToFileURL(join(this.#folder, 'telo.yaml')).href },
    });
    const profile: ResourceInstance = Profile.create(
      {
        kind: 'Xmd.Profile',
        metadata: { name: 'workspace', module: MODULE },
        root: changes.root ?? './work',
        grants: ['read', 'write'],
        operations: [operation('Ask', ask, changes.revision), operation('Hold', 'hold'), operation('Wait', 'wait')],
        ...(changes.limits === undefined ? {} : { limits: changes.limits }),
      },
      host,
    );
    stampRefIdentity(profile, 'Xmd.Profile', 'workspace', { module: MODULE });
    const evaluator = Evaluate.create(
      { kind: 'Xmd.Evaluate', metadata: { name: 'apply', module: MODULE }, allow },
      host,
    );
    return evaluator.invoke({ text }, deriveContext(acting.context, { durablePath: APPLY }));
  }

  /** The step of a workflow around one evaluation. */
  step(text: string, acting: Acting, changes: Changes = {}): Promise<unknown> {
    return acting.handle.step(APPLY, TARGET, { text }, () => this.evaluate(text, acting, changes));
  }

  #resources(acting: Acting, ask: string): Readonly<Record<string, ResourceInstance>> {
    return {
      [ask]: resource(
        'Test.Ask',
        ask,
        (inputs) => {
          const of = String(Reflect.get(Object(inputs), 'of'));
          this.asked.push(of);
          return `answer to ${of}`;
        },
        MODULE,
      ),
      hold: resource('Run.Hold', 'hold', () => acting.pause(), MODULE),
      wait: resource('Durable.Await', 'wait', (_inputs, context) => acting.park(context?.durablePath ?? ''), MODULE),
    };
  }
}

function operation(name: string, target: string, revision = '1'): Readonly<Record<string, unknown>> {
  const kind = { Ask: 'Test.Ask', Hold: 'Run.Hold', Wait: 'Durable.Await' }[name];
  return { name, form: 'self-closing', grant: 'read', revision, props: PROPS, invoke: { kind, name: target } };
}
