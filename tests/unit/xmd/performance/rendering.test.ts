import { array, assert, boolean, letrec, oneof, property, record, string } from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Rendering } from '../../../../controllers/xmd/performance/rendering.ts';

type Node = string | { readonly value: string; readonly wraps: boolean; readonly nodes: readonly Node[] };

const { node } = letrec<{ node: Node }>((tie) => ({
  node: oneof(
    { depthSize: 'small' },
    string(),
    record({ value: string(), wraps: boolean(), nodes: array(tie('node')) }),
  ),
}));

describe('Rendering', () => {
  it('EV-31 has parts, content and bytes that agree, whatever is nested in what', () => {
    assert(
      property(array(node), (nodes) => {
        const rendering = new Rendering();
        const values: string[] = [];
        const expected = write(nodes, rendering, values);
        const joined = rendering.parts.map((part) => (typeof part === 'string' ? part : values[part])).join('');

        expect(rendering.content).toBe(expected);
        expect(joined).toBe(expected);
        expect(rendering.bytes).toBe(Buffer.byteLength(expected));
      }),
    );
  });

  it('EV-31 names the effect whose value is the text, and joins neighbouring characters', () => {
    const rendering = new Rendering();
    rendering.write('a');
    rendering.write('b');
    rendering.close(rendering.open(), { text: 'value', effect: 3, value: 'value' });
    rendering.close(rendering.open(), { text: '', effect: 4, value: 'unrendered' });
    rendering.write('c');

    expect(rendering.parts).toEqual(['ab', 3, 'c']);
  });

  it('EV-31 is linear in nested elements that render their content', () => {
    const rendering = new Rendering();
    const openings = Array.from({ length: 20_000 }, () => {
      rendering.write('x');
      return rendering.open();
    });
    for (const opening of openings.toReversed()) {
      rendering.close(opening, { text: rendering.content, effect: 0, value: null });
    }
    expect(rendering.content).toHaveLength(20_000);
    expect(rendering.parts).toHaveLength(20_000);
  });
});

/** Writes nodes and answers what they come to, joined the simple way. */
function write(nodes: readonly Node[], rendering: Rendering, values: string[]): string {
  return nodes
    .map((one) => {
      if (typeof one === 'string') {
        rendering.write(one);
        return one;
      }
      const opening = rendering.open();
      const content = write(one.nodes, rendering, values);
      const text = one.wraps ? content : one.value;
      rendering.close(opening, { text, effect: values.push(one.value) - 1, value: one.value });
      return text;
    })
    .join('');
}
