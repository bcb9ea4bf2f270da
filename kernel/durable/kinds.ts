import type { KindDefinition } from '../kinds/kind.ts';
import { awaitKind } from './kinds/await.ts';
import { cancel } from './kinds/cancel.ts';
import { deliver } from './kinds/deliver.ts';
import { idempotent } from './kinds/idempotent.ts';
import { journal } from './kinds/journal.ts';
import { journalFile } from './kinds/journal-file.ts';
import { result } from './kinds/result.ts';
import { resume } from './kinds/resume.ts';
import { resumer } from './kinds/resumer.ts';
import { run } from './kinds/run.ts';
import { schedule } from './kinds/schedule.ts';
import { sleep } from './kinds/sleep.ts';
import { status } from './kinds/status.ts';
import { value } from './kinds/value.ts';
import { workflow } from './kinds/workflow.ts';

/** Every kind of `Durable`, `DurableLocal` and `DurableJournalFile` that the kernel has built in. */
export const durableKinds: readonly KindDefinition[] = [
  run,
  sleep,
  awaitKind,
  value,
  idempotent,
  journal,
  journalFile,
  workflow,
  resumer,
  deliver,
  status,
  result,
  cancel,
  resume,
  schedule,
];
