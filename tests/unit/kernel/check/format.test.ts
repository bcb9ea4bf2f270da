import { describe, expect, it } from 'vitest';
import {
  diagnosticsJson,
  formatDiagnostic,
  githubAnnotation,
  sortDiagnostics,
} from '../../../../kernel/check/format.ts';
import type { Diagnostic } from '../../../../kernel/manifest/model.ts';

const error: Diagnostic = {
  severity: 'error',
  code: 'UNRESOLVED_REFERENCE',
  message: 'No resource is named oen',
  position: { file: '/app/telo.yaml', line: 4, column: 2 },
  resource: 'Run.Sequence/main',
  path: 'steps[0].invoke',
  hint: "Did you mean 'one'?",
};
const warning: Diagnostic = {
  severity: 'warning',
  code: 'NAME_CASE_CONVENTION',
  message: 'A name',
  position: { file: '/other/telo.yaml', line: 1, column: 9 },
};

describe('M-21 findings as text and as data', () => {
  it('M-21 one line, and the hint below it; files are relative where they lie below the folder', () => {
    expect(formatDiagnostic(error, { cwd: '/app' })).toBe(
      "telo.yaml:4:2  error  No resource is named oen  UNRESOLVED_REFERENCE\n    Did you mean 'one'?",
    );
    expect(formatDiagnostic(warning, { cwd: '/app' })).toBe(
      '/other/telo.yaml:1:9  warning  A name  NAME_CASE_CONVENTION',
    );
  });

  it('M-21 as an annotation, what would end a property or the message early is escaped', () => {
    const position = { file: '/app/a,b:c.yaml', line: 4, column: 2 };
    expect(githubAnnotation({ ...warning, position, message: '50%\nmore' }, { cwd: '/app' })).toBe(
      '::warning file=a%2Cb%3Ac.yaml,line=4,col=2,title=NAME_CASE_CONVENTION::50%25%0Amore',
    );
  });

  it('M-21 as data, every member is there; warnings alone are ok', () => {
    expect(diagnosticsJson([error, warning], { cwd: '/app' })).toEqual({
      ok: false,
      errorCount: 1,
      warnCount: 1,
      diagnostics: [
        {
          file: 'telo.yaml',
          line: 4,
          column: 2,
          severity: 'error',
          code: 'UNRESOLVED_REFERENCE',
          message: 'No resource is named oen',
          resource: 'Run.Sequence/main',
          path: 'steps[0].invoke',
          fix: "Did you mean 'one'?",
        },
        expect.objectContaining({ file: '/other/telo.yaml', resource: null, path: null, fix: null }),
      ],
    });
    expect(diagnosticsJson([warning], { cwd: '/app' }).ok).toBe(true);
  });

  it('M-21 sorted by file and place', () => {
    const later = { ...error, position: { ...error.position, line: 10 } };
    expect(sortDiagnostics([warning, later, error])).toEqual([error, later, warning]);
  });
});
