import { createHash } from 'node:crypto';
import { existsSync, readFileSync, realpathSync, statSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { resolveImport, splitPin } from './import-source.ts';
import { includedFile, matchingFiles, readText } from './module-files.ts';
import type { Diagnostic, FieldPath, LoadedDocument, LoadedImport, LoadedModule, LoadResult } from './model.ts';
import { checkNames } from './module-names.ts';
import { isRecord } from './record.ts';
import { readDocuments } from './yaml-file.ts';

export interface LoadOptions {
  /** `metadata.name` of the modules that are part of this program: `Run`, `Durable`. */
  readonly builtins: ReadonlySet<string>;
}

interface Session {
  readonly options: LoadOptions;
  readonly diagnostics: Diagnostic[];
  /** Modules by real path; undefined marks one that could not be read. */
  readonly loaded: Map<string, LoadedModule | undefined>;
}

/**
 * Reads a manifest, its partials and everything it imports. A directory means its `telo.yaml`. Everything that is
 * wrong is in `diagnostics`. Effect: reads files.
 * @see kernel-specs/manifest.md
 */
export async function loadManifest(manifest: string, options: LoadOptions): Promise<LoadResult> {
  const session: Session = { options, diagnostics: [], loaded: new Map() };
  const file = manifestFile(path.resolve(manifest));
  if (!existsSync(file)) {
    session.diagnostics.push({
      severity: 'error',
      code: 'MANIFEST_NOT_FOUND',
      message: `There is no manifest at ${file}`,
      position: { file, line: 1, column: 1 },
    });
    return { diagnostics: session.diagnostics };
  }
  const module = await loadModule(file, session, []);
  return { ...(module === undefined ? {} : { module }), diagnostics: session.diagnostics };
}

function manifestFile(file: string): string {
  return statSync(file, { throwIfNoEntry: false })?.isDirectory() === true ? path.join(file, 'telo.yaml') : file;
}

async function loadModule(
  file: string,
  session: Session,
  parents: readonly string[],
): Promise<LoadedModule | undefined> {
  const identity = realpathSync(file);
  if (session.loaded.has(identity)) return session.loaded.get(identity);
  session.loaded.set(identity, undefined);
  const reader = new ModuleReader(file, session, [...parents, identity]);
  const module = await reader.read();
  session.loaded.set(identity, module);
  return module;
}

class ModuleReader {
  readonly #file: string;
  readonly #directory: string;
  readonly #session: Session;
  readonly #chain: readonly string[];
  readonly #files: Set<string>;

  constructor(file: string, session: Session, chain: readonly string[]) {
    this.#file = file;
    this.#directory = path.dirname(file);
    this.#session = session;
    this.#chain = chain;
    this.#files = new Set([file]);
  }

  async read(): Promise<LoadedModule | undefined> {
    const all = await this.#documents(this.#file);
    const [root, ...rest] = all ?? [];
    if (root === undefined) {
      if (all !== undefined)
        this.#error('MANIFEST_PARSE_FAILED', 'The manifest has no document', { line: 1, column: 1 });
      return undefined;
    }
    const { kind } = root;
    if (kind !== 'Telo.Application' && kind !== 'Telo.Library') {
      this.#at(
        root,
        ['kind'],
        'SCHEMA_VIOLATION',
        `The first document must be a Telo.Application or Telo.Library, not ${kind}`,
      );
      return undefined;
    }
    const resources: LoadedDocument[] = [];
    for (const document of rest) {
      if (document.kind === 'Telo.Application' || document.kind === 'Telo.Library') {
        this.#at(document, ['kind'], 'SCHEMA_VIOLATION', `${document.kind} must be the first and only one of its file`);
      } else resources.push(document);
    }
    const documents = [...resources, ...(await this.#partials(root))];
    const imports = await this.#imports(root, documents);
    const module: LoadedModule = {
      source: pathToFileURL(this.#file).href,
      file: this.#file,
      directory: this.#directory,
      kind,
      name: root.name,
      root,
      documents: documents.filter((document) => document.kind !== 'Telo.Import'),
      imports,
      files: [...this.#files],
    };
    this.#session.diagnostics.push(...checkNames(module));
    return module;
  }

  async #documents(file: string): Promise<LoadedDocument[] | undefined> {
    let text: string;
    try {
      text = readText(file);
    } catch (error) {
      const message = `Cannot read the manifest as text: ${error instanceof Error ? error.message : String(error)}`;
      this.#error('MANIFEST_PARSE_FAILED', message, { line: 1, column: 1 }, file);
      return undefined;
    }
    return readDocuments({
      file,
      text,
      report: (diagnostic) => this.#session.diagnostics.push(diagnostic),
      includeText: (relative) => {
        const included = includedFile(this.#directory, relative);
        this.#files.add(included);
        return readText(included);
      },
    });
  }

  async #partials(root: LoadedDocument): Promise<LoadedDocument[]> {
    const patterns = root.fields['include'];
    if (!Array.isArray(patterns)) return [];
    const answer: LoadedDocument[] = [];
    for (const [index, pattern] of patterns.entries()) {
      if (typeof pattern !== 'string') continue;
      const files = matchingFiles(this.#directory, pattern);
      if (files.length === 0) {
        this.#at(root, ['include', index], 'INCLUDE_FAILED', `No file below the module's folder matches '${pattern}'`);
      }
      for (const file of files) {
        if (this.#files.has(file)) continue;
        this.#files.add(file);
        answer.push(...this.#admitPartial((await this.#documents(file)) ?? []));
      }
    }
    return answer;
  }

  #admitPartial(documents: readonly LoadedDocument[]): LoadedDocument[] {
    const refused = new Set(['Telo.Application', 'Telo.Library', 'Telo.Import', 'Telo.Definition', 'Telo.Abstract']);
    return documents.filter((document) => {
      if (!refused.has(document.kind)) return true;
      this.#at(document, ['kind'], 'PARTIAL_KIND_REFUSED', `A partial file cannot hold a ${document.kind}`);
      return false;
    });
  }

  async #imports(root: LoadedDocument, documents: readonly LoadedDocument[]): Promise<Map<string, LoadedImport>> {
    const imports = new Map<string, LoadedImport>();
    const declared = root.fields['imports'];
    const entries: (readonly [LoadedDocument, string, unknown, FieldPath])[] = [
      ...Object.entries(isRecord(declared) ? declared : {}).map(
        ([alias, value]) => [root, alias, value, ['imports', alias]] as const,
      ),
      ...documents
        .filter((document) => document.kind === 'Telo.Import')
        .map((document) => [document, document.name, document.fields, []] as const),
    ];
    for (const [document, alias, value, at] of entries) {
      if (imports.has(alias)) {
        this.#at(document, at, 'DUPLICATE_RESOURCE_NAME', `The import ${alias} is declared twice`);
        continue;
      }
      const loaded = await this.#import(document, alias, value, at);
      if (loaded !== undefined) imports.set(alias, loaded);
    }
    return imports;
  }

  async #import(
    document: LoadedDocument,
    alias: string,
    value: unknown,
    at: FieldPath,
  ): Promise<LoadedImport | undefined> {
    const spec = isRecord(value) ? value : { source: value };
    const where: FieldPath = isRecord(value) ? [...at, 'source'] : at;
    if (typeof spec['source'] !== 'string') {
      this.#at(document, where, 'SCHEMA_VIOLATION', `The import ${alias} must state its source as a text`);
      return undefined;
    }
    const target = await this.#target(document, spec['source'], spec['integrity'], where);
    if (target === undefined) return undefined;
    const record = (name: string): Readonly<Record<string, unknown>> => {
      const member = spec[name];
      return isRecord(member) ? member : {};
    };
    return {
      alias,
      position: document.position(at),
      variables: record('variables'),
      secrets: record('secrets'),
      target,
    };
  }

  async #target(
    document: LoadedDocument,
    written: string,
    integrity: unknown,
    where: FieldPath,
  ): Promise<LoadedImport['target'] | undefined> {
    const split = splitPin(written);
    const pin =
      split.pin ?? (typeof integrity === 'string' ? integrity.replace(/^sha256-/, '').replace(/=$/, '') : undefined);
    const refuse = (code: string, message: string): undefined => this.#at(document, where, code, message);
    if (split.malformed === true) return refuse('IMPORT_UNRESOLVED', `'${written}' ends in no #sha256-<base64url> pin`);
    const target = resolveImport(split.source, this.#directory, this.#session.options.builtins);
    if (target.kind === 'refused') return refuse('IMPORT_UNRESOLVED', target.message);
    if (target.kind === 'builtin') {
      if (pin === undefined) return target;
      return refuse(
        'IMPORT_INTEGRITY_FAILED',
        `${target.module} is built in: there are no fetched bytes to compare with the pin; remove it`,
      );
    }
    if (pin !== undefined && !sameDigest(target.file, pin)) {
      return refuse('IMPORT_INTEGRITY_FAILED', `${target.file} does not have the pinned digest sha256-${pin}`);
    }
    if (this.#chain.includes(realpathSync(target.file))) {
      return refuse('IMPORT_CYCLE', `The import leads back to ${target.file}`);
    }
    const module = await loadModule(target.file, this.#session, this.#chain);
    if (module === undefined) return undefined;
    if (module.kind === 'Telo.Library') return { kind: 'module', module };
    return refuse('IMPORT_UNRESOLVED', `${target.file} is an application; only a Telo.Library can be imported`);
  }

  #at(document: LoadedDocument, at: FieldPath, code: string, message: string): undefined {
    this.#session.diagnostics.push({ severity: 'error', code, message, position: document.position(at) });
  }

  #error(code: string, message: string, at: { line: number; column: number }, file = this.#file): void {
    this.#session.diagnostics.push({ severity: 'error', code, message, position: { file, ...at } });
  }
}

/** Accepts base64url, as pins are written, and plain base64, as `integrity` often is. */
function sameDigest(file: string, pin: string): boolean {
  const digest = createHash('sha256').update(readFileSync(file)).digest('base64url');
  return digest === pin.replaceAll('+', '-').replaceAll('/', '_');
}
