export interface Faults {
  readonly killAt?: number;
  readonly stopAt?: number;
  readonly side?: 'before' | 'after';
  readonly log?: string;
  readonly counter?: { writes: number };
}

export declare const WRITES: ReadonlySet<string>;
export declare function faultsOf(env: Readonly<Record<string, string | undefined>>): Faults;
export declare function killingJournal<J extends object>(journal: J, faults: Faults): J;
