import { LIMIT_DEFAULTS } from '../../controllers/xmd/vocabulary/limits.ts';

const POLICY = JSON.stringify({
  version: 2,
  allow: ['read', 'write'],
  allowed: [
    {
      name: 'File',
      identity: { kind: 'standard', origin: 'o', key: 'k', revision: '1' },
      forms: ['self-closing', 'paired'],
    },
  ],
  requests: [{ url: 'https://a.example/', method: 'GET', headers: { accept: 'a' }, timeout: 5 }],
  addresses: ['10.0.0.0/8', '::1'],
  paths: { read: { allow: ['src/**'], deny: ['**/*.key'] } },
  limits: LIMIT_DEFAULTS,
  root: '.',
});

/** Inputs that are right, for mutation to begin with. */
export const SEEDS: Readonly<Record<string, readonly string[]>> = {
  record: [
    '{"version":2,"reader":1,"decision":"refused","occurrence":0,"refusal":{"class":"props","line":1,"column":1}}',
    '{"version":2,"reader":1,"decision":"refused","occurrence":0,"secret":{"within":"text","rule":"a/b","line":1,"column":1}}',
    `{"version":2,"reader":1,"decision":"admitted","occurrence":0,"text":"","policy":${POLICY},"named":[0]}`,
    '{"outcome":"completed","observations":[],"output":["a"],"effects":[["p","d"]]}',
    '{"outcome":"failed","effect":"p","code":"c","message":"m","data":null}',
    '{"decision":"refused","construct":"props"}',
    '{"decision":"admitted","source":"","named":[{"name":"File","identity":"@executablemd/core#File:read","form":"self-closing"}],"policy":{"allow":["read"],"roots":["/w"],"selectedRoot":"/w","allowed":[{"name":"File","identity":"@executablemd/core#File:read","forms":["self-closing"]}],"requests":[{"url":"https://a.example/","method":"GET","headers":{}}]}}',
  ],
  path: ['', 'a', 'a/b', './a', 'a//b/', '../a', '/a', './C:/a', 'a\\b', 'a/./b', 'a\0'],
  json: [
    '',
    '1',
    '-1.5e+10',
    '"a\\u00e9"',
    '{"a":[1,true,null],"b":{}}',
    ' [ ] ',
    '"\\ud83c\\udf89"',
    '9007199254740991',
  ],
  cel: [
    '',
    'a + 1',
    's.size() > 2 && l.exists(x, x == 1) ? m.k : "n"',
    'cel.bind(v, [1, 2], v.map(x, x * 2))',
    'has(m.k) || "k" in m',
    'json(m) + parseJson("[1]")[0]',
    's.matches("^t(ex)*t$")',
    'range(3).filter(x, x > 1)[0]',
  ],
};
