import type { JournalEntry, WaitRecord } from '@telorun/sdk/journal';

/** What stands where a token would. */
export const NOT_SHOWN = '(not shown)';
const TOKEN = /(^|\/)_*token$/;

/** Whether an entry is the token of a wait. Pure. */
export function isToken({ kind, path }: JournalEntry): boolean {
  return kind === 'decision' && TOKEN.test(path);
}

/** Shorter words could be anything; such a token can be guessed anyway. */
const TOKEN_LENGTH_MIN = 16;

/** An author may hand a token on in inputs, a request or a result; it is taken out wherever it stands. Pure. */
export function withoutTokens(
  text: string,
  { entries, waits }: { readonly entries: readonly JournalEntry[]; readonly waits: readonly WaitRecord[] },
): string {
  const tokens = new Set([...waits.map(({ token }) => token), ...entries.filter(isToken).map(({ value }) => value)]);
  let shown = text;
  for (const token of tokens) {
    if (typeof token !== 'string' || token.length < TOKEN_LENGTH_MIN) continue;
    for (const spelled of [token, JSON.stringify(token).slice(1, -1)]) shown = shown.replaceAll(spelled, NOT_SHOWN);
  }
  return shown;
}
