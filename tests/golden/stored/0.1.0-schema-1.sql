CREATE TABLE runs (
     id INTEGER PRIMARY KEY,
     run TEXT NOT NULL UNIQUE,
     status TEXT NOT NULL,
     fence INTEGER NOT NULL DEFAULT 0,
     holder TEXT,
     claim_until INTEGER,
     owner TEXT,
     due_at INTEGER,
     created_at INTEGER NOT NULL,
     updated_at INTEGER NOT NULL,
     program TEXT,
     problem TEXT,
     error TEXT,
     collapsed_regions INTEGER,
     collapse_reasons TEXT,
     inputs TEXT,
     result TEXT
   );
   CREATE INDEX runs_open ON runs (due_at) WHERE status IN ('scheduled', 'running', 'parked');
   CREATE TABLE entries (
     id INTEGER PRIMARY KEY,
     run INTEGER NOT NULL,
     path TEXT NOT NULL,
     kind INTEGER NOT NULL,
     sum INTEGER NOT NULL,
     target TEXT,
     value TEXT,
     UNIQUE (run, path)
   );
   CREATE TABLE waits (
     id INTEGER PRIMARY KEY,
     run INTEGER NOT NULL,
     path TEXT NOT NULL,
     state TEXT NOT NULL,
     fence INTEGER NOT NULL,
     since INTEGER NOT NULL,
     resource TEXT NOT NULL,
     at INTEGER,
     token TEXT,
     schema TEXT,
     request TEXT,
     UNIQUE (run, path)
   );
   CREATE INDEX waits_token ON waits (token) WHERE token IS NOT NULL;
INSERT INTO runs (id, run, status, fence, holder, claim_until, owner, due_at, created_at, updated_at, program, problem, error, collapsed_regions, collapse_reasons, inputs, result) VALUES (1, 'golden', 'parked', 1, NULL, NULL, NULL, NULL, 1796075964686, 1796075964790, '{"manifest":"telo.yaml","workflow":"flow","digest":"sha256:057a4920cf5a9042a89ae6b9daf882b1d0ced037c293c1dab6a7bd6bd4af7203"}', NULL, NULL, NULL, NULL, '{"text":"<File path=\"a.md\" /><Send to=\"x\" /><File path=\"b.md\">after</File>"}', NULL);
INSERT INTO entries (id, run, path, kind, target, value, sum) VALUES (1, 1, 'inputs', 1, NULL, '{"text":"<File path=\"a.md\" /><Send to=\"x\" /><File path=\"b.md\">after</File>"}', 3593854237);
INSERT INTO entries (id, run, path, kind, target, value, sum) VALUES (2, 1, 'steps/apply/inputs', 1, NULL, '{"text":"<File path=\"a.md\" /><Send to=\"x\" /><File path=\"b.md\">after</File>"}', 3658401817);
INSERT INTO entries (id, run, path, kind, target, value, sum) VALUES (3, 1, 'steps/apply/generated_xmd', 6, NULL, '{"version":2,"reader":1,"decision":"admitted","occurrence":0,"text":"<File path=\"a.md\" /><Send to=\"x\" /><File path=\"b.md\">after</File>","policy":{"version":2,"allow":["read","write"],"allowed":[{"name":"File","identity":{"kind":"standard","origin":"Xmd","key":"File:read","revision":"1"},"forms":["self-closing"]},{"name":"File","identity":{"kind":"standard","origin":"Xmd","key":"File:write","revision":"1"},"forms":["paired"]},{"name":"Dir","identity":{"kind":"standard","origin":"Xmd","key":"Dir","revision":"1"},"forms":["paired"]},{"name":"File.Delete","identity":{"kind":"standard","origin":"Xmd","key":"File.Delete","revision":"1"},"forms":["self-closing"]},{"name":"Send","identity":{"kind":"host","origin":"App","key":"Durable.Await/person","revision":"1"},"forms":["self-closing"]}],"requests":[],"addresses":[],"paths":{},"limits":{"textBytes":1048576,"elements":1000,"depth":32,"fileBytes":1048576,"responseBytes":1048576,"resultBytes":8388608,"effectMs":60000},"root":"./work"},"named":[0,4,1]}', 624515113);
INSERT INTO entries (id, run, path, kind, target, value, sum) VALUES (4, 1, 'steps/apply/xmd[0]/File', 0, NULL, '"a"', 2685261912);
INSERT INTO entries (id, run, path, kind, target, value, sum) VALUES (5, 1, 'steps/apply/xmd[1]/Send/token', 6, NULL, '"774f05e07af2386eb2d1f6031fa590415946b6bb863038d3"', 2906445650);
INSERT INTO waits (id, run, path, state, fence, since, resource, at, token, schema, request) VALUES (1, 1, 'steps/apply/xmd[1]/Send', 'open', 1, 1796075964782, 'Durable.Await/person', NULL, '774f05e07af2386eb2d1f6031fa590415946b6bb863038d3', NULL, NULL);
PRAGMA application_id = 1481458762;
PRAGMA user_version = 1;
