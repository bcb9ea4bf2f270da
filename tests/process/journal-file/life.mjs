/**
 * A whole small life of a run, as far as it goes now: every kind of write once or more.
 *
 * @param {import('../../../sdk/journal.ts').FencedJournal} journal
 * @returns {Promise<string>}
 */
export async function life(journal) {
  await journal.admitRun('r', { inputs: { big: 5n } });
  const record = await journal.readRun('r');
  if (record?.status === 'completed') return 'completed';
  if (!(await journal.claimRun('r', 'life', 60_000))) return 'busy';
  const known = new Map((await journal.readEntries('r')).map((entry) => [entry.path, entry.value]));
  const target = { kind: 'Run.Value', name: 'v', module: 'M' };
  for (const path of ['a', 'b']) {
    if (!known.has(path)) await journal.append('r', { path, kind: 'step', target, value: { path, big: 7n } });
  }
  if (known.has('w')) {
    await journal.completeRun('r', { status: 'completed', result: known.get('w') });
    return 'completed';
  }
  await journal.recordWait('r', { path: 'w', resource: 'ask', token: 'token-w' });
  return (await journal.suspendRun('r')).status;
}
