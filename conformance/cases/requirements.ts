import { cancellationError, deriveContext, InvokeError } from '@telorun/sdk';
import type { CaseDefinition } from '../case.ts';
import { equal, holds, matches, refuses, times } from '../expect.ts';
import { hostIn, runProgram } from '../host/program.ts';
import { resource } from '../host/resource-context.ts';
import type { Body } from '../stage.ts';

/** The requirements of the seam that are about the workflow of a backend, by their numbers there. */
export const requirements: readonly CaseDefinition[] = [
  {
    id: 'N1-admitted',
    title: 'admits a run before its body starts',
    needs: ['status'],
    run: async (stage) => {
      equal(await stage.status(), undefined, 'the status of a run that never was');
      let inside: unknown;
      await stage.execute(async () => {
        inside = await stage.status();
      });
      equal([inside, await stage.status()], ['running', 'completed'], 'the status inside the body, and after it');
    },
  },
  {
    id: 'N1-settled',
    title: 'answers a settled run with its result, and executes nothing',
    needs: [],
    run: async (stage) => {
      let entered = 0;
      const body: Body = async () => {
        entered += 1;
        return { steps: { a: { result: [entered] } } };
      };
      const results = [await stage.execute(body), await stage.execute(body)].map(({ status, result }) => [
        status,
        result,
      ]);
      const expected = ['completed', { steps: { a: { result: [1] } } }];
      equal(results, [expected, expected], 'two executions of a run that completed');
      equal(entered, 1, 'how often the body was entered');
    },
  },
  {
    id: 'N2-dispatch',
    title: 'performs an effect by the dispatch it is handed, so that what the kernel refuses there is refused',
    needs: [],
    run: async (stage) => {
      let invoked = 0;
      let dispatched = 0;
      const target = resource('Test.Contract', 'contract', () => (invoked += 1));
      const ended = await stage.execute(async (acting) => {
        const host = hostIn(acting, { resources: { target } });
        const chokepoint = Object.assign(host, {
          invokeResolved: async () => {
            dispatched += 1;
            throw new InvokeError('ERR_INPUT_INVALID', 'the contract refuses the inputs');
          },
        });
        const steps = [{ name: 'a', invoke: target }];
        await refuses(() => runProgram(steps, acting, { host: chokepoint }), 'ERR_INPUT_INVALID', 'a refused dispatch');
        return runProgram(steps, acting, { host: hostIn(acting, { resources: { target } }) });
      });
      matches(ended, { status: 'completed', result: { a: { result: 1 } } }, 'the dispatch that is not refused');
      equal([dispatched, invoked], [1, 1], 'dispatches that were refused, and calls of the target');
    },
  },
  {
    id: 'N3-outside',
    title: 'starts a body outside every zone and every run of its caller',
    needs: [],
    run: async (stage) => {
      const caller = { kind: 'Test.Caller', provider: {} };
      const ended = await stage.execute(async (outer) => {
        const context = deriveContext(outer.context, {
          zones: [...(outer.context.zones ?? []), caller],
          durablePath: 'steps/outer',
        });
        const inner = await stage.execute(
          async ({ context: own, handle }) => {
            const zones = own.zones ?? [];
            holds(!zones.includes(caller), 'a body is outside the zones of its caller');
            holds(
              !zones.some((zone) => outer.context.zones?.includes(zone)),
              'a body is outside the zone of another run',
            );
            holds(handle !== outer.handle, 'a body has the handle of its own run');
            equal(own.durablePath, undefined, 'the step path that a body starts with');
            return handle.step('steps/a', undefined, {}, async () => 'inner');
          },
          'conformance:inner',
          context,
        );
        return inner.result;
      });
      matches(ended, { status: 'completed', result: 'inner' }, 'a run started from the body of another');
    },
  },
  {
    id: 'N4-replayed',
    title: 'opens a zone around the body that says that it is replayed',
    needs: ['zones'],
    run: async (stage) => {
      const ended = await stage.execute(async ({ context, openZones }) =>
        openZones(context).map(({ attributes }) => typeof attributes.replayed),
      );
      matches(ended, { status: 'completed', result: ['string'] }, 'the attribute `replayed` of the zones of a body');
    },
  },
  {
    id: 'N5-local',
    title: 'performs a step inside a zone here, by its own dispatch, and records it',
    needs: [],
    run: async (stage) => {
      const seen: unknown[] = [];
      await times(2, async () => {
        await stage.killed(async (acting) => {
          const host = hostIn(acting, { zones: { held: { noSuspend: 'a transaction stays open' } } });
          const target = { kind: 'Test.Effect', name: 'effect', module: 'Tests' };
          await host.withZone(
            'held',
            (context) =>
              acting.handle.step('steps/a', target, {}, async () => {
                seen.push(context.zones?.length);
                return 'here';
              }),
            acting.context,
          );
          await acting.pause();
        });
      });
      equal(seen.length, 1, 'how often a step inside a zone was performed here, in two executions');
    },
  },
  {
    id: 'N6-detaching',
    title: 'shows the replayed zone from inside every other one, so that a detached dispatch is refused there',
    needs: ['zones'],
    run: async (stage) => {
      const ended = await stage.execute(async (acting) => {
        const host = hostIn(acting, { zones: { steps: {} } });
        return host.withZone(
          'steps',
          async (context) =>
            (host.zoneAttributes?.(context) ?? []).some(({ attributes }) => attributes.replayed !== undefined),
          acting.context,
        );
      });
      matches(ended, { status: 'completed', result: true }, 'whether a nested zone still sees `replayed`');
    },
  },
  {
    id: 'N7-failure',
    title: 'settles a run as failed for a failure, with its code and message, for good',
    needs: [],
    run: async (stage) => {
      let entered = 0;
      const body: Body = async () => {
        entered += 1;
        throw new InvokeError('ERR_TEST_BODY', 'the body failed', { at: 'steps/a' });
      };
      await times(2, async () => {
        const ended = await stage.execute(body);
        equal(ended.status, 'failed', 'how a body that throws ends its run');
        matches(ended.error, { code: 'ERR_TEST_BODY', message: 'the body failed' }, 'the failure on record');
      });
      equal(entered, 1, 'how often the body was entered');
    },
  },
  {
    id: 'N7-cancelled',
    title: 'leaves a run open that a cancellation ended, and goes on with it',
    needs: [],
    run: async (stage) => {
      const ended = await stage.execute(async ({ handle }) => {
        await handle.step('steps/a', undefined, {}, async () => 'recorded');
        throw cancellationError('interrupted', { step: 'a' });
      });
      equal(ended.status, 'running', 'the status of a run whose execution was cancelled');
      const next = await stage.execute(({ handle }) => handle.step('steps/a', undefined, {}, async () => 'again'));
      matches(next, { status: 'completed', result: 'recorded' }, 'the run in its next execution');
    },
  },
  {
    id: 'N0-elsewhere',
    title: 'goes on with a killed run in another process',
    needs: ['reopen'],
    run: async (stage) => {
      await stage.killed(async ({ handle, pause }) => {
        await handle.step('steps/a', undefined, {}, async () => 'recorded');
        await pause();
      });
      const other = await stage.reopened();
      const ended = await other.execute(({ handle }) => handle.step('steps/a', undefined, {}, async () => 'again'));
      matches(ended, { status: 'completed', result: 'recorded' }, 'the run in another process');
    },
  },
];
