export type * from './cancellation.ts';
export type * from './zone.ts';
export type * from './durable-run.ts';
export type * from './invoke-context.ts';
export type * from './controller.ts';
