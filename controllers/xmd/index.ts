export * as Evaluate from './evaluate.ts';
export * as Plan from './plan.ts';
export * as Preflight from './preflight.ts';
export * as Profile from './profile.ts';
export * as Syntax from './syntax.ts';
