import type { ElementNode, Form, Fragment, Verdict } from '../fragment/fragment.ts';
import type { JsonObject } from '../values/json.ts';
import type { PathLimits } from '../values/path-limits.ts';
import type { Limits } from './limits.ts';

export type Grant = 'read' | 'write';

/** Exactly which operation an element stands for; compared when a run continues. */
export interface Identity {
  readonly kind: 'standard' | 'host';
  /** metadata.name of the module that declares the operation; `Xmd` for the standard ones. */
  readonly origin: string;
  /** `File:read`, or `<Kind>/<name>` of a host operation's target. */
  readonly key: string;
  readonly revision: string;
}

/** What a plan function may look at besides the element. */
export interface PlanScope {
  readonly fragment: Fragment;
  readonly limits: Limits;
  /** Directory of the enclosing Dir elements, relative to the root, '' at the root; POSIX. */
  readonly directory: string;
  readonly paths: PathLimits;
}

/** What one element will do, once admitted. */
export interface PlannedInput {
  /** Plain data: `{path}` relative to the root, or the request of a Fetch as it is admitted. */
  readonly input: JsonObject;
  /** Directory for nested elements, when the element changes it (Dir). */
  readonly directory?: string;
  /** Exact characters that are the content, when they are not its rendered children (`fenced`). */
  readonly literal?: string;
}

/** The pure half of one thing a fragment may ask for: everything preflight needs, and nothing that performs. */
export interface Operation {
  readonly name: string;
  readonly form: Form;
  readonly grant: Grant;
  readonly origin: 'standard' | 'host';
  readonly identity: Identity;
  /** Identity strings of version-1 records that mean this operation. */
  readonly legacy?: readonly string[];
  readonly description: string;
  /** JSON Schema of the props, for the syntax listing. */
  readonly props: JsonObject;
  /** `elements`: nested elements allowed; `text`: text only; `none`: self-closing. */
  readonly content: 'none' | 'text' | 'elements';
  /** Whether braces in its content are bytes (a paired File) or prose (Dir). */
  readonly braces: 'bytes' | 'prose';
  /** When nested elements are performed relative to this one. */
  readonly children: 'none' | 'first' | 'after';
  plan(element: ElementNode, scope: PlanScope): Verdict<PlannedInput>;
}
