import path from 'node:path';
import type { Diagnostic } from '../manifest/model.ts';

export interface FormatOptions {
  /** Files below it are shown relative to it. */
  readonly cwd: string;
}

export interface DiagnosticsReport {
  readonly ok: boolean;
  readonly errorCount: number;
  readonly warnCount: number;
  readonly diagnostics: readonly {
    readonly file: string;
    readonly line: number;
    readonly column: number;
    readonly severity: 'error' | 'warning';
    readonly code: string;
    readonly message: string;
    readonly resource: string | null;
    readonly path: string | null;
    readonly fix: string | null;
  }[];
}

/** `file:line:col  error  <message>  <CODE>`, and the hint on a second, indented line. Pure. */
export function formatDiagnostic(diagnostic: Diagnostic, options: FormatOptions): string {
  const { severity, message, code, hint, position } = diagnostic;
  const file = shownFile(position.file, options.cwd);
  const line = `${file}:${position.line}:${position.column}  ${severity}  ${message}  ${code}`;
  return hint === undefined ? line : `${line}\n    ${hint}`;
}

/** What `check --json` prints. Pure. */
export function diagnosticsJson(diagnostics: readonly Diagnostic[], options: FormatOptions): DiagnosticsReport {
  const errorCount = diagnostics.filter(({ severity }) => severity === 'error').length;
  return {
    ok: errorCount === 0,
    errorCount,
    warnCount: diagnostics.length - errorCount,
    diagnostics: diagnostics.map(({ severity, code, message, resource, path: at, hint, position }) => ({
      file: shownFile(position.file, options.cwd),
      line: position.line,
      column: position.column,
      severity,
      code,
      message,
      resource: resource ?? null,
      path: at ?? null,
      fix: hint ?? null,
    })),
  };
}

/** A finding as GitHub Actions takes it from the output of a step, to show it at its line. Pure. */
export function githubAnnotation(diagnostic: Diagnostic, options: FormatOptions): string {
  const { severity, message, code, hint, position } = diagnostic;
  const at = { file: shownFile(position.file, options.cwd), line: position.line, col: position.column, title: code };
  const properties = Object.entries(at).map(([name, value]) => `${name}=${escapedForGithub(String(value), true)}`);
  const said = escapedForGithub(hint === undefined ? message : `${message}\n${hint}`, false);
  return `::${severity} ${properties.join(',')}::${said}`;
}

function escapedForGithub(text: string, property: boolean): string {
  const escaped = property ? /[%\r\n:,]/g : /[%\r\n]/g;
  return text.replaceAll(escaped, (found) => `%${found.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`);
}

/** By file, then place; findings at one place keep their order. Pure. */
export function sortDiagnostics(diagnostics: readonly Diagnostic[]): readonly Diagnostic[] {
  return diagnostics.toSorted(
    ({ position: a }, { position: b }) =>
      (a.file < b.file ? -1 : a.file > b.file ? 1 : 0) || a.line - b.line || a.column - b.column,
  );
}

function shownFile(file: string, cwd: string): string {
  const relative = path.relative(cwd, file);
  return relative === '' || relative.startsWith('..') || path.isAbsolute(relative) ? file : relative;
}
