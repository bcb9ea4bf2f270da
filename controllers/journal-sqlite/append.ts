/**
 * What makes the common append one statement, which is a transaction of its own: its trigger compares fence, lease and last
 * entry, turns the head there into a mark, and adds the entry. It refuses as a whole. The trigger is this connection's own.
 */
export const FORMS = [
  `CREATE TEMP VIEW IF NOT EXISTS appends AS SELECT 0 AS run, 0 AS fence, 0 AS now, '' AS before, '' AS mark, 0 AS place,
    '' AS path, 0 AS kind, '' AS head, '' AS target, '' AS value`,
  `CREATE TEMP TRIGGER IF NOT EXISTS append_entry INSTEAD OF INSERT ON appends BEGIN
    UPDATE entries SET digest = NEW.mark WHERE id = (NEW.run << 32 | NEW.place - 1) AND digest = NEW.before
      AND EXISTS (SELECT 1 FROM runs WHERE runs.id = NEW.run AND fence = NEW.fence AND claim_until > NEW.now)
      AND NOT EXISTS (SELECT 1 FROM waits WHERE waits.run = NEW.run AND waits.path = NEW.path);
    SELECT RAISE(ROLLBACK, 'not appended') WHERE changes() <> 1;
    INSERT INTO entries (id, run, path, kind, digest, target, value)
      VALUES (NEW.run << 32 | NEW.place, NEW.run, NEW.path, NEW.kind, NEW.head, NEW.target, NEW.value);
  END`,
] as const;

/** In the order of the columns of `appends`. */
export const APPEND = 'INSERT INTO appends VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)';
