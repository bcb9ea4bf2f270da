/** The promises a zone can make about everything executed inside it. */
export type ZoneAttribute = 'atomic' | 'idempotent' | 'noSuspend' | 'replayed';

/** One open zone: which kind promises, which instance of it, and, for a correlated zone, about which resource. */
export interface ZoneEntry {
  readonly kind: string;
  readonly provider: object;
  readonly key?: unknown;
}

/** An open zone with the attributes its slot declares; each value is the author's reason, in prose. */
export interface OpenZone {
  readonly kind: string;
  readonly attributes: Readonly<Partial<Record<ZoneAttribute, string>>>;
  readonly entry: ZoneEntry;
}
