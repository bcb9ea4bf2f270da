import { expect, it } from 'vitest';
import { orderOf } from '../../../../kernel/graph/order.ts';

type Graph = Readonly<Record<string, { readonly hard?: readonly string[]; readonly soft?: readonly string[] }>>;

function order(graph: Graph): ReturnType<typeof orderOf<string>> {
  return orderOf(Object.keys(graph), (node) => ({ hard: graph[node]?.hard ?? [], soft: graph[node]?.soft ?? [] }));
}

it('RT-11 puts needs first, declared order otherwise', () => {
  expect(order({ a: { hard: ['c'] }, b: {}, c: {} })).toEqual({ order: ['c', 'a', 'b'] });
});

it('RT-11 reaches what is needed though it was not asked for', () => {
  expect(orderOf(['a'], (node) => ({ hard: node === 'a' ? ['z'] : [], soft: [] }))).toEqual({ order: ['z', 'a'] });
});

it('RT-12 names the circle of hard needs', () => {
  expect(order({ a: { hard: ['b'] }, b: { hard: ['c'] }, c: { hard: ['b'] } })).toEqual({ circle: ['b', 'c', 'b'] });
});

it('RT-12 leaves out a soft need that closes a circle, and only that one', () => {
  expect(order({ a: { soft: ['b', 'c'] }, b: { hard: ['a'] }, c: {} })).toEqual({ order: ['c', 'a', 'b'] });
});

it('RT-12 lets two resources refer to each other softly', () => {
  expect(order({ a: { soft: ['b'] }, b: { soft: ['a'] } })).toEqual({ order: ['b', 'a'] });
});

it('RT-11 orders a chain of 20,000 without recursion', () => {
  const length = 20_000;
  const found = orderOf([0], (node) => ({ hard: node + 1 < length ? [node + 1] : [], soft: [] }));
  expect('order' in found && found.order.length).toBe(length);
});
