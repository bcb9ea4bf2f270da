import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { ResourceInstance } from '@telorun/sdk';
import { isWorkflow } from '../../../kernel/durable/references.ts';
import type { WorkflowInstance } from '../../../kernel/durable/workflow-instance.ts';
import { checkManifests } from '../../../kernel/check/check-manifests.ts';
import type { Kernel } from '../../../kernel/index.ts';
import { folderWith, open } from '../../unit/kernel/runtime/support/application.ts';
import { NAMES } from './reserved-names.ts';

const MANIFESTS = resolve(import.meta.dirname, '../../../manifests');
/** `Call`, and a kind for each name that nothing but Xmd may answer for as an element. */
const KINDS = ['Call', ...NAMES];

/** A library whose kinds log every call: what they were given, and at which step path. */
const SHOP = `kind: Telo.Library
metadata: { name: Shop, version: 0.1.0 }
exports: { kinds: [${KINDS.join(', ')}], resources: [branch] }
---
kind: Self.Call
metadata: { name: branch }
answer: from the library
---
${KINDS.map(
  (name) => `kind: Telo.Definition
metadata: { name: ${name}, description: Logs its calls. }
capability: Telo.Invocable
controllers: [ "pkg:telo/local/js?path=./shop.mjs#Call" ]
schema:
  type: object
  properties:
    answer: { description: What it answers. }
    does: { type: string, description: What it does besides. }
`,
).join('---\n')}`;

/** `secret` answers an object that holds more than its own plain members; `throw` fails with one. */
const SHOP_CODE = `import { appendFileSync } from 'node:fs';
const SECRET = 'hunter2-of-the-host';
class Vault {
  #own = SECRET;
  reveal() { return this.#own; }
  toJSON() { return { open: 1, list: [{ a: 1 }] }; }
  get secret() { return this.#own; }
}
function loaded() {
  const value = { open: 1, list: [{ a: 1 }] };
  Object.defineProperty(value, 'hidden', { value: SECRET, enumerable: false });
  value[Symbol.for('hidden')] = SECRET;
  return value;
}
function failure() {
  const error = new Error('the shop is closed', { cause: { secret: SECRET, reveal: () => SECRET } });
  error.vault = new Vault();
  error.reveal = () => SECRET;
  return error;
}
export const Call = {
  create: (resource, ctx) => ({
    invoke: async (inputs, invokeCtx) => {
      const { name } = resource.metadata;
      appendFileSync(ctx.env.SHOP_LOG, JSON.stringify({ name, inputs, path: invokeCtx?.durablePath ?? null }) + '\\n');
      if (resource.does === 'secret') return loaded();
      if (resource.does === 'vault') return new Vault();
      if (resource.does === 'throw') throw failure();
      return resource.answer ?? inputs ?? null;
    },
  }),
};
`;

export interface ShopCall {
  readonly name: string;
  readonly inputs: unknown;
  readonly path: string | null;
}

export interface WorldOptions {
  /** Lines of the application's imports, beside the standard ones and Shop. */
  readonly imports?: string;
  readonly files?: Readonly<Record<string, string>>;
}

/** An application on disk: the given documents, a journal \`runs\`, and the library Shop. */
export class World {
  readonly folder: string;

  constructor(documents: string, options: WorldOptions = {}) {
    this.folder = folderWith({
      'telo.yaml': manifest(documents, options.imports),
      'shop/telo.yaml': SHOP,
      'shop/shop.mjs': SHOP_CODE,
      'work/a.md': 'a',
      ...options.files,
    });
  }

  /** Replaces the manifest of the application. */
  write(documents: string, imports?: string): void {
    writeFileSync(join(this.folder, 'telo.yaml'), manifest(documents, imports));
  }

  /** Fresh instances, as a process that has just booted the manifest has them. @throws what the boot refuses */
  async process(): Promise<WorldProcess> {
    const env = { SHOP_LOG: join(this.folder, 'log'), J: join(this.folder, 'runs.db') };
    const { kernel } = await open(this.folder, { env });
    return new WorldProcess(kernel);
  }

