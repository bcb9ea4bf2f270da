import { statSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { validateAnswer } from '../../kernel/cli/validate-answer.ts';
import { writeApplication } from './application.ts';
import { Place, ROOT } from './command-line.ts';

describe('what is typed wrong', () => {
  let place: Place;
  beforeEach(() => {
    place = new Place();
    writeApplication(place);
  });
  afterEach(() => place.remove());

  const refused = async (words: readonly string[]): Promise<readonly [number | null, string]> => {
    const { code, stderr } = await place.run(words);
    return [code, stderr];
  };

  it('CL-01 a command or an option that is nearly one is told which', async () => {
    expect(await refused(['shwo'])).toEqual([64, expect.stringContaining('Known here: run, check, ')]);
    expect(await refused(['answr', 'a', '1'])).toEqual([64, expect.stringContaining("Did you mean 'answer'? Run npx")]);
    expect(await refused(['run', 'app', '--input', '{}'])).toEqual([
      64,
      expect.stringContaining("Did you mean '--inputs'? Write: telo-xmd run"),
    ]);
  });

  it('CL-01 says how many arguments a command takes', async () => {
    for (const [words, said] of [
      [['preflight'], 'it takes 1 argument, and 0 are given'],
      [['resume', 'a', 'b'], 'it takes at most 1 argument, and 2 are given'],
      [['check'], 'it takes 1 argument or more, and 0 are given'],
      [['runs', 'a'], 'it takes no argument, and 1 is given'],
    ] as const) {
      expect(await refused(words)).toEqual([64, expect.stringContaining(said)]);
    }
  });

  it('CL-04 an evaluation that is none is told which there are', async () => {
    place.write('plan.xmd', '<File path="notes.md" />');
    const words = (name: string): string[] => ['preflight', 'plan.xmd', '--manifest', 'app', '--evaluate', name];
    expect(await refused(words('asks'))).toEqual([
      66,
      expect.stringMatching(/Xmd\.Evaluate named "asks".*Name one of: .*apply/s),
    ]);
    expect(await refused(words('apply'))).toEqual([0, '']);
  });

  it('CL-06 a step that is not on record is told of as not found, and one that is, is told', async () => {
    await place.run(['run', 'app', '--workflow', 'asks', '--run-id', 'a']);
    expect(await refused(['show', 'a', '--path', 'steps/aprove'])).toEqual([
      66,
      expect.stringMatching(/Cannot find step "steps\/aprove" in run "a".*Name one of these.*: .*steps\/approve/s),
    ]);
    expect(await refused(['show', 'a', '--path', 'steps/approve'])).toEqual([0, '']);
    expect(await refused(['show', 'a', '--path', 'steps/approve', '--failed'])).toEqual([0, '']);
    expect(await refused(['show', 'b'])).toEqual([66, expect.stringContaining(place.path('.telo/runs.db'))]);
  });

  it('CL-07 an answer that does not fit is told what would', () => {
    const schema = {
      type: 'object',
      additionalProperties: false,
      properties: { word: { enum: ['yes', 'no'] }, version: { const: 2 } },
    };
    expect(validateAnswer(schema, { word: 'maybe' })).toEqual(['/word must be one of "yes", "no"']);
    expect(validateAnswer(schema, { version: 1 })).toEqual(['/version must be 2']);
    expect(validateAnswer(schema, { wrod: 'yes' })).toEqual(['(the answer) must not have the field "wrod"']);
    expect(validateAnswer(schema, { word: 'yes', version: 2 })).toEqual([]);
  });

  it('starts from a folder that links to this one after every build', () => {
    expect(statSync(join(ROOT, 'dist/kernel/main.mjs')).mode & 0o111).toBe(0o111);
  });
});
