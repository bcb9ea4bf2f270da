import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openJournal } from '../../../controllers/journal-file/index.ts';
import { Place } from '../../cli/command-line.ts';
import { plant } from '../../unit/journal-file/fixture.ts';

const LIBRARY = `
kind: Telo.Library
metadata: { name: Marks, version: 1.0.0 }
exports: { kinds: [Mark] }
---
kind: Telo.Definition
metadata: { name: Mark }
capability: Telo.Invocable
controllers: ['pkg:telo/local/js?path=./marks.mjs#Mark']
schema: { type: object, additionalProperties: false, properties: {} }
`;

const MARK = `
import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
export const Mark = {
  create: ({ metadata: { name } }) => ({
    invoke: async () => (appendFileSync(join(import.meta.dirname, 'effects.log'), name + '\\n'), name),
  }),
};
`;

const APPLICATION = `
kind: Telo.Application
metadata: { name: Orders, version: 1.0.0 }
imports:
  Run: oci://ghcr.io/telorun/run@0.25.0
  Durable: oci://ghcr.io/telorun/durable@0.2.0
  DurableLocal: oci://ghcr.io/telorun/durable-local@0.2.0
  DurableJournalFile: oci://ghcr.io/telorun/durable-journal-file@0.2.0
  Marks: ./marks
---
kind: DurableJournalFile.Journal
metadata: { name: runs }
directory: .telo/runs
---
kind: Durable.Await
metadata: { name: approval }
---
kind: Marks.Mark
metadata: { name: reserve }
---
kind: Marks.Mark
metadata: { name: ship }
---
kind: DurableLocal.Workflow
metadata: { name: order }
journal: !ref runs
inputs: { id: !cel inputs.id }
steps:
  - { name: reserve, invoke: !ref reserve }
  - { name: ask, invoke: !ref approval }
  - { name: ship, invoke: !ref ship }
---
kind: Run.Iteration
metadata: { name: each }
collection: [1, 2]
steps:
  - { name: one, invoke: !ref ship }
---
kind: Run.Sequence
metadata: { name: both }
steps:
  - { name: elements, invoke: !ref each }
---
kind: DurableLocal.Workflow
metadata: { name: repeats }
journal: !ref runs
steps:
  - { name: reserve, invoke: !ref reserve }
  - { name: ask, invoke: !ref approval }
  - { name: ship, invoke: !ref both }
`;

const MODULE = 'file:///srv/orders/telo.yaml';

/** What a Telo kernel leaves of a run of `order` that waits, byte for byte in its spelling. */
const left = (run: string): readonly string[] => [
  `{"type":"run","run":"${run}","status":"running"}\n`,
  '{"type":"entry","entry":{"path":"inputs","kind":"decision","decision":"inputs","value":{"id":"K-1"}}}\n',
  '{"type":"entry","entry":{"path":"steps/reserve/inputs","kind":"decision","decision":"inputs","value":{}}}\n',
  `{"type":"entry","entry":{"path":"steps/reserve","kind":"step","value":"reserved there","target":{"kind":"Marks.Mark","name":"reserve","module":"${MODULE}"}}}\n`,
  '{"type":"entry","entry":{"path":"steps/ask/inputs","kind":"decision","decision":"inputs","value":{}}}\n',
  '{"type":"entry","entry":{"path":"steps/ask/token","kind":"decision","decision":"value","value":"3f0c6f7e-token-of-telo"}}\n',
  `{"type":"run","run":"${run}","status":"parked","parked":{"path":"steps/ask","resource":"approval","token":"3f0c6f7e-token-of-telo"}}\n`,
];

