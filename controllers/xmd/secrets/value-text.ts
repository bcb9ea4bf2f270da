/**
 * What a value holds in words: every string and every name of a member, as written. Pure. Line by line, and a name with
 * its string on one line, because some rules know a secret by the name that it is given.
 */
export function valueText(value: unknown): string {
  const lines: string[] = [];
  const pending: { readonly name: string; readonly value: unknown }[] = [{ name: '', value }];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const { name, value: one } = next;
    const label = name === '' ? '' : `${name}: `;
    if (typeof one === 'string') {
      lines.push(`${label}${one}`);
    } else if (Array.isArray(one)) {
      for (const item of one.toReversed()) pending.push({ name, value: item });
    } else if (typeof one === 'object' && one !== null) {
      if (label !== '') lines.push(label);
      for (const [key, member] of Object.entries(one).toReversed()) pending.push({ name: key, value: member });
    } else if (label !== '') {
      lines.push(`${label}${String(one)}`);
    }
  }
  return lines.join('\n');
}
