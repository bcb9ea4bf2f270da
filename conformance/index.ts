export type { Backend, Ended, Execution, Place } from './backend.ts';
export { CAPABILITIES } from './capabilities.ts';
export type { Capability } from './capabilities.ts';
export type { Case } from './case.ts';
export { journalBackend } from './journal-backend.ts';
export type { StorePlace, StoreUnderTest } from './journal-backend.ts';
export { conformanceCases, runConformance } from './run.ts';
export type { ConformanceFailure, ConformanceOptions, ConformanceResult } from './run.ts';
