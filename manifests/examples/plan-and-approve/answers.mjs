// What the scripted model answers here: it renames an option in the two files it was shown and removes a third one, unless
// a remark says to keep that.

/** The answer to a list of messages. */
export function answer(messages) {
  const [config, changelog] = observationsIn(messages);
  const remark = messages.length > 2 ? messages.at(-1).content : '';
  const parts = [
    file('config.json', config.replaceAll('colour', 'color')),
    file('CHANGELOG.md', changelog.replace('\n\n', '\n\n- 1.5.0: `colour` is now `color`.\n')),
    ...(/\bkeep\b/i.test(remark) ? [] : ['<File.Delete path="config.old.json" />']),
  ];
  return `\`\`\`\`xmd\n${parts.join('\n')}\n\`\`\`\`\n`;
}

const file = (path, text) => `<File path="${path}">\n${text}</File>`;

/** Observations stand in the prompt as one line of JSON each. */
function observationsIn(messages) {
  const lines = messages[1].content.split('\n').filter((line) => line.startsWith('{"name":'));
  return lines.map((line) => JSON.parse(line).value);
}
