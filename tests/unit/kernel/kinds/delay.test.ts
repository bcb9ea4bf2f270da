import { createCancellationSource } from '@telorun/sdk';
import { expect, it } from 'vitest';
import { boot, header } from '../runtime/support/application.ts';
import { working } from './working.ts';

const imports = header('[]').replace('imports:', 'imports:\n  Timer: oci://ghcr.io/telorun/timer@0.1.0');
const DOCUMENTS = `${imports}---
kind: Timer.Delay
metadata: { name: nap }
duration: !cel inputs.ms + 'ms'
value: !cel "'slept ' + inputs.ms"
---
kind: Run.Sequence
metadata: { name: main }
steps:
  - { name: wait, invoke: !ref Timer.delay, inputs: { duration: 1ms, value: [1, two] } }
  - { name: bare, invoke: !ref Timer.delay, inputs: { duration: 0s } }
`;

it('RK-50 waits as long as the resource or the call says, and answers the value', async () => {
  const { kernel } = await boot(DOCUMENTS);
  expect(await kernel.invoke('nap', { ms: '2' })).toEqual({ value: 'slept 2' });
  expect(await kernel.invoke('nap', { ms: 'x', duration: '1ms', value: 7 })).toEqual({ value: 7 });
  expect(await kernel.invoke('main')).toEqual({
    wait: { result: { value: [1, 'two'] } },
    bare: { result: { value: null } },
  });
});

it.each([{ ms: 'two ' }, { ms: '1', duration: 5 }, { ms: '1', duration: '1h30m' }])(
  'RK-50 refuses a duration that cannot be read: %j',
  async (inputs) => {
    const { kernel } = await boot(DOCUMENTS);
    await expect(kernel.invoke('nap', inputs)).rejects.toMatchObject({ code: 'ERR_INVALID_VALUE' });
  },
);

it('RK-51 is over as soon as it is cancelled, however long it was to be', async () => {
  const { work } = await working('kind: Timer.Delay\nmetadata: { name: long }\nduration: 100d\n');
  const source = createCancellationSource();
  const done = work.ctx.invoke('Timer.Delay', 'long', {}, { ctx: source.context });
  // By now the wait has begun: nothing before it waits for anything.
  await new Promise((resolve) => setImmediate(resolve));
  source.cancel('by the test');
  await expect(done).rejects.toMatchObject({ code: 'ERR_INVOKE_CANCELLED' });
});
