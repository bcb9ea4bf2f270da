import type { CancellationToken } from '@telorun/sdk';
import type { PlannedEffect } from '../preflight/plan.ts';
import type { Http } from '../providers/http.ts';
import type { HttpRequest, WrittenRequest } from '../values/http-request.ts';
import { readHttpRequest } from '../values/http-request.ts';
import type { JsonObject } from '../values/json.ts';
import { withEffect } from './effect-problem.ts';
import type { Performer } from './performer.ts';

/**
 * `<Fetch url="https://example.org" />`: sends the admitted request. Answers `{status, headers, body}`, whatever the
 * status, and renders nothing.
 *
 * @see kernel-specs/fetch.md FT-50
 */
export function fetchRequest(http: Http): Performer {
  return {
    timed: true,
    perform: async (effect, scope): Promise<JsonObject> => {
      scope.cancellation.throwIfCancelled();
      const request = plannedRequest(effect);
      const { responseBytes, effectMs } = scope.limits;
      const timeoutMs = Math.min(request.timeout ?? effectMs, effectMs);
      try {
        const { status, headers, body } = await signalled(scope.cancellation, (signal) =>
          http.fetch(request, { responseBytes, timeoutMs, signal }),
        );
        return { status, headers: { ...headers }, body };
      } catch (error) {
        scope.cancellation.throwIfCancelled();
        throw withEffect(scope.path, error);
      }
    },
    render: () => '',
  };
}

/** The admitted request is what the effect was planned with. A plan without one is a programmer's mistake. */
function plannedRequest({ input }: PlannedEffect): HttpRequest {
  const request = isWritten(input) ? readHttpRequest(input) : undefined;
  if (request === undefined) {
    throw new TypeError('A planned Fetch has a request');
  }
  return request;
}

function isWritten(input: JsonObject): input is JsonObject & WrittenRequest {
  return typeof input['url'] === 'string' && typeof input['method'] === 'string';
}

async function signalled<T>(token: CancellationToken, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const controller = new AbortController();
  const stopListening = token.onCancelled(() => controller.abort());
  try {
    return await work(controller.signal);
  } finally {
    stopListening();
  }
}
