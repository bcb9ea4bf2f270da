import { profileRefused } from '../errors.ts';
import type { ElementNode, Form, Prop } from '../fragment/fragment.ts';
import { refuse } from '../fragment/refusal.ts';
import type { JsonObject, JsonValue } from '../values/json.ts';
import type { Grant, Operation } from './operation.ts';
import { closedProps } from './props-schema.ts';

/** What is done about a call that had begun when a process ended, and whose result is not on record. */
export type DoubtPolicy = 'retry' | 'refuse' | 'ask';

/** What a profile states about one operation of its host. */
export interface HostOperationDeclaration {
  readonly name: string;
  readonly form: Form;
  readonly grant: Grant;
  readonly description?: string;
  /** Changes when the operation does; compared when a run continues. */
  readonly revision: string;
  /** JSON Schema of the props; without one there are none. */
  readonly props?: JsonObject;
  /** `text`: the content is handed on as it is written. */
  readonly content: 'none' | 'text';
  /** The content is handed on among the props, under `content`, so no prop may have that name. */
  readonly handsOnContent?: boolean;
}

/** The resource that performs it. */
export interface HostTarget {
  /** `metadata.name` of the module that declares it. */
  readonly module: string;
  readonly kind: string;
  readonly name: string;
}

/** Compiles a JSON Schema once; the answer judges props. */
export type CompileProps = (schema: JsonObject) => (props: JsonObject) => boolean;

/**
 * The pure half of a host operation.
 *
 * Pure. Its input is the props as written: a string, `true` for a bare name, or the JSON in braces.
 *
 * @throws InvokeError ERR_XMD_PROFILE when form and content do not agree.
 */
export function hostOperation(
  declaration: HostOperationDeclaration,
  options: { readonly target: HostTarget; readonly compileProps: CompileProps },
): Operation {
  const { name, form, grant, content } = declaration;
  if ((form === 'paired') !== (content === 'text')) {
    throw profileRefused(
      'operation-content',
      `"${name}" is ${form} with content ${content}`,
      'State content text for a paired operation, and none for a self-closing one.',
    );
  }
  const { target } = options;
  const schema = declaration.props ?? closedProps({}, []);
  const admits = options.compileProps(schema);
  return Object.freeze<Operation>({
    name,
    form,
    grant,
    origin: 'host',
    identity: Object.freeze({
      kind: 'host',
      origin: target.module,
      key: `${target.kind}/${target.name}`,
      revision: declaration.revision,
    }),
    description: declaration.description ?? '',
    props: schema,
    content,
    braces: 'prose',
    children: 'none',
    plan(element) {
      const hides = declaration.handsOnContent === true && element.props.has('content');
      const input = hides ? undefined : propsOf(element);
      return input !== undefined && admits(input) ? { ok: true, value: { input } } : refuse('props', element.place);
    },
  });
}

function propsOf(element: ElementNode): JsonObject | undefined {
  const entries: [string, JsonValue][] = [];
  for (const [name, prop] of element.props) {
    const value = valueOf(prop);
    if (value === undefined) {
      return undefined;
    }
    entries.push([name, value]);
  }
  return Object.fromEntries(entries);
}

function valueOf(prop: Prop): JsonValue | undefined {
  return prop.kind === 'expression' ? undefined : prop.value;
}
