import fs from 'node:fs';

/** The calls that host files make; a test counts them, or makes one of them fail. */
export type SystemCalls = Pick<
  typeof fs,
  | 'openSync'
  | 'closeSync'
  | 'fstatSync'
  | 'lstatSync'
  | 'statSync'
  | 'readSync'
  | 'writeSync'
  | 'fsyncSync'
  | 'fchmodSync'
  | 'fchownSync'
  | 'renameSync'
  | 'unlinkSync'
  | 'mkdirSync'
  | 'rmdirSync'
  | 'readlinkSync'
  | 'readdirSync'
  | 'realpathSync'
>;

export const NODE_SYSTEM_CALLS: SystemCalls = fs;

const { O_RDONLY, O_WRONLY, O_CREAT, O_EXCL, O_DIRECTORY, O_NOFOLLOW, O_NONBLOCK } = fs.constants;

// Windows has neither of the two; there a look before and after opening takes their place.
const NOFOLLOW = O_NOFOLLOW ?? 0;
const NONBLOCK = O_NONBLOCK ?? 0;

/** Linux's O_PATH, which Node does not name: a handle to walk by, which opens nothing for reading. */
const O_PATH = 0o10_000_000;

export const OPEN = {
  /** A FIFO answers at once instead of waiting for a writer. */
  read: O_RDONLY | NOFOLLOW | NONBLOCK,
  createNew: O_WRONLY | O_CREAT | O_EXCL | NOFOLLOW,
  walk: O_PATH | O_DIRECTORY | NOFOLLOW,
  list: O_RDONLY | (O_DIRECTORY ?? 0) | NOFOLLOW,
} as const;
