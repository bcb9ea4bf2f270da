import { isInvokeError } from '@telorun/sdk';
import { isMembers } from '../admission/shape.ts';
import { plannedPath } from '../operations/effect-problem.ts';
import type { PlannedEffect } from '../preflight/plan.ts';
import { fileProblem } from '../providers/file-problem.ts';
import type { FileInspection, Files } from '../providers/files.ts';
import type { PathAccess } from '../values/path-limits.ts';
import type { Limits } from '../vocabulary/limits.ts';
import type { PreImage } from './target.ts';

/** What a change would replace or remove, for a person: its text, nothing, or why it is not shown. */
export type Former =
  | { readonly kind: 'absent' }
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'unshown'; readonly why: string };

/** Why an effect could not be performed now. */
interface Problem {
  readonly reason: string;
  readonly message: string;
}

interface Before {
  readonly place: string;
  readonly before: PreImage;
  readonly former: Former;
  readonly problem?: Problem;
}

interface Source {
  readonly place: string;
  readonly text?: string;
  readonly problem?: Problem;
}

/** Bytes of former files that one rendering shows: escaped they are a multiple, and a string has an end. */
const SHOWN_BYTES_MAX = 8 * 1_048_576;

const UTF8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Looks at files for one survey, and keeps count of how much of them it reads. */
export class FileLook {
  readonly #files: Files;
  readonly #fileBytes: number;
  /** What is left to be read of files that are changed, and of those that become part of another. */
  #formerBytes: number;
  #sourceBytes: number;
  #readBytes: number;

  constructor(files: Files, { fileBytes, resultBytes }: Limits, shown: boolean) {
    this.#files = files;
    this.#fileBytes = fileBytes;
    this.#formerBytes = shown ? Math.min(resultBytes, SHOWN_BYTES_MAX) : 0;
    this.#sourceBytes = resultBytes;
    this.#readBytes = shown ? resultBytes : 0;
  }

  /** What a change would find. */
  before(effect: PlannedEffect, access: 'write' | 'delete'): Before {
    const looked = this.#inspect(effect, access, Math.min(this.#fileBytes, this.#formerBytes));
    if ('problem' in looked) {
      const { reason, message } = looked.problem;
      const former = { kind: 'unshown', why: message } as const;
      return { place: plannedPath(effect), before: { problem: reason }, former, problem: looked.problem };
    }
    const { place, found } = looked;
    this.#formerBytes -= looked.bytes?.length ?? 0;
    return { place, before: found, former: formerOf(looked) };
  }

  /** What a read that becomes part of a file would answer: no text when it fails, or nothing more can be read. */
  source(effect: PlannedEffect): Source {
    return this.#sourceBytes > 0 ? this.#read(effect) : { place: plannedPath(effect) };
  }

  /** Whether what a read answers, the file of an earlier effect included, is within what one evaluation reads. */
  fits(text: string): boolean {
    if (this.#sourceBytes >= 0) this.#sourceBytes -= Buffer.byteLength(text);
    return this.#sourceBytes >= 0;
  }

  /** Why a text is more than a file may hold; undefined when it is not. */
  excess(effect: PlannedEffect, text: string): Problem | undefined {
    if (Buffer.byteLength(text) <= this.#fileBytes) return undefined;
    return { reason: 'too-large', message: fileProblem('too-large', 'write', plannedPath(effect)).message };
  }

  /** Whether any other read would fail now, as far as that is looked at. */
  read(effect: PlannedEffect): Source {
    const source = this.#readBytes > 0 ? this.#read(effect) : { place: plannedPath(effect), size: 0 };
    this.#readBytes -= source.size;
    return source;
  }

  /** Why a folder could not be made now. */
  folder(effect: PlannedEffect): { readonly problem?: Problem } {
    const looked = this.#inspect(effect, 'directory', 0);
    // A folder that is there is what Dir wants.
    return 'problem' in looked && looked.problem.reason !== 'directory' ? { problem: looked.problem } : {};
  }

  #read(effect: PlannedEffect): Source & { readonly size: number } {
    const path = plannedPath(effect);
    const looked = this.#inspect(effect, 'read', this.#fileBytes);
    if ('problem' in looked) {
      return { place: path, size: 0, problem: looked.problem };
    }
    const { place, bytes } = looked;
    if (bytes === undefined) {
      const message = `Cannot read "${path}": there is no such file or folder`;
      return { place, size: 0, problem: { reason: 'missing', message } };
    }
    const text = decoded(bytes);
    return { place, size: bytes.length, ...(text === undefined ? { problem: notText(path) } : { text }) };
  }

  #inspect(
    effect: PlannedEffect,
    access: PathAccess,
    maxBytes: number,
  ): FileInspection | { readonly problem: Problem } {
    try {
      return this.#files.inspect(plannedPath(effect), { access, maxBytes });
    } catch (error) {
      // What no effect could be performed on is told, not thrown; anything else is nobody's file.
      if (!isInvokeError(error) || error.code !== 'ERR_XMD_EFFECT') throw error;
      const reason = isMembers(error.data) ? error.data['reason'] : undefined;
      return { problem: { reason: typeof reason === 'string' ? reason : 'operation-failed', message: error.message } };
    }
  }
}

function notText(path: string): Problem {
  return { reason: 'invalid-utf8', message: `Cannot read "${path}": it is not valid UTF-8` };
}

function formerOf({ found, bytes, size = 0 }: FileInspection): Former {
  if ('absent' in found) return { kind: 'absent' };
  if (bytes === undefined) return { kind: 'unshown', why: `${size} bytes, more than is shown` };
  const text = decoded(bytes);
  return text === undefined ? { kind: 'unshown', why: `${size} bytes, not UTF-8 text` } : { kind: 'text', text };
}

function decoded(bytes: Uint8Array): string | undefined {
  try {
    return UTF8.decode(bytes);
  } catch (error) {
    if (error instanceof TypeError) return undefined;
    throw error;
  }
}
