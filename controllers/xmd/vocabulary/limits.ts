/** Size limits of one profile, all part of the policy. Bytes are UTF-8; `effectMs` is milliseconds. */
export interface Limits {
  readonly textBytes: number;
  readonly elements: number;
  readonly depth: number;
  readonly fileBytes: number;
  readonly responseBytes: number;
  readonly resultBytes: number;
  readonly effectMs: number;
}
