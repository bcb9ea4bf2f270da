// The floor's hello: Node, the SQLite driver, one durable row, one line.
import Database from 'better-sqlite3';

const db = new Database(process.argv[2]);
db.pragma('journal_mode = WAL');
db.pragma('synchronous = FULL');
db.exec('CREATE TABLE entries (path TEXT PRIMARY KEY, value TEXT)');
db.prepare('INSERT INTO entries VALUES (?, ?)').run('steps/hello', '"hello"');
db.close();
console.log('hello');
