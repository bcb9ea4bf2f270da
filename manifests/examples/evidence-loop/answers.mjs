// What the scripted model answers here: it asks for the index, then for what the index lists, then for nothing more;
// asked for the report, it writes what it has seen.

/** The answer to a list of messages. */
export function answer(messages) {
  const seen = observationsIn(messages);
  const fragment = messages[0].content.includes('Write report.md') ? report(seen) : reads(seen);
  return `\`\`\`\`xmd\n${fragment}${fragment === '' ? '' : '\n'}\`\`\`\`\n`;
}

/** What was observed, by path: in the prompt one line of JSON for each round, the fragment that asked with what came of it. */
function observationsIn(messages) {
  const lines = messages.flatMap(({ role, content }) => (role === 'user' ? content.split('\n') : []));
  const rounds = lines.filter((line) => line.startsWith('{"name":')).map((line) => JSON.parse(line));
  return new Map(
    rounds.flatMap(({ name, value }) =>
      [...name.matchAll(/<File path="([^"]+)" \/>/g)].map(([, path], index) => [path, value[index].value]),
    ),
  );
}

function reads(seen) {
  const index = seen.get('index.md');
  const wanted = index === undefined ? ['index.md'] : [...index.matchAll(/^- (.+)$/gm)].map(([, path]) => path);
  return wanted
    .filter((path) => !seen.has(path))
    .map((path) => `<File path="${path}" />`)
    .join('\n');
}

function report(seen) {
  const [title] = (seen.get('index.md') ?? '# Report').split('\n');
  const cause = /release \d+ \w+: .*->.*/.exec(seen.get('deploys/november.md') ?? '')?.[0] ?? 'unknown';
  const timeline = (seen.get('timeline.md') ?? '').trimEnd().replaceAll(/^/gm, '- ');
  return `<File path="report.md">\n${title}\n\nCause: ${cause}\n\n${timeline}\n</File>`;
}
