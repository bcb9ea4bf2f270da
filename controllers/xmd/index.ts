export * as Evaluate from './evaluate.ts';
export * as Preflight from './preflight.ts';
export * as Profile from './profile.ts';
