import { expect, it } from 'vitest';
import { EXIT } from '../../kernel/cli/exit-codes.ts';
import { answerCommand, resumeCommand, showCommand } from '../../kernel/cli/next-command.ts';
import { worstOf } from '../../kernel/cli/settle.ts';

const none = { journal: undefined };
const wait = { run: '--all', path: 'steps/ask', resource: 'Durable.Await/ask', since: 0, state: 'open' as const };

it('CL-14 a run named like an option is no option in the command that is to be typed', () => {
  expect(resumeCommand('--all', none)).toBe('npx telo-xmd resume -- --all');
  expect(showCommand('-x', { journal: 'j.db' })).toBe('npx telo-xmd show --journal j.db -- -x');
  expect(answerCommand(wait, { ...none, several: true })).toBe(
    `npx telo-xmd answer --at steps/ask --resume -- --all '{}'`,
  );
});

it('CL-14 any other run stands where it is looked for', () => {
  expect(resumeCommand('a-b', { journal: 'j.db' })).toBe('npx telo-xmd resume a-b --journal j.db');
});

it.each(Object.values(EXIT))('CL-01 an end with code %i among completed ones is not told as completed', (code) => {
  expect(worstOf([EXIT.completed, code, EXIT.completed])).toBe(code);
});
