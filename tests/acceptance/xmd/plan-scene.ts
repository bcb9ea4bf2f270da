import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { DurableRunHandle, InvokeContext, ResourceInstance } from '@telorun/sdk';
import { stampRefIdentity, UNCANCELLABLE_CONTEXT } from '@telorun/sdk';
import { onTestFinished } from 'vitest';
import * as Evaluate from '../../../controllers/xmd/evaluate.ts';
import * as Plan from '../../../controllers/xmd/plan.ts';
import * as Profile from '../../../controllers/xmd/profile.ts';
import { openaiModel } from '../../../kernel/kinds/ai-openai/openai-model.ts';
import { durableContext, type FakeContext, fakeContext } from '../../support/fake-context.ts';
import { type ModelServer, type Script, startModelServer } from '../../support/model-server/model-server.ts';

export const KEY = 'sk-canary-a81c';

/** A region that is journaled as a whole. */
const ZONES = { steps: { idempotent: 'harmless' } };

export interface PlanFields {
  readonly plan?: Readonly<Record<string, unknown>>;
  readonly profile?: Readonly<Record<string, unknown>>;
  readonly model?: Readonly<Record<string, unknown>>;
  /** In place of a model over HTTP. */
  readonly instance?: ResourceInstance;
}

/** What one process makes of a manifest with a model, a profile, a plan and an evaluation. */
export interface PlanProcess {
  readonly ctx: FakeContext;
  plan(inputs: unknown, context?: InvokeContext): Promise<string>;
  planIn(handle: DurableRunHandle, inputs: unknown, at?: { path?: string; attempt?: number }): Promise<string>;
  evaluate(text: string, handle?: DurableRunHandle): Promise<unknown>;
}

export class PlanScene {
  readonly server: ModelServer;
  readonly folder = mkdtempSync(join(tmpdir(), 'xmd-plan-'));

  private constructor(server: ModelServer) {
    this.server = server;
    mkdirSync(join(this.folder, 'work'));
    onTestFinished(() => rmSync(this.folder, { recursive: true, force: true }));
  }

  static async open(...scripts: readonly Script[]): Promise<PlanScene> {
    return new PlanScene(await startModelServer(...scripts));
  }

  put(name: string, text: string): void {
    writeFileSync(join(this.folder, 'work', name), text);
  }

  /** Names of the files below the root. */
  files(): readonly string[] {
    return readdirSync(join(this.folder, 'work')).toSorted();
  }

  /** The messages of one request, counted from 0. */
  messages(index: number): readonly { readonly role: string; readonly content: string }[] {
    const messages = this.server.asked[index]?.body['messages'];
    return Array.isArray(messages) ? messages : [];
  }

  async process(fields: PlanFields = {}): Promise<PlanProcess> {
    const source = pathToFileURL(join(this.folder, 'telo.yaml')).href;
    const model = fields.instance ?? (await this.#model(fields.model ?? {}));
    const ctx = fakeContext({ name: 'planner', moduleContext: { source }, resources: { writer: model }, zones: ZONES });
    const stated = { root: './work', grants: ['read', 'write'], ...fields.profile };
    Profile.create({ kind: 'Xmd.Profile', metadata: { name: 'workspace', module: 'App' }, ...stated }, ctx);
    const plan = Plan.create(
      {
        kind: 'Xmd.Plan',
        metadata: { name: 'planner', module: 'App' },
        model: { kind: 'AiOpenai.OpenaiModel', name: 'writer' },
        ...fields.plan,
      },
      ctx,
    );
    const allow = ['read', 'write'];
    const evaluate = Evaluate.create({ kind: 'Xmd.Evaluate', metadata: { name: 'apply', module: 'App' }, allow }, ctx);
    return {
      ctx,
      plan: (inputs, context = UNCANCELLABLE_CONTEXT) => plan.invoke(inputs, context),
      planIn: (handle, inputs, { path = 'steps/plan', attempt } = {}) =>
        plan.invoke(inputs, durableContext(handle, path, attempt === undefined ? {} : { attempt })),
      evaluate: (text, handle) =>
        evaluate.invoke({ text }, handle === undefined ? UNCANCELLABLE_CONTEXT : durableContext(handle, 'steps/apply')),
    };
  }

  async #model(fields: Readonly<Record<string, unknown>>): Promise<ResourceInstance> {
    const controller = await openaiModel.controller();
    const kind = 'AiOpenai.OpenaiModel';
    const resource = {
      kind,
      metadata: { name: 'writer' },
      model: 'small-1',
      apiKey: KEY,
      baseUrl: this.server.baseUrl,
    };
    const ctx = fakeContext({ name: 'writer', kind });
    const model = await controller.create({ ...resource, retry: { attempts: 0 }, ...fields }, ctx);
    if (model === null) throw new TypeError('no model');
    stampRefIdentity(model, kind, 'writer', { module: pathToFileURL(join(this.folder, 'telo.yaml')).href });
    return model;
  }
}

/** An answer with a fragment in the marked fence. */
export function fenced(fragment: string): string {
  return `Here it is:\n\n\`\`\`\`xmd\n${fragment}\n\`\`\`\`\n`;
}
