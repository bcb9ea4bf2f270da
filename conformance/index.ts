export { CAPABILITIES } from './backend.ts';
export type { Backend, Capability, Ended, Execution, Place } from './backend.ts';
export type { Case } from './case.ts';
export { journalBackend } from './journal-backend.ts';
export type { StorePlace, StoreUnderTest } from './journal-backend.ts';
export { conformanceCases, runConformance } from './run.ts';
export type { ConformanceFailure, ConformanceOptions, ConformanceResult } from './run.ts';
