import { InvokeError } from '@telorun/sdk';

/** Why a request has no response; the whole vocabulary, and what each is called in a message. */
const PHRASES = {
  dns: 'its name has no address',
  'address-refused': 'its address is not a public one',
  connect: 'no connection was made',
  tls: 'no trusted connection was made',
  timeout: 'it took longer than its timeout',
  'too-large': 'the body is larger than responseBytes',
  'headers-too-large': 'there are more headers than are read',
  protocol: 'the response is not one of HTTP',
  'invalid-utf8': 'the body is not UTF-8',
  cancelled: 'it was cancelled',
} as const;

export type HttpReason = keyof typeof PHRASES;

const HINTS: Partial<Record<HttpReason, string>> = {
  'address-refused': 'Name the address range under addresses in the profile, if fragments may reach it.',
  'too-large': 'Raise responseBytes in the profile, up to its ceiling.',
  timeout: 'State a longer timeout with the request.',
};

/** Stops an exchange for a reason of ours; turned into an InvokeError at the port, and never seen outside. */
export class Interruption extends Error {
  readonly reason: HttpReason;

  constructor(reason: HttpReason) {
    super(PHRASES[reason]);
    this.name = 'Interruption';
    this.reason = reason;
  }
}

/**
 * The refusal of one exchange: names the origin that was stated, never a word of what came back.
 *
 * Pure. The system's own error is not attached: its message holds addresses of the host's network.
 *
 * @see kernel-specs/fetch.md FT-40
 */
export function httpProblem(reason: HttpReason, origin: string): InvokeError {
  const hint = HINTS[reason];
  return new InvokeError('ERR_XMD_EFFECT', `Cannot fetch from "${origin}": ${PHRASES[reason]}`, {
    reason,
    origin,
    ...(hint === undefined ? {} : { hint }),
  });
}
