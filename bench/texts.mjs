const PROSE =
  'The notes say what is really in this release, with *stress*, `code`, a [link](https://example.org) and more words.\n\n';
const BLOCK = (index) =>
  `<File path="out/file${index}.ts" fenced>\n\`\`\`ts\nexport function f${index}(input: { a: number }): string {\n  return \`\${input.a}\`;\n}\n\`\`\`\n</File>\n\n`;

/** Prose with many File blocks and fences, at least `bytes` long. */
export function fragmentText(bytes) {
  const parts = [];
  for (let size = 0, index = 0; size < bytes; index += 1) {
    const part = PROSE.repeat(6) + BLOCK(index) + '```sh\nnpm run build\n```\n\n';
    parts.push(part);
    size += part.length;
  }
  return parts.join('');
}