  /** What the check says, as code and line. */
  async check(): Promise<readonly string[]> {
    const found = await checkManifests(['telo.yaml'], { cwd: this.folder });
    return found.map(({ code, position }) => `${position.line} ${code}`);
  }

  get calls(): readonly ShopCall[] {
    const log = join(this.folder, 'log');
    if (!existsSync(log)) return [];
    return readFileSync(log, 'utf8')
      .split('\n')
      .filter((line) => line !== '')
      .map((line): ShopCall => JSON.parse(line));
  }

  /** The text of a file in the workspace; undefined when there is none. */
  get(path: string): string | undefined {
    const file = join(this.folder, 'work', path);
    return existsSync(file) ? readFileSync(file, 'utf8') : undefined;
  }
}

export class WorldProcess {
  readonly kernel: Kernel;

  constructor(kernel: Kernel) {
    this.kernel = kernel;
  }

  get workflow(): WorkflowInstance {
    const [found] = this.kernel.instancesOfKind('DurableLocal.Workflow');
    if (found === undefined || !isWorkflow(found.instance)) throw new Error('there is no workflow');
    return found.instance;
  }

  /** Evaluates outside a run. */
  evaluate(text: string, name = 'apply'): Promise<unknown> {
    return invoked(this.#named('Xmd.Evaluate', name), { text });
  }

  /** Invokes any resource. */
  invoke(kind: string, name: string, inputs: unknown): Promise<unknown> {
    return invoked(this.#named(kind, name), inputs);
  }

  async run(run: string, inputs: unknown = {}): Promise<unknown> {
    const started = await this.workflow.start({ inputs, runId: run });
    return started.done;
  }

  async keys(run: string): Promise<readonly string[]> {
    return (await this.workflow.journal.readEntries(run)).map(({ path }) => path);
  }

  async value(run: string, path: string): Promise<unknown> {
    return (await this.workflow.journal.readEntries(run)).find((entry) => entry.path === path)?.value;
  }

  #named(kind: string, name: string): ResourceInstance {
    const found = this.kernel.instancesOfKind(kind).find((one) => one.name === name);
    if (found === undefined) throw new Error(`there is no ${kind} ${name}`);
    return found.instance;
  }
}

function invoked(instance: ResourceInstance, inputs: unknown): Promise<unknown> {
  if (instance.invoke === undefined) throw new Error('it cannot be invoked');
  return instance.invoke(inputs);
}

function manifest(documents: string, imports = ''): string {
  return `kind: Telo.Application
metadata: { name: App, version: 0.1.0 }
imports:
  Run: oci://ghcr.io/telorun/run@0.25.0
  Durable: oci://ghcr.io/telorun/durable@0.2.0
  DurableLocal: oci://ghcr.io/telorun/durable-local@0.2.0
  DurableJournalSqlite: ${MANIFESTS}/durable-journal-sqlite
  Xmd: ${MANIFESTS}/xmd
  Shop: ./shop
${imports}variables: { journal: { env: J, type: string, default: runs.db } }
---
kind: DurableJournalSqlite.Journal
metadata: { name: runs }
file: !cel variables.journal
---
${documents.trim()}
`;
}

/** A profile over \`./work\` with these operations (lines of YAML), and one Evaluate named apply. Pure. */
export function evaluating(operations = '', options: { grants?: string; allow?: string } = {}): string {
  const { grants = '[read, write]', allow = grants } = options;
  return `kind: Xmd.Profile
metadata: { name: profile }
root: ./work
grants: ${grants}
${operations === '' ? '' : `operations:\n${operations.trimEnd()}\n`}---
kind: Xmd.Evaluate
metadata: { name: apply }
profile: !ref profile
allow: ${allow}
`;
}

/** A workflow that evaluates the text of its inputs in one step. */
export const FLOW = `---
kind: DurableLocal.Workflow
metadata: { name: flow }
journal: !ref runs
inputs: { text: !cel inputs.text }
steps:
  - { name: apply, invoke: !ref apply, inputs: { text: !cel inputs.text } }
`;
