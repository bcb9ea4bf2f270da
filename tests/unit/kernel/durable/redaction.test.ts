import { expect, it } from 'vitest';
import { Redaction, secretValue } from '../../../../kernel/durable/redaction.ts';
import { withoutSecrets } from '../../../../kernel/durable/redaction-journal.ts';
import { MemoryJournal, MemoryStore } from '../../../support/memory-journal.ts';

const SECRET = 'line one\n"two" \\ \u{1F600}';
const place = { run: 'r', path: 'steps/a' };

it('SC-31 finds a secret in strings and names of members, as it is, and no encoding of it', () => {
  const redaction = new Redaction([SECRET, 12_345_678, 'short', undefined]);
  for (const value of [SECRET, `a ${SECRET} b`, { [SECRET]: 1 }, [{ x: [SECRET] }], 12_345_678, 'a 12345678 b']) {
    expect(redaction.holds(value)).toBe(true);
    expect(() => redaction.assertNone(value, place)).toThrow(/holds the value of a secret/);
  }
  for (const value of ['short', undefined, null, Buffer.from(SECRET).toString('base64'), 1234567, 10n, () => SECRET]) {
    expect(redaction.holds(value)).toBe(false);
  }
});

it('SC-31 the refusal says where and nothing of the value', () => {
  const { message, code, data } = secretValue(place, true);
  expect({ code, data }).toMatchObject({ code: 'ERR_DURABLE_SECRET_VALUE', data: place });
  expect(message).toContain('has been performed');
  expect(secretValue(place).message).not.toContain('has been performed');
  expect(() => new Redaction([SECRET]).assertNone({ a: SECRET }, place)).toThrow(secretValue(place).message);
});

it('SC-31 replaces it in errors, the longest first, and leaves out data that holds it', () => {
  const redaction = new Redaction(['abcdefgh', 'abcdefgh-and-more']);
  const told = redaction.error({ code: 'E', message: 'x abcdefgh-and-more abcdefgh y', data: { a: 'abcdefgh' } });
  expect(told).toEqual({ code: 'E', message: 'x *** *** y' });
  expect(redaction.error({ code: 'E', message: 'm', data: { a: 1 } })).toEqual({
    code: 'E',
    message: 'm',
    data: { a: 1 },
  });
});

it('SC-31 without secrets the journal is the one given; with them it is one, for everybody', () => {
  const journal = new MemoryJournal(new MemoryStore());
  expect(withoutSecrets(journal, new Redaction(['short']))).toBe(journal);
  const redaction = new Redaction(['long enough']);
  expect(withoutSecrets(journal, redaction)).not.toBe(journal);
  expect(withoutSecrets(journal, redaction)).toBe(withoutSecrets(journal, redaction));
});

it('SC-30 an entry, a wait, an answer and a result that hold one are refused, and errors are told without it', async () => {
  const secret = 'a secret value';
  const journal = new MemoryJournal(new MemoryStore());
  const guarded = withoutSecrets(journal, new Redaction([secret]));
  const code = { code: 'ERR_DURABLE_SECRET_VALUE' };
  await expect(guarded.admitRun(`r ${secret}`)).rejects.toMatchObject({ ...code, data: { run: 'r ***' } });
  await expect(guarded.admitRun('r', { inputs: [secret] })).rejects.toMatchObject(code);
  await guarded.admitRun('r', { inputs: ['none'] });
  await guarded.claimRun('r', 'h', 60_000);
  await expect(guarded.append('r', { path: 'a', kind: 'step', value: secret })).rejects.toMatchObject(code);
  await expect(guarded.recordWait('r', { path: 'w', resource: 'x', request: secret })).rejects.toMatchObject(code);
  await guarded.recordWait('r', { path: 'w', resource: 'x', token: 't' });
  await expect(guarded.answer({ run: 'r', path: 'w' }, { secret })).rejects.toMatchObject(code);
  await guarded.append('r', { path: 'a', kind: 'step', value: 'none' });
  await guarded.completeRun('r', { status: 'completed', result: { secret } });
  expect(await guarded.readRun('r')).toMatchObject({ status: 'failed', error: code });
  await guarded.admitRun('s');
  await guarded.claimRun('s', 'h', 60_000);
  await guarded.completeRun('s', { status: 'failed', error: { code: 'E', message: `no ${secret}` } });
  expect(await guarded.readRun('s')).toMatchObject({ status: 'failed', error: { code: 'E', message: 'no ***' } });
  const everything = [await journal.listRuns(), await journal.readEntries('r'), await journal.readWaits('r')];
  expect(JSON.stringify(everything)).not.toContain(secret);
});
