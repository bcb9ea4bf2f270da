import type { JsonObject, JsonValue } from './json.ts';

type Task = { readonly value: JsonValue } | { readonly literal: string };

/**
 * JSON text with the members of every object in the order of their names (UTF-16 units), without white space.
 *
 * Pure. Does not recurse: equal values have equal texts however deep they are.
 */
export function canonicalJson(value: JsonValue): string {
  const parts: string[] = [];
  const tasks: Task[] = [{ value }];
  for (let task = tasks.pop(); task !== undefined; task = tasks.pop()) {
    if ('literal' in task) {
      parts.push(task.literal);
    } else if (typeof task.value !== 'object' || task.value === null) {
      parts.push(JSON.stringify(task.value));
    } else {
      for (const inner of containerTasks(task.value)) {
        tasks.push(inner);
      }
    }
  }
  return parts.join('');
}

/** The tasks of one container, last first, because the stack answers the last one first. */
function containerTasks(value: readonly JsonValue[] | JsonObject): Task[] {
  const tasks: Task[] = [];
  if (isList(value)) {
    tasks.push({ literal: '[' });
    for (const [index, item] of value.entries()) {
      tasks.push({ literal: index === 0 ? '' : ',' }, { value: item });
    }
    tasks.push({ literal: ']' });
  } else {
    tasks.push({ literal: '{' });
    const members = Object.entries(value).toSorted(([one], [other]) => (one < other ? -1 : 1));
    for (const [index, [name, item]] of members.entries()) {
      tasks.push({ literal: `${index === 0 ? '' : ','}${JSON.stringify(name)}:` }, { value: item });
    }
    tasks.push({ literal: '}' });
  }
  return tasks.toReversed();
}

function isList(value: readonly JsonValue[] | JsonObject): value is readonly JsonValue[] {
  return Array.isArray(value);
}
