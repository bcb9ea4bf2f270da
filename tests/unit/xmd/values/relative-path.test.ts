import { expect, it } from 'vitest';
import { joinRelativePath, readRelativePath } from '../../../../controllers/xmd/values/relative-path.ts';

it.each([
  ['a', 'a'],
  ['a/b.c', 'a/b.c'],
  ['./a', 'a'],
  ['a//b/./c', 'a/b/c'],
  ['..a/b..', '..a/b..'],
  ['.a', '.a'],
  ['a b/🎉', 'a b/🎉'],
  ['ab:c', 'ab:c'],
])('F-55 reads %j as %j', (path, expected) => {
  expect(readRelativePath(path, 'file')).toBe(expected);
  expect(readRelativePath(`${path}/`, 'directory')).toBe(expected);
});

it.each(['', '/', '/a', '//a', '..', '../a', 'a/..', 'a/../b', './..', 'C:', 'C:/a', 'c:a', 'a\\b', '\\'])(
  'F-55 refuses %j',
  (path) => {
    expect(readRelativePath(path, 'file')).toBeUndefined();
    expect(readRelativePath(path, 'directory')).toBeUndefined();
  },
);

it('F-55 refuses every control character and admits their neighbours', () => {
  for (let code = 0; code < 0x100; code += 1) {
    const control = code < 0x20 || (code >= 0x7f && code <= 0x9f) || code === 0x5c;
    const path = `ab${String.fromCharCode(code)}b`;
    expect(readRelativePath(path, 'file') === undefined).toBe(control);
  }
});

it('F-55 tells a file from a directory', () => {
  for (const path of ['.', './', 'a/', 'a/.', '././']) {
    expect(readRelativePath(path, 'file')).toBeUndefined();
    expect(readRelativePath(path, 'directory')).toBe(path.startsWith('a') ? 'a' : '.');
  }
});

it.each([[undefined], [null], [1], [['a']], [true]])('F-55 reads no path from %j', (value) => {
  expect(readRelativePath(value, 'file')).toBeUndefined();
});

it('F-56 joins below the root and below a directory', () => {
  expect(joinRelativePath('', 'a')).toBe('a');
  expect(joinRelativePath('', '.')).toBe('.');
  expect(joinRelativePath('a/b', 'c/d')).toBe('a/b/c/d');
  expect(joinRelativePath('a/b', '.')).toBe('a/b');
});
