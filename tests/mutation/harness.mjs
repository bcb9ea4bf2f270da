// What test files import as `vitest` while mutants run: it collects their tests, and runs them in this process, in any
// order. No isolation and no mocks: what a test file cannot do here fails without a mutant, and is left out.
import { expect } from 'vitest';

export { expect };

const TIME_LIMIT_MS = 20_000;

let collected = [];
let scopes = [{ title: '', before: [], after: [] }];
let finishing = [];

/** Takes the tests that were declared since the last call. */
export function takeTests() {
  const taken = collected;
  collected = [];
  scopes = [{ title: '', before: [], after: [] }];
  return taken;
}

/** Runs one test with its hooks; throws what it throws. */
export async function runTest({ body, chain }) {
  finishing = [];
  try {
    for (const { before } of chain) for (const hook of before) await hook();
    await timed(body());
  } finally {
    for (const hook of [...finishing].toReversed()) await hook();
    for (const { after } of [...chain].toReversed()) for (const hook of after) await hook();
  }
}

export function describe(title, body) {
  scopes.push({ title, before: [], after: [] });
  body();
  scopes.pop();
}
export function it(title, body) {
  const chain = [...scopes];
  collected.push({ title: [...chain.map((scope) => scope.title), title].filter(Boolean).join(' > '), body, chain });
}
export const onTestFinished = (hook) => finishing.push(hook);
export const beforeEach = (hook) => scopes.at(-1).before.push(hook);
export const afterEach = (hook) => scopes.at(-1).after.push(hook);
export const beforeAll = (hook) => scopes.at(-1).before.push(once(hook));
export const afterAll = () => {};
export const vi = { mock: () => {} };

for (const declare of [it, describe]) {
  declare.each = (cases) => (title, body) => {
    for (const [index, one] of cases.entries()) {
      const values = Array.isArray(one) ? one : [one];
      declare(`${title} [${index}]`, () => body(...values));
    }
  };
  declare.runIf = (condition) => (condition ? declare : () => {});
}

function once(hook) {
  let done;
  return () => (done ??= Promise.resolve(hook()));
}

async function timed(work) {
  if (!(work instanceof Promise)) return;
  let timer;
  const late = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error('The test takes too long')), TIME_LIMIT_MS);
  });
  try {
    await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
