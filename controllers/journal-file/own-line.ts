import { decodeJsonValue, encodeJsonValue } from '@telorun/sdk';
import type { RunError, RunProgram, Wait } from '@telorun/sdk/journal';
import { UnreadableRecord } from '../journal-sqlite/errors.ts';
import { present } from '../journal-sqlite/values.ts';
import { readError } from './run-line.ts';
import { type Shape, numberIfAny, numberIn, own, shapeOf, textIfAny, textIn, wordIn } from './shapes.ts';

/**
 * What Telo's format has no place for, as lines of a file beside it: who may write a run, each of its waits, what
 * program it began with, and values whose integers Telo's format makes inexact. Order in the file is order in time.
 */
export type OwnLine =
  | { readonly type: 'admitted'; readonly at: number; readonly program?: RunProgram }
  | {
      readonly type: 'claim';
      readonly fence: number;
      readonly holder: string;
      /** Epoch milliseconds. */
      readonly until: number;
      readonly owner: string;
    }
  | { readonly type: 'free'; readonly fence: number; readonly problem?: RunError }
  | { readonly type: 'wait'; readonly fence: number; readonly since: number; readonly wait: Wait }
  | { readonly type: 'closed'; readonly path: string }
  | { readonly type: 'module'; readonly path: string; readonly module: string }
  | { readonly type: 'exact'; readonly of: ExactPart; readonly path: string; readonly value: unknown };

export type ExactPart = 'entry' | 'inputs' | 'result' | 'error';

const TYPES: readonly OwnLine['type'][] = ['admitted', 'claim', 'free', 'wait', 'closed', 'module', 'exact'];
const PARTS: readonly ExactPart[] = ['entry', 'inputs', 'result', 'error'];

/** Pure. */
export function ownLine(line: OwnLine): string {
  return `${JSON.stringify(encodeJsonValue(line))}\n`;
}

/** A line of our own file, read closed. Pure. Throws UnreadableRecord for what we never write. */
export function readOwnLine(value: unknown): OwnLine {
  const line = shapeOf(decodeJsonValue(value), 'a line');
  const type = wordIn(line, 'type', TYPES);
  switch (type) {
    case 'admitted': {
      const program = own(line, 'program');
      return { type, at: numberIn(line, 'at'), ...(program === undefined ? {} : { program: readProgram(program) }) };
    }
    case 'claim': {
      const { holder, owner } = { holder: textIn(line, 'holder'), owner: textIn(line, 'owner') };
      return { type, fence: fenceIn(line), holder, until: numberIn(line, 'until'), owner };
    }
    case 'free': {
      const problem = own(line, 'problem');
      return { type, fence: fenceIn(line), ...(problem === undefined ? {} : { problem: readError(problem) }) };
    }
    case 'wait':
      return { type, fence: fenceIn(line), since: numberIn(line, 'since'), wait: readWait(own(line, 'wait')) };
    case 'closed':
      return { type, path: textIn(line, 'path') };
    case 'module':
      return { type, path: textIn(line, 'path'), module: textIn(line, 'module') };
    case 'exact':
      return { type, of: wordIn(line, 'of', PARTS), path: textIn(line, 'path'), value: own(line, 'value') };
    default:
      return type satisfies never;
  }
}

function fenceIn(line: Shape): number {
  const fence = numberIn(line, 'fence');
  if (!Number.isSafeInteger(fence) || fence < 0) throw new UnreadableRecord('"fence" is no number of a claim');
  return fence;
}

function readProgram(value: unknown): RunProgram {
  const program = shapeOf(value, '"program"');
  return {
    manifest: textIn(program, 'manifest'),
    workflow: textIn(program, 'workflow'),
    digest: textIn(program, 'digest'),
  };
}

function readWait(value: unknown): Wait {
  const wait = shapeOf(value, '"wait"');
  return {
    path: textIn(wait, 'path'),
    resource: textIn(wait, 'resource'),
    ...present('at', numberIfAny(wait, 'at')),
    ...present('token', textIfAny(wait, 'token')),
    ...('schema' in wait ? { schema: wait['schema'] } : {}),
    ...('request' in wait ? { request: wait['request'] } : {}),
  };
}
