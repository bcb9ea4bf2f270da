import { createCancellationSource, deriveContext } from '@telorun/sdk';
import type { InvokeContext } from '@telorun/sdk';
import type { FencedJournal } from '@telorun/sdk/journal';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { durableKinds } from '../../../../kernel/durable/kinds.ts';
import { executeBody, initialised, keys, kernelFake } from './bench.ts';
import { journals } from './journals.ts';
import type { Place } from './journals.ts';

const HELD = { noSuspend: 'a lock is held here' };
const ROOM = { replayed: 'nothing forbidden' };

describe.each(journals)('zones around waits over a $name journal', ({ open }) => {
  let place: Place;
  let journal: FencedJournal;
  beforeEach(async () => {
    place = open();
    journal = await place.connect();
  });
  afterEach(() => place.dispose());

  /** A step of a run that waits inside a zone of these attributes. */
  const waitInside = async (kind: string, attributes: typeof HELD | typeof ROOM) => {
    const { context: own } = kernelFake({ kind, name: 'gate', zones: { invoke: attributes } });
    const definition = durableKinds.find((known) => `${known.module}.${known.name}` === kind);
    if (definition === undefined) throw new TypeError(`no kind ${kind}`);
    const fields = kind === 'Durable.Sleep' ? { for: '1h' } : {};
    const module = await definition.controller();
    const gate = await initialised(module.create({ kind, metadata: { name: 'gate' }, ...fields }, own), own);
    return executeBody(journal, (context: InvokeContext) =>
      own.withZone(
        'invoke',
        async (zoned) => gate.invoke?.({}, deriveContext(zoned, { durablePath: 'steps/gate' })),
        context,
      ),
    );
  };

  it.each(['Durable.Await', 'Durable.Sleep'])(
    'S5 DK-33 refuses %s where no run may wait, and records no wait',
    async (kind) => {
      const { settlement } = await waitInside(kind, HELD);

      expect(settlement).toMatchObject({ status: 'failed', error: { code: 'ERR_DURABLE_SUSPEND_FORBIDDEN' } });
      expect(settlement.error?.message).toContain('a lock is held here');
      expect(await journal.readWaits('run-1')).toEqual([]);
    },
  );

  it.each(['Durable.Await', 'Durable.Sleep'])('S5 DK-33 lets %s wait in a zone that forbids nothing', async (kind) => {
    const { settlement } = await waitInside(kind, ROOM);

    expect(settlement).toMatchObject({ status: 'parked', waits: [{ path: 'steps/gate' }] });
  });

  it('DK-02 starts a body outside every zone of its caller, under its own, on a handle of its own', async () => {
    const seen: InvokeContext[] = [];
    const body = async (context: InvokeContext): Promise<unknown> => {
      seen.push(context);
      return {};
    };
    const { context: caller } = kernelFake({ zones: { invoke: HELD } });
    await caller.withZone('invoke', () =>
      executeBody(journal, body, { run: 'one', source: createCancellationSource() }),
    );
    await executeBody(journal, body, { run: 'two' });

    const [one, two] = seen;
    expect(one?.zones).toHaveLength(1);
    expect(two?.zones).toHaveLength(1);
    expect(one?.durable).toBeDefined();
    expect(one?.durable).not.toBe(two?.durable);
    expect(await keys(journal, 'one')).toEqual(['inputs']);
  });
});
