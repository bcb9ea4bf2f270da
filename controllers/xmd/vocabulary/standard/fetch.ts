import type { ElementNode, Prop } from '../../fragment/fragment.ts';
import { refuse } from '../../fragment/refusal.ts';
import type { HttpRequest, WrittenRequest } from '../../values/http-request.ts';
import { readHttpRequest, readWrittenRequest } from '../../values/http-request.ts';
import type { JsonObject, JsonValue } from '../../values/json.ts';
import type { RequestLimit } from '../../values/request-limit.ts';
import { admittedRequest } from '../../values/request-limit.ts';
import type { Operation } from '../operation.ts';
import { closedProps } from '../props-schema.ts';
import { standardIdentity } from './identity.ts';

const PROPS: ReadonlySet<string> = new Set(['url', 'method', 'headers', 'timeout']);

/**
 * `<Fetch url="https://example.org/status" />`: sends one of the requests that the host states.
 *
 * Pure. What is planned is the stated request, never the props.
 *
 * @see kernel-specs/fetch.md
 */
export function fetchOperation(limits: readonly RequestLimit[]): Operation {
  return Object.freeze<Operation>({
    name: 'Fetch',
    form: 'self-closing',
    grant: 'read',
    origin: 'standard',
    identity: standardIdentity('Fetch'),
    legacy: ['@executablemd/core#Fetch'],
    description:
      'Send a request that the host states: `<Fetch url="https://example.org/status" />`, also with `method`, ' +
      '`headers={{"accept": "text/plain"}}` and `timeout="30s"` where those are stated. Its value is status, headers and ' +
      'body; it renders nothing.',
    props: propsOf(limits),
    content: 'none',
    braces: 'prose',
    children: 'none',
    plan(element) {
      const written = readWritten(element);
      if (written === undefined) {
        return refuse('props', element.place);
      }
      const candidate = readHttpRequest(written);
      const request = candidate === undefined ? undefined : admittedRequest(candidate, limits);
      return request === undefined
        ? refuse('request', element.place)
        : { ok: true, value: { input: requestJson(request) } };
    },
  });
}

/** A request as an effect's input. Pure. */
function requestJson({ url, method, headers, timeout }: HttpRequest): JsonObject {
  return { url, method, headers: { ...headers }, ...(timeout === undefined ? {} : { timeout }) };
}

/** The props with their types; undefined when one is of another type, or is none of this element. */
function readWritten(element: ElementNode): WrittenRequest | undefined {
  if (![...element.props.keys()].every((name) => PROPS.has(name))) {
    return undefined;
  }
  return readWrittenRequest(
    Object.fromEntries([...PROPS].map((name): [string, unknown] => [name, valueOf(element.props.get(name))])),
  );
}

function valueOf(prop: Prop | undefined): JsonValue | undefined {
  return prop === undefined || prop.kind === 'expression' ? undefined : prop.value;
}

/** Says which URLs are stated; never a header, which may hold a credential. */
function propsOf(limits: readonly RequestLimit[]): JsonObject {
  const urls = [
    ...new Set(limits.map(({ match, request }) => (match === 'exact' ? request.url : `${request.url}...`))),
  ];
  return closedProps(
    {
      url: {
        type: 'string',
        description: 'Absolute URL as the host states it, or below one that ends in "..."',
        examples: urls,
      },
      method: { type: 'string', enum: ['GET', 'HEAD'], description: 'GET when left out' },
      headers: {
        type: 'object',
        additionalProperties: { type: 'string' },
        description: 'Exactly the headers of the stated request',
      },
      timeout: {
        type: ['string', 'integer'],
        description: 'Exactly the timeout of the stated request: 500ms, 30s, 2m',
      },
    },
    ['url'],
  );
}
