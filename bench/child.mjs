// One measurement in a process of its own: node child.mjs <case> <parameters>. Prints one line of JSON.
const [name, parameters] = process.argv.slice(2);
const { [name]: measure } = {
  ...(await import('./cases/floor.mjs')),
  ...(await import('./cases/effects.mjs')),
  ...(await import('./cases/preflight.mjs')),
};
const figures = await measure(JSON.parse(parameters));
console.log(JSON.stringify({ ...figures, peakMb: process.resourceUsage().maxRSS / 1024 }));
process.exit(0);
