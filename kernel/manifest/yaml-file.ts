import { LineCounter, parseAllDocuments } from 'yaml';
import type { Document } from 'yaml';
import { canonicalJson } from './canonical.ts';
import { convert } from './convert.ts';
import type { CelCompiler } from './convert.ts';
import { isRecord } from './record.ts';
import type { Diagnostic, FieldPath, LoadedDocument, Position } from './model.ts';
import { Positions } from './positions.ts';

/** What reading one manifest file needs. */
export interface FileReading {
  readonly file: string;
  readonly text: string;
  readonly report: (diagnostic: Diagnostic) => void;
  readonly includeText: (path: string) => string;
}

/** The documents of a manifest file; undefined when it is not YAML. Effect: loads the expression compiler if needed. */
export async function readDocuments(reading: FileReading): Promise<LoadedDocument[] | undefined> {
  const { file, text, report } = reading;
  const lines = new LineCounter();
  const parsed = parseAllDocuments(text, { lineCounter: lines, version: '1.2', merge: false, logLevel: 'silent' });
  const documents = Array.isArray(parsed) ? parsed : [];
  if (!reportYamlErrors(documents, file, lines, report)) return undefined;
  const cel: CelCompiler | undefined = /!cel|\$\{\{/.test(text) ? await import('../cel/expression.ts') : undefined;
  const answer: LoadedDocument[] = [];
  for (const document of documents) {
    const positions = new Positions(file, document, lines);
    const { includeText } = reading;
    const value = convert(document.contents, { text, document, positions, cel, report, includeText });
    if (value === null) continue;
    const loaded = toDocument(value, positions, report);
    if (loaded !== undefined) answer.push(loaded);
  }
  return answer;
}

function reportYamlErrors(
  documents: readonly Document.Parsed[],
  file: string,
  lines: LineCounter,
  report: (diagnostic: Diagnostic) => void,
): boolean {
  // Once a document is broken, what else is found in it follows from that.
  const errors = documents.flatMap((document) => document.errors.slice(0, 1));
  for (const error of errors) {
    const { line, col } = lines.linePos(error.pos[0]);
    const [summary = ''] = error.message.split('\n');
    report({
      severity: 'error',
      code: 'MANIFEST_PARSE_FAILED',
      message: summary.replace(/ at line \d+, column \d+:?$/, ''),
      position: { file, line: Math.max(line, 1), column: Math.max(col, 1) },
    });
  }
  return errors.length === 0;
}

function toDocument(
  value: unknown,
  positions: Positions,
  report: (diagnostic: Diagnostic) => void,
): LoadedDocument | undefined {
  const fail = (message: string, path: FieldPath): undefined => {
    report({ severity: 'error', code: 'SCHEMA_VIOLATION', message, position: positions.value(path) });
  };
  if (!isRecord(value)) return fail('A document must be a map with kind and metadata', []);
  const { kind, metadata, ...fields } = value;
  if (typeof kind !== 'string') return fail('A document must name its kind', ['kind']);
  if (!isRecord(metadata)) return fail('A document must have metadata with a name', ['metadata']);
  if (typeof metadata['name'] !== 'string') return fail('metadata must have a name', ['metadata', 'name']);
  return new YamlDocument(kind, metadata['name'], metadata, fields, positions);
}

class YamlDocument implements LoadedDocument {
  readonly kind: string;
  readonly name: string;
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly fields: Readonly<Record<string, unknown>>;
  readonly #positions: Positions;

  constructor(
    kind: string,
    name: string,
    metadata: Readonly<Record<string, unknown>>,
    fields: Readonly<Record<string, unknown>>,
    positions: Positions,
  ) {
    this.kind = kind;
    this.name = name;
    this.metadata = metadata;
    this.fields = fields;
    this.#positions = positions;
  }

  position(path: FieldPath = []): Position {
    return this.#positions.value(path);
  }

  keyPosition(path: FieldPath): Position {
    return this.#positions.key(path);
  }

  canonical(): string {
    return canonicalJson({ kind: this.kind, metadata: this.metadata, ...this.fields });
  }
}
