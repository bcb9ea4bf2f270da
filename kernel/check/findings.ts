import type { Diagnostic, FieldPath, LoadedDocument, Position } from '../manifest/model.ts';
import { pathText } from '../manifest/record.ts';

export interface Finding {
  readonly code: string;
  readonly message: string;
  readonly path: FieldPath;
  readonly hint?: string | undefined;
  readonly severity?: 'warning';
  /** Point at the key of the member, not at its value. */
  readonly atKey?: boolean;
  /** Where it stands when that is not `path`: an expression or a reference knows its own place. */
  readonly position?: Position | undefined;
}

/** Collects what is wrong, with positions and the resource concerned. */
export class Findings {
  readonly diagnostics: Diagnostic[] = [];

  /** Effect: adds one diagnostic about `document`. */
  add(document: LoadedDocument, finding: Finding): void {
    const { code, message, path, hint, severity = 'error', atKey = false } = finding;
    const position = finding.position ?? (atKey ? document.keyPosition?.(path) : undefined) ?? document.position(path);
    this.diagnostics.push({
      severity,
      code,
      message,
      position,
      resource: `${document.kind}/${document.name}`,
      ...(path.length === 0 ? {} : { path: pathText(path) }),
      ...(hint === undefined ? {} : { hint }),
    });
  }
}

/** `Did you mean 'x'?` when one of `known` is near to `name`, else a list of them, else undefined. Pure. */
export function suggestion(name: string, known: readonly string[]): string | undefined {
  if (known.length === 0) return undefined;
  const near = nearOf(name, known);
  if (near !== undefined) return near;
  const shown = known.slice(0, 12).join(', ');
  return `Known here: ${shown}${known.length > 12 ? ', ...' : ''}.`;
}

/** `Did you mean 'x'?` when one of `known` is near to `name`, else undefined. Pure. */
export function nearOf(name: string, known: readonly string[]): string | undefined {
  const lower = name.toLowerCase();
  const near = known
    .map((one) => ({ one, distance: editDistance(lower, one.toLowerCase()) }))
    .filter(({ one, distance }) => distance <= Math.max(1, Math.floor(one.length / 3)))
    .toSorted((a, b) => a.distance - b.distance)[0];
  return near === undefined ? undefined : `Did you mean '${near.one}'?`;
}

function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const replaced = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(replaced, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[b.length] ?? 0;
}
