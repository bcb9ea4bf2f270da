/** Levels of log records, as numbers that grow with urgency. */
export const SEVERITY = Object.freeze({ trace: 1, debug: 5, info: 9, warn: 13, error: 17, fatal: 21 });