describe('a run that a Telo kernel left', () => {
  const RUN = 'order:K-1';
  let place: Place;
  let directory: string;

  beforeEach(() => {
    place = new Place();
    mkdirSync(place.path('app/marks'), { recursive: true });
    writeFileSync(place.path('app/telo.yaml'), APPLICATION);
    writeFileSync(place.path('app/marks/telo.yaml'), LIBRARY);
    writeFileSync(place.path('app/marks/marks.mjs'), MARK);
    writeFileSync(place.path('app/marks/effects.log'), '');
    directory = place.path('.telo/runs');
    mkdirSync(directory, { recursive: true });
  });
  afterEach(() => place.remove());

  const effects = (): readonly string[] =>
    readFileSync(place.path('app/marks/effects.log'), 'utf8').split('\n').filter(Boolean);
  const text = (run: string): string => readFileSync(`${directory}/${encodeURIComponent(run)}.ndjson`, 'utf8');
  const journal = ['--journal', '.telo/runs'];
  const manifest = ['--manifest', 'app', '--workflow', 'order'];

  it('JF-20 is listed and shown, which writes nothing', async () => {
    plant(directory, RUN, left(RUN));
    const before = text(RUN);
    const listed = await place.run(['runs', ...journal]);
    expect(listed.stdout).toMatch(/^1 run, 1 waiting for an answer\norder:K-1 +parked .*steps\/ask/);
    const shown = await place.run(['show', RUN, ...journal]);
    expect(shown.code).toBe(0);
    expect(shown.stdout).toContain('✓ reserve  Marks.Mark/reserve');
    expect(shown.stdout).not.toContain('token-of-telo');
    expect(text(RUN)).toBe(before);
  });

  it('JF-21 is answered and continued here: what is on record is not done again', async () => {
    plant(directory, RUN, left(RUN));
    const answered = await place.run(['answer', RUN, '{"ok":true}', ...journal]);
    expect({ code: answered.code, effects: effects() }).toEqual({ code: 0, effects: [] });
    const resumed = await place.run(['resume', RUN, ...manifest, ...journal, '--json']);
    expect(resumed.code).toBe(0);
    expect(JSON.parse(resumed.stdout)).toMatchObject({
      status: 'completed',
      result: {
        steps: { reserve: { result: 'reserved there' }, ask: { result: { ok: true } }, ship: { result: 'ship' } },
      },
    });
    expect(effects()).toEqual(['ship']);
    // What a Telo kernel finds: its own lines as they were, then lines of its own spelling.
    expect(text(RUN).startsWith(left(RUN).join(''))).toBe(true);
    expect(text(RUN).slice(left(RUN).join('').length).split('\n')).toEqual([
      '{"type":"entry","entry":{"path":"steps/ask","kind":"step","value":{"ok":true}}}',
      `{"type":"run","run":"${RUN}","status":"running"}`,
      '{"type":"entry","entry":{"path":"steps/ship","kind":"step","value":"ship","target":{"kind":"Marks.Mark","name":"ship"}}}',
      expect.stringMatching(/^\{"type":"run","run":"order:K-1","status":"completed","result":\{"steps":/),
      '',
    ]);
  });

  it('JF-21 whatever it waits for, another target at a path is still refused', async () => {
    const lines = left(RUN).map((line) => line.replace('"name":"reserve"', '"name":"other"'));
    plant(directory, RUN, lines);
    await place.run(['answer', RUN, 'true', ...journal]);
    const resumed = await place.run(['resume', RUN, ...manifest, ...journal]);
    expect(resumed.stderr).toContain('ERR_JOURNAL_ENTRY_MISMATCH');
    expect(effects()).toEqual([]);
  });

  it('JF-30 is not continued where its workflow repeats steps: nothing is done and nothing written', async () => {
    plant(directory, 'r', left('r'));
    await place.run(['answer', 'r', 'true', ...journal]);
    const before = text('r');
    const repeats = ['--manifest', 'app', '--workflow', 'repeats'];
    const resumed = await place.run(['resume', 'r', ...repeats, ...journal]);
    expect(resumed.code).toBe(3);
    expect(resumed.stderr).toContain('ERR_DURABLE_RUN_FOREIGN');
    expect(resumed.stderr).toContain('Run.Iteration');
    expect({ effects: effects(), text: text('r') }).toEqual({ effects: [], text: before });
    // The twin: the same program, the run begun here.
    const own = await place.run(['run', 'app', '--workflow', 'repeats', '--run-id', 'own']);
    expect(own.code).toBe(2);
    await place.run(['answer', 'own', 'true', ...journal]);
    expect((await place.run(['resume', 'own', ...journal])).code).toBe(0);
    expect(effects()).toEqual(['reserve', 'ship', 'ship']);
  });

  it('JF-21 a run of this kernel over the folder parks and resumes in another process', async () => {
    const inputs = ['--workflow', 'order', '--run-id', RUN, '--inputs', '{"id":"K-1"}'];
    expect((await place.run(['run', 'app', ...inputs])).code).toBe(2);
    expect(effects()).toEqual(['reserve']);
    await place.run(['answer', RUN, '1', '--resume', ...journal]);
    expect(effects()).toEqual(['reserve', 'ship']);
    const opened = openJournal({ directory });
    expect(await opened.readRun(RUN)).toMatchObject({ status: 'completed', program: { workflow: 'order' } });
    opened.close();
  });
});
