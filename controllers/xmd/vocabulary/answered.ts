const ANSWERED = /^Durable\./;

/**
 * Whether what comes from outside a run is written as the value of an effect with this target, as it was given: nothing
 * encodes it, so nothing decodes it, and nothing can be made of it before. Pure.
 *
 * @see kernel-specs/evaluate.md EV-32
 */
export function isAnswered(target: { readonly kind: string } | undefined): boolean {
  return target !== undefined && ANSWERED.test(target.kind);
}
