import type { Limits } from '../vocabulary/limits.ts';

/** Why an answer holds no fragment, or not exactly one. */
export type Unclear =
  'empty' | 'thinking' | 'wrapper' | 'open-fence' | 'indentation' | 'too-many-fences' | 'several' | 'no-element';

export type Extraction =
  { readonly ok: true; readonly text: string } | { readonly ok: false; readonly reason: Unclear };

/** What bounds the reading of an answer. */
export type ExtractionLimits = Pick<Limits, 'textBytes' | 'elements' | 'depth'>;
