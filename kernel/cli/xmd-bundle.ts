import { pathToFileURL } from 'node:url';
import { packageFile } from '../package-root.ts';

/** What was asked of one element of an admitted fragment. */
export interface Outlined {
  readonly path: string;
  readonly input: unknown;
}

/** What the Xmd bundle offers to a command that reads its records and answers. */
interface XmdBundle {
  readonly Preflight: {
    readonly outlineAdmission: (record: unknown) => readonly Outlined[] | undefined;
    /** The fixed sentence of a class of refusal. */
    readonly refusalMessage: (refusal: { readonly class: string }) => string;
  };
}

/** Loads the Xmd bundle of this package: by path, as a manifest does. Effect. */
export async function xmdBundle(): Promise<XmdBundle['Preflight']> {
  const { Preflight }: XmdBundle = await import(pathToFileURL(packageFile('manifests', 'xmd', 'dist', 'xmd.mjs')).href);
  return Preflight;
}
