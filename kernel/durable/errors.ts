import { codeOf, InvokeError } from '@telorun/sdk';
import type { RunError, RunStatus } from '@telorun/sdk/journal';

/** Any thrown thing as what a run records of it: code, message and data. Pure. */
export function toRunError(error: unknown): RunError {
  const message = error instanceof Error ? error.message : String(error);
  const code = codeOf(error) ?? 'INTERNAL_ERROR';
  const data = typeof error === 'object' && error !== null && 'data' in error ? error.data : undefined;
  return { code, message, ...(data === undefined ? {} : { data }) };
}

export function claimLost(run: string): InvokeError {
  return new InvokeError(
    'ERR_DURABLE_CLAIM_LOST',
    `Cannot continue run "${run}": its claim is held by another process`,
    {
      run,
      hint: 'Ask the journal for the state of the run; the other process continues it.',
    },
  );
}

export function runBusy(run: string, status: RunStatus): InvokeError {
  return new InvokeError('ERR_DURABLE_RUN_BUSY', `Cannot execute run "${run}": another process is executing it`, {
    run,
    status,
    hint: 'Wait until that process ends, or end it; the claim of a process that died lapses by itself.',
  });
}

export function runNotFound(run: string): InvokeError {
  return new InvokeError('ERR_DURABLE_RUN_NOT_FOUND', `Cannot find run "${run}": the journal does not know it`, {
    run,
    hint: 'List the runs of this journal and check the spelling and the journal file.',
  });
}

/** `cause` is why the expression of the run id came to nothing. */
export function runIdInvalid(resource: string, cause?: unknown): InvokeError {
  const why = cause instanceof Error ? cause.message : 'no run id that is a non-empty string';
  const hint =
    cause === undefined
      ? 'State a run id, or an expression that yields a non-empty string.'
      : 'Give the inputs that runId reads, of the type it takes, or state a run id.';
  return new InvokeError(
    'ERR_DURABLE_RUN_ID_INVALID',
    `Cannot name a run in "${resource}": ${why}`,
    { resource, hint },
    cause === undefined ? {} : { cause },
  );
}

export function noRun(resource: string): InvokeError {
  return new InvokeError('ERR_DURABLE_NO_RUN', `Cannot perform "${resource}": it is outside a durable run`, {
    resource,
    hint: 'Invoke it from a step of a durable workflow.',
  });
}

/** A promise where `decide` needs a value: on replay it would come back as an empty object. */
export function decisionAsync(run: string, path: string): InvokeError {
  return new InvokeError(
    'ERR_DURABLE_DECISION_ASYNC',
    `Cannot decide "${path}" of run "${run}": its value is a promise`,
    {
      run,
      path,
      hint: 'Await the value first and hand over a synchronous function.',
    },
  );
}

export function pathBusy(run: string, path: string): InvokeError {
  return new InvokeError('ERR_DURABLE_PATH_BUSY', `Cannot perform "${path}" of run "${run}" twice at once`, {
    run,
    path,
    hint: 'Give each effect a path of its own, such as one with an index.',
  });
}
