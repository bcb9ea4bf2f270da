// A preload (NODE_OPTIONS=--import): the clock of this process runs ahead by the milliseconds that the file FAULTS_CLOCK
// holds, read anew each time, so that a test lets a lease lapse for a process that is stopped.
import { readFileSync } from 'node:fs';

const { FAULTS_CLOCK } = process.env;
const now = Date.now;

if (FAULTS_CLOCK) Date.now = () => now() + Number(readFileSync(FAULTS_CLOCK, 'utf8'));
