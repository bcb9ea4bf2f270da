import { printable } from './printable.ts';
import { inputError } from './usage.ts';

/** What `--allow` states: nothing, or a list of read and write. Pure. @throws InvokeError ERR_CLI_INVALID_INPUT */
export function readAllow(text: string | undefined): { readonly allow?: readonly string[] } {
  if (text === undefined) return {};
  const allow = text.split(',').map((word) => word.trim());
  if (allow.some((word) => word !== 'read' && word !== 'write')) {
    throw inputError(`Cannot read --allow "${printable(text)}"`, 'Write read, write, or read,write.');
  }
  return { allow };
}
