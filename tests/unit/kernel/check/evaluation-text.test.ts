import { describe, expect, it } from 'vitest';
import { contentDocuments } from '../../../acceptance/xmd/content-scene.ts';
import { World } from '../../../acceptance/xmd/real-kernel.ts';

const CONTENT = "content:\n  - { name: text, value: 'a' }\n";
const step = (inputs: string): string => `  - { name: apply, invoke: !ref apply${inputs} }\n`;

describe('EV-19 how a text is stated, as far as it is written out', () => {
  it.each([
    ['content', CONTENT, '', []],
    ['content, and inputs for it', CONTENT, ', inputs: { inputs: { a: 1 } }', []],
    ['a text', "text: 'a'\n", '', []],
    ['a text of the step', '', ', inputs: { text: a }', []],
    ['an expression that may state one', '', ', inputs: !cel inputs', []],
    ['nothing', '', '', ['EVALUATION_TEXT']],
    ['inputs without a text', '', ', inputs: { allow: [read] }', ['EVALUATION_TEXT']],
    ['a text and content', `text: 'a'\n${CONTENT}`, '', ['EVALUATION_TEXT']],
    ['content, and a text of the step', CONTENT, ', inputs: { text: !cel inputs.text }', ['EVALUATION_TEXT']],
    ['content, and source of the step', CONTENT, ', inputs: { source: a }', ['EVALUATION_TEXT']],
    ['a text, and one of the step', "text: 'a'\n", ', inputs: { text: b }', ['EVALUATION_TEXT']],
    ['text and source of the step', '', ', inputs: { text: a, source: b }', ['EVALUATION_TEXT']],
    ['an empty content', 'content: []\n', '', ['EVALUATION_TEXT']],
  ])('EV-19 %s', async (_name, evaluate, inputs, expected) => {
    const found = await new World(contentDocuments({ evaluate, steps: step(inputs) })).check();

    expect(found.map((one) => one.replace(/^\d+ /, ''))).toEqual(expected);
  });
});
